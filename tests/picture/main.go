// Command picture takes the pictures in the documentation: it runs the real binary in
// a real tmux, reads the client's terminal through a terminal emulator, and writes
// what is on it as SVG: popup-DIALECT.svg, looks/FORM.svg, and askpane.svg, which
// moves. Of pages it takes looks/page-STATE.png and looks/phone-STATE.png in Chromium, where
// every clock says 12s.
//
// It shows nothing that was not on the screen. The rule that must hold here: a second
// run gives the same picture, so that a difference is a change in what people see. The
// one that moves is a recording and has its own times each time.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	dir := flag.String("dir", "docs", "the directory to write to")
	only := flag.String("only", "", "take the pictures alone whose name begins with this")
	bin := flag.String("askpane", "", "the program to take pictures of, instead of what is built here")
	flag.Parse()
	if err := takeAll(*dir, *only, *bin); err != nil {
		fmt.Fprintf(os.Stderr, "picture: %v\n", err)
		os.Exit(1)
	}
}

func takeAll(dir, only, bin string) error {
	if bin == "" {
		bins, err := os.MkdirTemp("", "askpane-picture-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(bins)
		bin = filepath.Join(bins, "askpane")
		if said, err := exec.Command("go", "build", "-o", bins+"/", "./cmd/...").CombinedOutput(); err != nil {
			return fmt.Errorf("build askpane: %w\n%s", err, said)
		}
	}
	shots := map[string]func(string) ([]byte, error){"askpane": record}
	names := []string{"askpane"}
	for _, p := range append(pictures, looks...) {
		shots[p.name], names = p.retake, append(names, p.name)
	}
	for _, name := range names {
		if !strings.HasPrefix(name, only) {
			continue
		}
		svg, err := shots[name](bin)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		file := filepath.Join(dir, name+".svg")
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, svg, 0o644); err != nil {
			return err
		}
	}
	return takeScreens(dir, only, bin)
}
