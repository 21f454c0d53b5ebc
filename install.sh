#!/bin/sh
# Installs askpane's newest release into ~/.local/bin (or $ASKPANE_BIN), its manual pages
# into ~/.local/share/man and its completions where shells look for a person's own. What
# is loaded is compared with the release's SHA256SUMS first; with cosign or gh there, `gh
# attestation verify` tells who built it.
#
#   sh install.sh [--hub] [VERSION]
#
# ASKPANE_RELEASES names another place with the same files: a mirror, or a directory of
# yours as file:///path.
set -eu

die() {
	printf 'install.sh: %s\n' "$*" >&2
	exit 1
}

hub=
if [ "${1:-}" = --hub ]; then
	hub=-hub
	shift
fi
version=${1:-}
version=${version#v}
releases=${ASKPANE_RELEASES:-https://github.com/askpane/askpane/releases}
bin=${ASKPANE_BIN:-$HOME/.local/bin}

case $(uname -s) in
Linux) os=linux ;;
Darwin) os=darwin ;;
*) die "there is no release for $(uname -s)" ;;
esac
case $(uname -m) in
x86_64 | amd64) arch=amd64 ;;
aarch64 | arm64) arch=arm64 ;;
*) die "there is no release for $(uname -m)" ;;
esac

if command -v curl >/dev/null; then
	load() { curl -fsSL --retry 3 "$1" -o "$2"; }
elif command -v wget >/dev/null; then
	load() { wget -q "$1" -O "$2"; }
else
	die "neither curl nor wget is there"
fi
if command -v sha256sum >/dev/null; then
	sum() { sha256sum "$1" | cut -d ' ' -f 1; }
else
	sum() { shasum -a 256 "$1" | cut -d ' ' -f 1; }
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM

from=$releases/latest/download
[ -z "$version" ] || from=$releases/download/v$version
load "$from/SHA256SUMS" "$scratch/SHA256SUMS" || die "$from/SHA256SUMS could not be loaded"
# The line of the archive says the version, too.
line=$(grep -E "^[0-9a-f]{64} [ *]askpane${hub}_[^_]*_${os}_${arch}\.tar\.gz\$" "$scratch/SHA256SUMS") ||
	die "the release has no askpane$hub for $os $arch"
wanted=${line%% *}
archive=${line##*[ *]}
load "$from/$archive" "$scratch/$archive" || die "$from/$archive could not be loaded"
[ "$(sum "$scratch/$archive")" = "$wanted" ] || die "$archive is not what SHA256SUMS says; nothing was installed"

mkdir "$scratch/new"
tar -xzf "$scratch/$archive" -C "$scratch/new"
mkdir -p "$bin"
for program in "$scratch"/new/askpane*; do
	# A program that runs cannot be written over, but can be replaced.
	cp "$program" "$bin/.${program##*/}.new"
	chmod 755 "$bin/.${program##*/}.new"
	mv -f "$bin/.${program##*/}.new" "$bin/${program##*/}"
done
if [ -d "$scratch/new/man" ]; then
	data=${XDG_DATA_HOME:-$HOME/.local/share}
	mkdir -p "$data/man/man1" "$data/bash-completion/completions" "$data/zsh/site-functions" "$data/fish/vendor_completions.d"
	cp "$scratch"/new/man/man1/*.1 "$data/man/man1/"
	cp "$scratch/new/completions/askpane.bash" "$data/bash-completion/completions/askpane"
	cp "$scratch/new/completions/_askpane" "$data/zsh/site-functions/_askpane"
	cp "$scratch/new/completions/askpane.fish" "$data/fish/vendor_completions.d/askpane.fish"
fi
printf '%s is in %s.\n' "$("$bin/askpane$hub" --version)" "$bin"
case :$PATH: in
*":$bin:"*) ;;
*) printf 'Your PATH does not have it yet: export PATH="$PATH:%s"\n' "$bin" ;;
esac
[ -n "$hub" ] || printf 'Next: askpane demo, then askpane setup.\n'
