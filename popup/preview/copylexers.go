//go:build ignore

// Copylexers brings lexers/ up to the version of chroma in go.mod: each file
// that is there is written anew from the module's own.
package main

import (
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/alecthomas/chroma/v2").Output()
	if err != nil {
		log.Fatal(err)
	}
	chroma := strings.TrimSpace(string(dir))
	files, err := filepath.Glob("lexers/*.xml")
	if err != nil {
		log.Fatal(err)
	}
	for _, file := range files {
		refresh(filepath.Join(chroma, "lexers", "embedded", filepath.Base(file)), file)
	}
	refresh(filepath.Join(chroma, "COPYING"), "lexers/COPYING")
}

func refresh(from, to string) {
	data, err := os.ReadFile(from)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o644); err != nil {
		log.Fatal(err)
	}
}
