package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// limitC is the least that can stand in a popup: one write, one read.
const limitC = `#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
	char key;
	if (argc != 2) return 2;
	if (write(1, argv[1], strlen(argv[1])) < 0) return 1;
	return read(0, &key, 1) == 1 ? 0 : 1;
}
`

// buildLimit builds that program into dir, and says what it was built with. A
// system without a static C library gets it dynamic, one without a C compiler
// gets the same thing in Go, which starts about a millisecond later.
func buildLimit(dir string) (bin, with string, err error) {
	source := filepath.Join(dir, "limit.c")
	bin = filepath.Join(dir, "limit")
	if err := os.WriteFile(source, []byte(limitC), 0o600); err != nil {
		return "", "", err
	}
	for _, flags := range []string{"-static -O2", "-O2"} {
		args := append(strings.Fields(flags), "-o", bin, source)
		if err := exec.Command("cc", args...).Run(); err == nil {
			return bin, "C, cc " + flags, nil
		}
	}
	err = goBuild(bin, "./tests/bench/limit")
	return bin, "Go, for want of a C compiler", err
}

// release is how justfile's build builds.
var release = []string{"-trimpath", "-ldflags", "-s -w", "-tags", "urfave_cli_no_docs,netgo,osusergo,nethttpomithttp2"}

func goBuild(bin, pkg string) error {
	args := append([]string{"build"}, release...)
	out, err := exec.Command("go", append(args, "-o", bin, pkg)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("build %s: %w\n%s", pkg, err, out)
	}
	return nil
}
