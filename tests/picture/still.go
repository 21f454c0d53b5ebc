package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/askpane/askpane/tests/bench/stage"
)

// picture is what the agent asks, what the person does, and where it goes.
type picture struct {
	name, label   string // of the file, without its ending; and what it shows, in words
	columns, rows int
	ground        *ground
	request       string
	steps         []step
	last          string // what is on view when all is done
}

// step is keys, and what to see before they are pressed.
type step struct{ see, keys string }

const up, down, right = "\x1b[A", "\x1b[B", "\x1b[C"

// transcript is what the agent has said in its pane before.
const transcript = "\x1b[1m> \x1b[0mStore a currency with every order, and migrate what is there\r\n\r\n" +
	"\x1b[32m●\x1b[0m I'll look at how prices are stored and who reads them before I change the schema.\r\n\r\n" +
	"\x1b[32m●\x1b[0m \x1b[1mRead\x1b[0m(db/schema.sql)\r\n  \x1b[2m└ Read 418 lines\x1b[0m\r\n\r\n" +
	"\x1b[32m●\x1b[0m \x1b[1mSearch\x1b[0m(pattern: \"price_cents\", path: \"internal\")\r\n  \x1b[2m└ Found 23 lines in 9 files\x1b[0m\r\n\r\n" +
	"\x1b[32m●\x1b[0m \x1b[1mBash\x1b[0m(psql shop_staging -c 'select count(*) from orders where currency is null')\r\n  \x1b[2m└ 2104873\x1b[0m\r\n\r\n" +
	"\x1b[32m●\x1b[0m \x1b[1mWrite\x1b[0m(db/migrations/0047_order_currency.sql)\r\n  \x1b[2m└ Wrote 61 lines\x1b[0m\r\n\r\n" +
	"\x1b[32m●\x1b[0m \x1b[1mBash\x1b[0m(make migrate-dry-run)\r\n  \x1b[2m└ 0047_order_currency: 2104873 rows, exclusive lock on orders, about 40 s\x1b[0m\r\n\r\n" +
	"\x1b[32m●\x1b[0m The migration works on staging. Some of it is yours to decide, so I'll ask you.\r\n\r\n"

// waiting is the transcript's last line in a still picture.
const waiting = "\x1b[35m✻\x1b[0m \x1b[2mWaiting for your answer… (esc to interrupt)\x1b[0m\r\n"

// agent is the script of the asking pane: its arguments are what to say, askpane, the request
// and a file of the project. The form's title mark is for a process in the pane alone.
const agent = `stty -echo; mkdir -p ~/src/shop; cd ~/src/shop; printf '%s' "$4" >total.go; tput civis; printf '%s' "$1"; tmux wait-for ask
printf '%s' "$3" | ASKPANE_SPOOL=~/spool ASKPANE_GUARD_MS=0 ASKPANE_PERMISSIONS=always "$2" ask --agent claude >/dev/null 2>~/said; exec cat`

// retake tries until a picture comes out. The form says how long it has waited. On a
// machine that needs more than a second to get here, the next try may be quicker.
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
	c := newCanvas(p.columns, p.rows, p.ground)
	defer c.Close()
	st, err := stage.Open(p.columns, p.rows, c, "/bin/sh", "-c", agent, "sh", transcript+waiting, bin, p.request, code)
	if err != nil {
		return nil, err
	}
	defer st.Close()
	if err := set(st, status, [][2]string{{"status-right", " #{=60:pane_title} "}}); err != nil {
		return nil, err
	}
	if _, err := st.Tmux("wait-for", "-S", "ask"); err != nil {
		return nil, err
	}
	svg, err := p.pose(st, c)
	if said, _ := os.ReadFile(filepath.Join(st.Dir, "said")); err != nil && len(said) > 0 {
		err = fmt.Errorf("%w; askpane said: %s", err, said)
	}
	return svg, err
}

// status is a quiet status line, without the clock and the host's name.
var status = [][2]string{{"status-style", "bg=black"}, {"status-left", " "}, {"status-right-length", "70"}, {"window-status-current-style", "bold"}}

func set(st *stage.Stage, options ...[][2]string) error {
	for _, some := range options {
		for _, option := range some {
			if _, err := st.Tmux("set-option", "-g", option[0], option[1]); err != nil {
				return err
			}
		}
	}
	return nil
}

// late is a form that has been open for a second or more. One with a deadline counts
// down, and has lost its first second when it is drawn.
var late = regexp.MustCompile(`asks.*[ m]([1-9]\d?|0[1-9])s +│|asks.*m ([0-4]\d|5[0-8])s left`)

// pose goes through the steps, and draws the screen once everything that belongs on it
// is there and at rest.
func (p picture) pose(st *stage.Stage, c *canvas) (svg []byte, err error) {
	deadline := time.Now().Add(10 * time.Second)
	steps := append(slices.Clip(p.steps), step{see: p.last})
	if p.rows > 16 { // a smaller terminal is covered, the status line with it
		steps = append(steps, step{see: "🔔"}) // which comes by another way than the form
	}
	for _, step := range steps {
		if err := st.Until(deadline, c.shows(step.see)); err != nil {
			return nil, fmt.Errorf("wait for %q: %w\n%s", step.see, err, c.String())
		}
		if _, err := st.Type(step.keys); err != nil {
			return nil, err
		}
	}
	if err := st.Quiet(60*time.Millisecond, deadline); err != nil {
		return nil, err
	}
	err = st.Until(deadline, func() bool {
		svg = c.still(p.label)
		return true
	})
	if late.MatchString(c.String()) {
		return nil, errSlow
	}
	return svg, err
}
