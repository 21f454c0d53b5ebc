#!/bin/sh
# Installs askpane's newest release, or the one that is named, into ~/.local/bin or
# $ASKPANE_BIN; manual pages and completions go to where a person's own are looked for.
# Nothing is put anywhere before all of it is here and is what the release's SHA256SUMS say.
#
#   sh install.sh [--hub] [VERSION]
#
# ASKPANE_RELEASES names another place with the same files. Who built a release is told by
# gh attestation verify FILE --repo askpane/askpane.
set -eu

# All of it is in a function, so that half of this file does nothing.
main() {
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
	case $#$version in
	0 | 1 | 1[0-9]*) ;;
	*) die "its arguments are [--hub] [VERSION], in this order; nothing was installed" ;;
	esac
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
		load() { curl -fsSL "$1" -o "$2"; }
	elif command -v wget >/dev/null; then
		load() { wget -q "$1" -O "$2"; }
	else
		die "neither curl nor wget is there"
	fi
	if command -v sha256sum >/dev/null; then
		sum() { sha256sum "$1"; }
	else
		sum() { shasum -a 256 "$1"; }
	fi

	scratch=$(mktemp -d)
	trap 'rm -rf "$scratch"' EXIT
	trap 'exit 1' HUP INT TERM

	from=$releases/latest/download
	[ -z "$version" ] || from=$releases/download/v$version
	load "$from/SHA256SUMS" "$scratch/sums" || die "$from/SHA256SUMS could not be loaded"
	# Its name says which version the newest is.
	line=$(grep -E "^[0-9a-f]{64} [ *]askpane${hub}_[0-9][^_/]*_${os}_${arch}\.tar\.gz\$" "$scratch/sums") ||
		die "the release has no askpane$hub for $os $arch"
	archive=${line##*[ *]}
	load "$from/$archive" "$scratch/archive" || die "$from/$archive could not be loaded; nothing was installed"
	found=$(sum "$scratch/archive")
	[ "${found%% *}" = "${line%% *}" ] || die "$archive is not what SHA256SUMS says; nothing was installed"
	mkdir "$scratch/new"
	tar -xzf "$scratch/archive" -C "$scratch/new"

	# bring FILE DIRECTORY NAME MODE brings a file beside its place, and put DIRECTORY NAME into it
	# in one step: a program that runs can be replaced, and not written over.
	bring() {
		mkdir -p "$2" && cp "$1" "$2/.$3.new" && chmod "$4" "$2/.$3.new"
	}
	put() { mv -f "$1/.$2.new" "$1/$2"; }

	# All programs are there before one is replaced, since they work in one version alone.
	for program in "$scratch"/new/askpane*; do
		bring "$program" "$bin" "${program##*/}" 755 || {
			rm -f "$bin"/.askpane*.new
			die "$bin cannot take the programs; nothing was installed"
		}
	done
	for program in "$scratch"/new/askpane*; do
		put "$bin" "${program##*/}"
	done
	if [ -d "$scratch/new/man" ]; then
		document() {
			bring "$1" "$2" "$3" 644
			put "$2" "$3"
		}
		data=${XDG_DATA_HOME:-$HOME/.local/share}
		for page in "$scratch"/new/man/man1/*.1; do
			document "$page" "$data/man/man1" "${page##*/}"
		done
		document "$scratch/new/completions/askpane.bash" "$data/bash-completion/completions" askpane
		document "$scratch/new/completions/_askpane" "$data/zsh/site-functions" _askpane
		document "$scratch/new/completions/askpane.fish" "$data/fish/vendor_completions.d" askpane.fish
	fi
	printf '%s is in %s.\n' "$("$bin/askpane$hub" --version)" "$bin"
	case :$PATH: in
	*":$bin:"*) ;;
	*) printf 'Your PATH does not have that yet: export PATH="$PATH:%s"\n' "$bin" ;;
	esac
	if [ -x "$bin/askpane" ] && [ -x "$bin/askpane-hub" ]; then
		one=$("$bin/askpane" --version) && two=$("$bin/askpane-hub" --version) && [ "${one#* }" = "${two#* }" ] ||
			printf 'askpane and askpane-hub there are not of one version, as they have to be: run install.sh and install.sh --hub.\n'
	fi
	[ -n "$hub" ] || printf 'Next: askpane demo, then askpane setup.\n'
}

main "$@"
