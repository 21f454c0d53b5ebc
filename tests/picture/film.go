package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/askpane/askpane/tests/bench/stage"
)

// The film's size in cells.
const filmColumns, filmRows = 96, 26

// act is something that happens in the film: once see is on the screen and the person
// has looked at it for so long, keys are typed, or the agent is told to go on.
type act struct {
	see   string
	look  time.Duration
	keys  string
	typed bool   // one by one, as fingers do
	cue   string // a channel of tmux's wait-for that the agent listens at
}

const beat = 100 * time.Millisecond

// acts is the film: an agent asks while the person is in another window.
var acts = []act{
	{see: "make migrate", look: 13 * beat, keys: "\x021"},
	{see: "func (o Order) Total", look: 7 * beat, keys: "o"},
	{see: "INSERT", look: 2 * beat, keys: "if o.Coupon != nil {\r", typed: true},
	{see: "Coupon != nil {", look: 2 * beat, cue: "ask"},
	{see: "When should the migration", look: 21 * beat, keys: down},
	{see: "Nobody orders then", look: 7 * beat, keys: "\r"},
	{see: "have no currency", look: 16 * beat, keys: down},
	{see: "Right for all but 9", look: 6 * beat, keys: "\r"},
	{see: "Submit", look: 13 * beat, keys: "\r"},
	{see: "return sum\n}\n~", look: 4 * beat, keys: "sum = o.Coupon.Off(sum)\r}", typed: true},
	{see: "Off(sum)", look: 5 * beat, keys: "\x020"},
	{see: "Scheduled", look: 28 * beat},
}

// telling is on view in the frame that is shown where nothing should move.
const telling = "Right for all but 9"

const label = "A recording: the person edits a file in one window of tmux, a popup with an agent's two questions opens over it, " +
	"they choose and submit, and the agent in the other window goes on with the answers"

// filmAgent is the agent's script, with the arguments of agent. What it shows of the
// call is what the call printed.
const filmAgent = `stty -echo; mkdir -p ~/src/shop; cd ~/src/shop; tput civis; printf '%s' "$1"; tmux wait-for ask
printf '\033[32m●\033[0m \033[1mAsk\033[0m(When, Backfill)\n'
said=$(printf '%s' "$3" | "$2" ask --agent claude --output text 2>~/said) || exit
printf '%s\n' "$said" | sed 's/^/    /; 1s/^   /  └/'
printf '\n\033[32m●\033[0m Tonight at 03:00, then. I write the rule for the currency and leave a job for it.\n\n'
printf '\033[32m●\033[0m \033[1mBash\033[0m(at 03:00 -f db/migrate.sh)\n  \033[2m└ Scheduled\033[0m\n'; exec cat`

// code is the file that the person works on.
const code = `package orders

// Total is what the customer pays, in the currency of the order.
func (o Order) Total() Money {
	sum := Money{Currency: o.Currency}
	for _, line := range o.Lines {
		sum.Cents += line.Price.Cents * line.Count
	}
	return sum
}
`

// record plays the film on a stage and keeps what the terminal showed.
func record(bin string) ([]byte, error) {
	if _, err := exec.LookPath("vim"); err != nil {
		return nil, fmt.Errorf("the person in the film uses vim: %w; install it", err)
	}
	f := &film{canvas: newCanvas(filmColumns, filmRows, dark)}
	defer f.Close()
	st, err := stage.Open(filmColumns, filmRows, f, "/bin/sh", "-c", filmAgent, "sh", transcript, bin, currency)
	if err != nil {
		return nil, err
	}
	defer st.Close()
	file := filepath.Join(st.Dir, "total.go")
	if err := os.WriteFile(file, []byte(code), 0o600); err != nil {
		return nil, err
	}
	editor := "vim -N -u NONE -i NONE -n --cmd 'set background=dark smartindent tabstop=4 showmode noruler nomodeline fillchars=eob:~ | syntax on' +8 " + file
	if _, err := st.Tmux("new-window", "-d", "-n", "vim", editor); err != nil {
		return nil, err
	}
	if _, err := st.Tmux("rename-window", "-t", "main:0", "claude"); err != nil {
		return nil, err
	}
	if err := set(st, status, [][2]string{{"status-interval", "1"}, {"status-right", " #(" + bin + " status --format tmux) "}}); err != nil {
		return nil, err
	}
	if err := f.play(st); err != nil {
		said, _ := os.ReadFile(filepath.Join(st.Dir, "said"))
		return nil, fmt.Errorf("%w\n%s\n%s", err, f.String(), said)
	}
	return f.svg(), nil
}

func (f *film) play(st *stage.Stage) error {
	if err := st.Until(time.Now().Add(10*time.Second), f.starts); err != nil {
		return fmt.Errorf("wait for the status line: %w", err)
	}
	for _, act := range acts {
		if err := st.Until(time.Now().Add(10*time.Second), f.shows(act.see)); err != nil {
			return fmt.Errorf("wait for %q: %w", act.see, err)
		}
		time.Sleep(act.look) // a person reads: this is not a test
		keys := []string{act.keys}
		if act.typed {
			keys = strings.Split(act.keys, "")
		}
		for _, key := range keys {
			if _, err := st.Type(key); err != nil {
				return err
			}
			if act.typed {
				time.Sleep(beat / 2)
			}
		}
		if act.cue != "" {
			if _, err := st.Tmux("wait-for", "-S", act.cue); err != nil {
				return err
			}
		}
	}
	return st.Until(time.Now().Add(time.Second), func() bool { f.end(); return true })
}

// film is a canvas that keeps what was on it, and for how long.
type film struct {
	*canvas
	frames  []frame
	rolling bool
}

// frame is a state of the screen: its rows as they are drawn.
type frame struct {
	at    time.Time
	rows  []string
	tells bool // what the film is about
}

// A state of the screen that nobody can see is none; one that is looked at longer than
// anybody reads is cut.
const shortest, longest = 50 * time.Millisecond, 2800 * time.Millisecond

// usual matches what tmux has in a status line that nobody has set: the session, and the date.
var usual = regexp.MustCompile(`\[main\]|\d\d-[A-Z][a-z]{2}-\d\d`)

// starts begins to record, once the status line is as the film has it.
func (f *film) starts() bool {
	if f.rolling = !usual.MatchString(f.String()); f.rolling {
		f.keep()
	}
	return f.rolling
}

func (f *film) end() { f.frames = append(f.frames, frame{at: time.Now()}) }

// Write is what the terminal gets. The stage locks it.
func (f *film) Write(p []byte) (int, error) {
	n, err := f.canvas.Write(p)
	if f.rolling {
		f.keep()
	}
	return n, err
}

func (f *film) keep() {
	now := frame{time.Now(), f.rows(), f.shows(telling)()}
	if last := len(f.frames) - 1; last >= 0 && now.at.Sub(f.frames[last].at) < shortest {
		now.at = f.frames[last].at
		f.frames = f.frames[:last]
	}
	if last := len(f.frames) - 1; last < 0 || !slices.Equal(f.frames[last].rows, now.rows) {
		f.frames = append(f.frames, now)
	}
}
