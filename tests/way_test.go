package tests

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askpane/askpane/tests/needs"
)

// What one question in tmux may run through, from the ask to the answer's arrival, in both
// programs together: lines of blocks that were executed, functions, packages. The goals are
// 4,200 lines, 640 functions and 32 packages; these are what it took when it was last
// looked at, and may only become less.
const (
	mostLinesRun     = 4500
	mostFunctionsRun = 715
	mostPackagesRun  = 36
)

// TestOneQuestionsWay counts what one question runs through.
func TestOneQuestionsWay(t *testing.T) {
	needs.Long(t, "what one question runs through")
	t.Parallel()
	dir := t.TempDir()
	build := exec.Command("go", "build", "-cover", "-coverpkg=./...", "-o", dir+"/", "./cmd/askpane", "./cmd/askpane-popup", "./cmd/askpane-preview")
	build.Dir = ".."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	data, out := filepath.Join(dir, "data"), filepath.Join(dir, "out")
	if err := os.Mkdir(data, 0o700); err != nil {
		t.Fatal(err)
	}
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	for _, set := range []string{"GOCOVERDIR=" + data, "ASKPANE_SPOOL=" + string(s.spool), unguarded} {
		name, value, _ := strings.Cut(set, "=")
		s.tmux("set-environment", "-g", name, value)
	}
	s.tmux("new-window", "-d", "-t", "main:", quote(filepath.Join(dir, "askpane"))+" ask 'Which colour?' Red Green >"+quote(out)+"; echo over >>"+quote(out))
	v.see("Which colour?", "Green")
	v.press(enter)
	eventually(t, "the answer has arrived, and all programs have ended", func() bool {
		said, _ := os.ReadFile(out)
		return string(said) == "Red\nover\n" && len(s.spool.processes("popup")) == 0
	})
	profile := filepath.Join(dir, "profile")
	text := exec.Command("go", "tool", "covdata", "textfmt", "-i", data, "-o", profile)
	if out, err := text.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	lines, packages := executed(t, profile)
	functions := functionsRun(t, profile)
	t.Logf("%d lines, %d functions, %d packages", lines, functions, packages)
	if lines < 1000 || functions < 200 {
		t.Error("that is too little to be true")
	}
	if lines > mostLinesRun || functions > mostFunctionsRun || packages > mostPackagesRun {
		t.Errorf("%d lines, %d functions, %d packages; the most are %d, %d, %d", lines, functions, packages, mostLinesRun, mostFunctionsRun, mostPackagesRun)
	}
}

// executed counts the lines that are in a block which was executed, and their packages.
func executed(t *testing.T, profile string) (lines, packages int) {
	t.Helper()
	data, err := os.ReadFile(profile)
	if err != nil {
		t.Fatal(err)
	}
	reached, in := map[string]bool{}, map[string]bool{}
	for row := range strings.Lines(string(data)) { // FILE:LINE.COLUMN,LINE.COLUMN STATEMENTS TIMES
		file, block, _ := strings.Cut(row, ":")
		var from, to, ignored, times int
		if _, err := fmt.Sscanf(block, "%d.%d,%d.%d %d %d", &from, &ignored, &to, &ignored, &ignored, &times); err != nil || times == 0 {
			continue // the first row says how it was counted
		}
		reached[path.Dir(file)] = true
		for ; from <= to; from++ {
			in[fmt.Sprint(file, from)] = true
		}
	}
	return len(in), len(reached)
}

// functionsRun counts those of which a part was executed.
func functionsRun(t *testing.T, profile string) (n int) {
	t.Helper()
	list := exec.Command("go", "tool", "cover", "-func="+profile)
	list.Dir = ".."
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	for rows := bufio.NewScanner(strings.NewReader(string(out))); rows.Scan(); {
		if row := rows.Text(); !strings.HasPrefix(row, "total:") && !strings.HasSuffix(row, "\t0.0%") {
			n++
		}
	}
	return n
}
