# What there is to do in this repository; `just` alone lists it.

# tests/bench builds with the same flags. urfave_cli_no_docs leaves out what
# writes manual pages, and with it a Markdown parser; netgo and osusergo leave
# out libc, which D-Bus would bring in by net, and with it the dynamic linker: a
# millisecond at every start. nethttpomithttp2 leaves out HTTP/2, which browsers
# speak with TLS alone and nobody we call insists on: 0.4 MB of each program that
# has HTTP. .goreleaser.yaml and flake.nix have the same tags.
release := "-trimpath -ldflags '-s -w' -tags urfave_cli_no_docs,netgo,osusergo,nethttpomithttp2"

[private]
default:
    @just --list

# build all programs into bin
build:
    go build {{ release }} -o bin/ ./cmd/...

# run the tests, or with --all first every test; other arguments go to go test
test *args:
    ./tests/run {{ args }}

# play random schedules of faults: so many on terminals, a tenth as many in tmux, and two fifths on machines with a hub; new ones in each run, or those from a number on. More says more: `just faults 2000 0 -of-each -run Fleet -timeout 5h`
faults schedules="1000" first="0" *more:
    go test -count=1 -v -timeout 60m ./tests/faults -run Faults -first {{ first }} -schedules {{ schedules }} {{ more }}

# the same for hours, with schedules that nobody has seen yet, after a crowd of open pages, of calls and of clicks in a chat
soak schedules="20000":
    go run ./tests/bench/page -crowd 200
    go test -count=1 ./tests -run '^TestMCPCrowd$' -calls 1000
    ASKPANE_SOAK=1 ASKPANE_TEST_ALL=1 go test -count=1 ./popup/chat -run 'SameInstant'
    go test -count=1 -v -timeout 12h ./tests/faults -run Faults -first $(date +%s) -schedules {{ schedules }}

# type into each host as people do while a form comes up, so often
rhythm rounds="20":
    go test -count=1 -v ./tests -run '^TestRhythm$' -rounds {{ rounds }}

# answer agents' own questions, permissions and plans in the popup and in their dialogs at once, so often
races rounds="50":
    ASKPANE_TEST_ALL=1 ASKPANE_TEST_NIGHTLY=1 go test -count=1 -v -timeout 60m ./tests -run '^Test.*Races$|^TestCodexOwn' -races {{ rounds }}

# show that no test is red by chance: every test many times, beside busy processes; goes on where it was stopped
steady:
    ./tests/steady

# run every test, also those that ./tests/run --all leaves out, each benchmark once, and take the pictures, to see that all of that still works
nightly:
    #!/usr/bin/env bash
    set -euo pipefail
    ASKPANE_TEST_NIGHTLY=1 ./tests/run --all
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    go build -o "$scratch/" ./cmd/...
    go run ./tests/bench -rounds 1 -warmups 0 -idle 0 -askpane "$scratch/askpane"
    go run ./tests/bench/hosts -rounds 1 -askpane "$scratch/askpane"
    go run ./tests/bench/many -rounds 1 -entries 10 -askpane "$scratch/askpane"
    go run ./tests/bench/pass -rounds 1 -mib 1 -opens 1
    go run ./tests/picture -dir "$scratch"

# say for each package which part of its statements a whole run reaches, programs and all
coverage dir=".cache/coverage":
    rm -rf '{{ dir }}'
    ASKPANE_TEST_COVER='{{ dir }}' ./tests/run --all
    ./tests/coverage '{{ dir }}'

# look for what should not be there
lint:
    @test -z "$(gofmt -l .)" || { echo "not formatted:"; gofmt -l .; exit 1; }
    go vet ./...
    GOOS=darwin go vet ./...
    go tool staticcheck ./...
    go mod tidy -diff

# ask a few harmless questions
demo:
    go run ./cmd/askpane demo

# measure opening and answering beside the least that tmux can do
bench *args:
    go run ./tests/bench {{ args }}

# measure what questions cost where 10, 1,000 and 10,000 wait
bench-many *args:
    go run ./tests/bench/many {{ args }}

# measure what the page in a browser and an idle desk cost
bench-page *args:
    go run ./tests/bench/page {{ args }}

# measure what many machines on one hub cost
bench-hub *args:
    go run ./tests/bench/hub {{ args }}

# a thousand bridges wait at once beside ten thousand entries, and a script answers all
crowd bridges="1000" entries="10000":
    go test -count=1 -v -timeout 20m ./tests/faults -run Crowd -bridges {{ bridges }} -entries {{ entries }}

# run every fuzz target, each for so long
fuzz time="60s":
    #!/usr/bin/env bash
    set -euo pipefail
    found=0
    for package in $(go list ./...); do
        list=$(go test -list '^Fuzz' "$package") # on its own line, so that its failure counts
        for target in $(grep '^Fuzz' <<<"$list" || true); do
            found=1
            go test -run '^$' -fuzz "^$target\$" -fuzztime '{{ time }}' "$package"
        done
    done
    [ "$found" = 1 ] || { echo "there is no fuzz target" >&2; exit 1; }

# write what is tested of each host into docs/dev/hosts.md; arguments go to go test, for instance -run TestScenarios/zellij
hosts *args="-run ^TestScenarios$":
    go test -count=1 -timeout 30m ./tests {{ args }} -hosts

# take the pictures in docs again; arguments are for instance -only looks/danger
picture *args:
    go run ./tests/picture {{ args }}

[private]
release-tools:
    GOBIN="$PWD/.cache/bin" go install github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.10.0
    GOBIN="$PWD/.cache/bin" go install github.com/goreleaser/goreleaser/v2@v2.16.0

# build all that a release has into dist, and publish nothing: archives, packages, checksums, SBOMs. Of a commit without a tag it is a snapshot
release: release-tools
    #!/usr/bin/env bash
    set -euo pipefail
    export PATH="$PWD/.cache/bin:$PATH"
    git describe --exact-match >/dev/null 2>&1 || snapshot=--snapshot
    # One after another, since the order in which programs are done is their order in archives.
    goreleaser release --clean --parallelism 1 --skip=publish ${snapshot:-}

# install the packages of dist in a clean Debian and use them there; needs root
walk:
    .ci/release/walk

# tag a release, such as `just tag v0.1.0`; refused unless all that names a version names this one
tag version:
    .ci/release/tag '{{ version }}'

# build herdr from a checkout of it, with cargo and zig 0.15, and have it open forms
herdr source:
    cargo build --manifest-path '{{ source }}/Cargo.toml'
    go test -count=1 -v ./tests -run '^TestHerdr$' -herdr '{{ absolute_path(source) }}/target/debug/herdr'
