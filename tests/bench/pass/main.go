// Command pass measures what `askpane run` costs where a lot of output passes
// through it: `cat` of a large file with and without it, in turn; and in script(1),
// which passes output through a second terminal too, and does nothing else. And how long a
// question takes to open in it.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/creack/pty"
)

var (
	rounds = flag.Int("rounds", 7, "how often each is measured")
	size   = flag.Int("mib", 100, "how large the file is")
	opens  = flag.Int("opens", 30, "how often a question is opened each way, after 3 to warm up; 0 is not at all")
)

func main() {
	flag.Parse()
	if err := measure(); err != nil {
		fmt.Fprintln(os.Stderr, "pass:", err)
		os.Exit(1)
	}
}

func measure() error {
	dir, err := os.MkdirTemp("", "askpane-pass-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	askpane := filepath.Join(dir, "askpane")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-tags", "urfave_cli_no_docs,netgo,osusergo,nethttpomithttp2", "-o", dir+"/", "./cmd/...")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	if *opens > 0 {
		if err := opening(dir, askpane); err != nil {
			return err
		}
	}
	for _, text := range []struct {
		name  string
		write func(w *bufio.Writer, i int)
	}{
		{"plain lines", func(w *bufio.Writer, i int) {
			fmt.Fprintf(w, "%8d the quick brown fox jumps over the lazy dog, and goes on and on\n", i)
		}},
		{"lines in colours", func(w *bufio.Writer, i int) {
			fmt.Fprintf(w, "\x1b[32m%8d\x1b[0m the \x1b[1;38;5;%dmquick brown\x1b[0m fox jumps over the lazy dog\n", i, i%256)
		}},
	} {
		file := filepath.Join(dir, "file")
		if err := fill(file, text.write); err != nil {
			return err
		}
		for _, t := range terminals {
			if _, err := exec.LookPath(t.needs); t.needs != "" && err != nil {
				fmt.Printf("%s, %s: not measured, there is no %s\n", text.name, t.name, t.needs)
				continue
			}
			ways := [][]string{{"cat", file}, {"script", "-qc", "cat " + file, "/dev/null"}, {askpane, "run", "--", "cat", file}}
			took := make([][]time.Duration, len(ways))
			for i := range *rounds + 1 {
				for j, args := range ways {
					d, err := t.run(dir, slices.Clone(args)...)
					if err != nil {
						return err
					}
					if i > 0 { // the first is to warm up
						took[j] = append(took[j], d)
					}
				}
			}
			fmt.Printf("%s, %s:\n", text.name, t.name)
			for j, name := range []string{"cat", "in script(1)", "in askpane run"} {
				slices.Sort(took[j])
				median, bare := took[j][len(took[j])/2], took[0][len(took[0])/2]
				fmt.Printf("    %-15s %5.0f ms (%.0f–%.0f)   %+.1f %%\n", name, ms(median), ms(took[j][0]), ms(took[j][len(took[j])-1]), 100*(median.Seconds()/bare.Seconds()-1))
			}
		}
	}
	return nil
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func fill(path string, write func(*bufio.Writer, int)) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	for i := 0; ; i++ {
		write(w, i)
		if i%10000 == 0 {
			if err := w.Flush(); err != nil {
				return err
			}
			if at, err := f.Seek(0, io.SeekCurrent); err != nil || at >= int64(*size)<<20 {
				return err
			}
		}
	}
}

// terminals are what reads the output.
var terminals = []struct {
	name, needs string
	run         func(dir string, args ...string) (time.Duration, error)
}{
	{"reader that drops all of it", "", func(_ string, args ...string) (time.Duration, error) {
		return inTerminal(exec.Command(args[0], args[1:]...))
	}},
	{"tmux", "tmux", func(dir string, args ...string) (time.Duration, error) {
		took := filepath.Join(dir, "took")
		for i := range args {
			args[i] = "'" + strings.ReplaceAll(args[i], "'", `'\''`) + "'"
		}
		script := fmt.Sprintf("a=$(date +%%s%%N); %s; b=$(date +%%s%%N); echo $((b-a)) >'%s'", strings.Join(args, " "), took)
		cmd := exec.Command("tmux", "-S", filepath.Join(dir, "s"), "-f", "/dev/null", "new-session", script+"; true")
		cmd.Env = append(os.Environ(), "TMUX=", "TERM=xterm-256color")
		_, _ = inTerminal(cmd) // how tmux ends says nothing of what ran in it
		data, err := os.ReadFile(took)
		var ns int64
		if _, e := fmt.Sscan(string(data), &ns); err == nil {
			err = e
		}
		return time.Duration(ns), err
	}},
}

// inTerminal runs a command in a terminal of 120x40 whose output is read and
// dropped, until it ends.
func inTerminal(cmd *exec.Cmd) (time.Duration, error) {
	began := time.Now()
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 120, Rows: 40})
	if err != nil {
		return 0, err
	}
	defer f.Close()
	buf := make([]byte, 64<<10)
	for {
		if _, err := f.Read(buf); err != nil { // EIO: the other end is closed
			break
		}
	}
	err = cmd.Wait()
	return time.Since(began), err
}
