// Command picture takes the picture in the README: it runs the real binary in a
// real tmux popup, reads the client's terminal through a terminal emulator, and
// writes what is on it to docs/popup.svg.
//
// It shows nothing that was not on the screen. The rule that must hold here: a
// second run gives the same picture, so that a difference is a change in what
// people see.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/charmbracelet/x/vt"

	"github.com/askpane/askpane/tests/bench/stage"
)

const columns, rows = 108, 30

// request is what the agent asks.
const request = `{"questions":[
 {"id":"when","label":"When","prompt":"When should the migration of orders run?","options":[
  {"value":"now","label":"Now","description":"The table is locked for about 40 seconds; the shop shows its waiting page"},
  {"value":"tonight","label":"Tonight at 03:00","description":"Nobody orders then; I leave a job for it and stop here"}]},
 {"id":"backfill","label":"Backfill","prompt":"2.1 million old orders have no currency. What should they get?","options":[
  {"value":"eur","label":"EUR for all of them","description":"True until the shop in Zürich opened, wrong for 312 orders after"},
  {"value":"country","label":"By the country of the invoice","description":"Right for all but 9, which I list for you; takes six minutes longer"},
  {"value":"null","label":"Leave them empty","description":"The column stays nullable and the reports must cope"}]},
 {"id":"old","label":"Old column","prompt":"And the old column price_cents?","options":[
  {"value":"drop","label":"Drop it in the same migration","description":"There is no way back but the backup"},
  {"value":"keep","label":"Keep it for one release","description":"Written by a trigger, read by nobody"}]}
]}`

// transcript is what the agent has said in its pane before.
const transcript = "\x1b[1m> \x1b[0mStore a currency with every order, and migrate what is there\r\n\r\n" +
	"\x1b[32m●\x1b[0m I'll look at how prices are stored and who reads them before I change the schema.\r\n\r\n" +
	"\x1b[32m●\x1b[0m \x1b[1mRead\x1b[0m(db/schema.sql)\r\n  \x1b[2m⎿  Read 418 lines\x1b[0m\r\n\r\n" +
	"\x1b[32m●\x1b[0m \x1b[1mSearch\x1b[0m(pattern: \"price_cents\", path: \"internal\")\r\n  \x1b[2m⎿  Found 23 lines in 9 files\x1b[0m\r\n\r\n" +
	"\x1b[32m●\x1b[0m \x1b[1mBash\x1b[0m(psql shop_staging -c 'select count(*) from orders where currency is null')\r\n  \x1b[2m⎿   count\r\n     ---------\r\n      2104873\r\n     (1 row)\x1b[0m\r\n\r\n" +
	"\x1b[32m●\x1b[0m \x1b[1mWrite\x1b[0m(db/migrations/0047_order_currency.sql)\r\n  \x1b[2m⎿  Wrote 61 lines\x1b[0m\r\n\r\n" +
	"\x1b[32m●\x1b[0m \x1b[1mBash\x1b[0m(make migrate-dry-run)\r\n  \x1b[2m⎿  0047_order_currency: 2104873 rows, exclusive lock on orders, about 40 s\r\n     0047_order_currency: no rule for rows without a currency\x1b[0m\r\n\r\n" +
	"\x1b[32m●\x1b[0m The migration works on staging. Three things are yours to decide before I go on, so I'll ask you.\r\n\r\n" +
	"\x1b[35m✻\x1b[0m \x1b[2mWaiting for your answer… (esc to interrupt)\x1b[0m\r\n"

func main() {
	out := flag.String("out", filepath.Join("docs", "popup.svg"), "the file to write")
	flag.Parse()
	if err := picture(*out); err != nil {
		fmt.Fprintf(os.Stderr, "picture: %v\n", err)
		os.Exit(1)
	}
}

func picture(out string) error {
	bins, err := os.MkdirTemp("", "askpane-picture-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(bins)
	bin := filepath.Join(bins, "askpane")
	if said, err := exec.Command("go", "build", "-o", bin, "./cmd/askpane").CombinedOutput(); err != nil {
		return fmt.Errorf("build askpane: %w\n%s", err, said)
	}
	// The form says how long it has waited. On a machine that needs more than
	// a second to get here, the next try may be quicker.
	for range 5 {
		svg, err := take(bin)
		if errors.Is(err, errSlow) {
			continue
		}
		if err != nil {
			return err
		}
		return os.WriteFile(out, svg, 0o644)
	}
	return errSlow
}

var errSlow = errors.New("the form did not come to rest within its first second, five times over; is the machine busy?")

// take is one try.
func take(bin string) ([]byte, error) {
	screen := vt.NewEmulator(columns, rows)
	defer screen.Close()
	go io.Copy(io.Discard, screen) // what a terminal answers; tmux does without
	st, err := stage.Open(columns, rows, screen, "/bin/sh", "-c", "stty -echo; printf '%s' \"$1\"; exec cat", "sh", transcript)
	if err != nil {
		return nil, err
	}
	defer st.Close()
	// tmux's own status line but for the clock and the host's name.
	for _, option := range [][2]string{{"status-right", " #{=60:pane_title} "}, {"status-right-length", "70"}} {
		if _, err := st.Tmux("set-option", "-g", option[0], option[1]); err != nil {
			return nil, err
		}
	}
	project := filepath.Join(st.Dir, "src", "shop")
	if err := os.MkdirAll(project, 0o700); err != nil {
		return nil, err
	}
	var said bytes.Buffer
	cmd := exec.Command(bin, "ask", "--agent", "claude")
	cmd.Env, cmd.Dir = st.Env("ASKPANE_GUARD_MS=0"), project
	cmd.Stdin, cmd.Stderr = strings.NewReader(request), &said
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	defer func() {
		_ = cmd.Process.Signal(os.Interrupt) // takes the popup with it
		_ = cmd.Wait()
	}()
	svg, err := pose(st, screen)
	if err != nil && said.Len() > 0 {
		err = fmt.Errorf("%w; askpane said: %s", err, &said)
	}
	return svg, err
}

// pose answers the first question, moves within the second, and draws the
// screen once everything that belongs on it is there.
func pose(st *stage.Stage, screen *vt.Emulator) (svg []byte, err error) {
	deadline := time.Now().Add(10 * time.Second)
	for _, step := range []struct{ see, keys string }{
		{"❯ 1. Now", "1"},
		{"❯ 1. EUR", "\x1b[B"},
	} {
		if err := st.Until(deadline, func() bool { return strings.Contains(screen.String(), step.see) }); err != nil {
			return nil, fmt.Errorf("wait for %q: %w\n%s", step.see, err, screen.String())
		}
		if _, err := st.Type(step.keys); err != nil {
			return nil, err
		}
	}
	var late bool
	err = st.Until(deadline, func() bool {
		now := screen.String()
		if late = strings.Contains(now, "asks") && !strings.Contains(now, "waited 0s"); late {
			return true
		}
		// The title's bell in the status line comes by another way than the form.
		if strings.Contains(now, "❯ 2. By the country") && strings.Contains(now, "🔔") {
			svg = draw(screen)
			return true
		}
		return false
	})
	if late {
		return nil, errSlow
	}
	if err != nil {
		return nil, fmt.Errorf("wait for the second question: %w\n%s", err, screen.String())
	}
	return svg, nil
}
