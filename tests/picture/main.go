// Command picture takes the pictures in the README: it runs the real binary in a
// real tmux popup, reads the client's terminal through a terminal emulator, and
// writes what is on it to docs/popup.svg and docs/popup-DIALECT.svg.
//
// It shows nothing that was not on the screen. The rule that must hold here: a
// second run gives the same picture, so that a difference is a change in what
// people see.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/charmbracelet/x/vt"

	"github.com/askpane/askpane/tests/bench/stage"
)

const columns, rows = 108, 30

// picture is what the agent asks, what the person does, and where it goes.
type picture struct {
	name    string // of the file, without its ending
	request string
	steps   []step
	last    string // what is on view when all is done
}

// step is keys, and what to see before they are pressed.
type step struct{ see, keys string }

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
	dir := flag.String("dir", "docs", "the directory to write to")
	only := flag.String("only", "", "take the picture of this name alone")
	flag.Parse()
	if err := takeAll(*dir, *only); err != nil {
		fmt.Fprintf(os.Stderr, "picture: %v\n", err)
		os.Exit(1)
	}
}

func takeAll(dir, only string) error {
	bins, err := os.MkdirTemp("", "askpane-picture-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(bins)
	bin := filepath.Join(bins, "askpane")
	if said, err := exec.Command("go", "build", "-o", bins+"/", "./cmd/...").CombinedOutput(); err != nil {
		return fmt.Errorf("build askpane: %w\n%s", err, said)
	}
	for _, p := range pictures {
		if only != "" && only != p.name {
			continue
		}
		svg, err := p.retake(bin)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, p.name+".svg"), svg, 0o644)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// retake tries until a picture comes out. The form says how long it has waited.
// On a machine that needs more than a second to get here, the next try may be
// quicker.
func (p picture) retake(bin string) (svg []byte, err error) {
	for range 5 {
		if svg, err = p.take(bin); !errors.Is(err, errSlow) {
			break
		}
	}
	return svg, err
}

var errSlow = errors.New("the form did not come to rest within its first second, five times over; is the machine busy?")

// take is one try.
func (p picture) take(bin string) ([]byte, error) {
	screen := vt.NewEmulator(columns, rows)
	defer screen.Close()
	go io.Copy(io.Discard, screen) // what a terminal answers; tmux does without
	st, err := stage.Open(columns, rows, screen, "/bin/sh", "-c", agent, "sh", transcript, bin, p.request)
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
	if _, err := st.Tmux("wait-for", "-S", "ask"); err != nil {
		return nil, err
	}
	svg, err := p.pose(st, screen)
	if said, _ := os.ReadFile(filepath.Join(st.Dir, "said")); err != nil && len(said) > 0 {
		err = fmt.Errorf("%w; askpane said: %s", err, said)
	}
	return svg, err
}

// agent is the script of the asking pane. The form's title mark is for a process
// in the pane alone.
const agent = `stty -echo; printf '%s' "$1"; tmux wait-for ask; mkdir -p ~/src/shop; cd ~/src/shop
printf '%s' "$3" | ASKPANE_SPOOL=~/spool ASKPANE_GUARD_MS=0 "$2" ask --agent claude >/dev/null 2>~/said; exec cat`

// late is a form that has been open for a second or more. One with a deadline
// counts down, and has lost its first second when it is drawn.
var late = regexp.MustCompile(`asks.*(waited|⏱) ([1-9]|0s\d)|asks.*(m [0-4]|m 5[0-8])\d*s left`)

// pose goes through the steps, and draws the screen once everything that belongs
// on it is there.
func (p picture) pose(st *stage.Stage, screen *vt.Emulator) (svg []byte, err error) {
	deadline := time.Now().Add(10 * time.Second)
	for _, step := range p.steps {
		if err := st.Until(deadline, func() bool { return strings.Contains(screen.String(), step.see) }); err != nil {
			return nil, fmt.Errorf("wait for %q: %w\n%s", step.see, err, screen.String())
		}
		if _, err := st.Type(step.keys); err != nil {
			return nil, err
		}
	}
	slow := false
	err = st.Until(deadline, func() bool {
		now := screen.String()
		if slow = late.MatchString(now); slow {
			return true
		}
		// The title's bell in the status line comes by another way than the form.
		if strings.Contains(now, p.last) && strings.Contains(now, "🔔") {
			svg = draw(screen)
			return true
		}
		return false
	})
	if slow {
		return nil, errSlow
	}
	if err != nil {
		return nil, fmt.Errorf("wait for %q: %w\n%s", p.last, err, screen.String())
	}
	return svg, nil
}
