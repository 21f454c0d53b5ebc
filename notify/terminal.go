package notify

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"

	"github.com/askpane/askpane/bridge/text"
)

// Terminal is what is known of the viewer's terminal; any of it may be empty.
type Terminal struct {
	Program string // TERM_PROGRAM, or what the terminal answers when asked (tmux: client_termtype)
	Term    string // TERM (tmux: client_termname)
}

// longest is what a terminal takes in one write without mixing it with what
// another program draws (docs/hosts.md, Notifications through terminals).
const longest = 511

// The sequences that show a notification: OSC 99 is kitty's, with a name by
// which it can be closed; 777 has a title and a body, 9 has one text.
const (
	osc9   = "9"
	osc777 = "777"
	osc99  = "99"
)

// terminals are those known to show notifications, by how their names begin
// (docs/hosts.md, Notifications through terminals).
var terminals = []struct{ begins, osc string }{
	{"kitty", osc99}, {"xterm-kitty", osc99},
	{"wezterm", osc777}, {"ghostty", osc777}, {"xterm-ghostty", osc777}, {"foot", osc777},
	{"iterm", osc9},
	{"zellij", osc777}, // to the terminal around it, as that wants it
}

// osc is the sequence for t; empty where it shows none.
func (t Terminal) osc() string {
	for _, name := range []string{t.Program, t.Term} {
		for _, known := range terminals {
			if strings.HasPrefix(strings.ToLower(name), known.begins) {
				return known.osc
			}
		}
	}
	return ""
}

func (t Terminal) String() string {
	name := strings.TrimSpace(t.Program + " " + t.Term)
	if name == "" {
		return "a terminal without a name"
	}
	return text.OneLine(name, summaryRunes)
}

func (r Routes) terminal(ctx context.Context) (Terminal, string, error) {
	if r.Terminal == nil || r.Tell == nil {
		return Terminal{}, "", errors.New("there is none that could be told")
	}
	t, err := r.Terminal(ctx)
	if err != nil {
		return t, "", err
	}
	osc := t.osc()
	if osc == "" {
		err = fmt.Errorf("%v is not known to show notifications", t)
	}
	return t, osc, err
}

func (r Routes) lookAtTerminal(ctx context.Context) (string, error) {
	t, osc, err := r.terminal(ctx)
	return fmt.Sprintf("%v, by OSC %s", t, osc), err
}

// shown tells the notifications of one process apart.
var shown atomic.Int64

func (r Routes) showOnTerminal(ctx context.Context, n notification) (func(context.Context) error, error) {
	_, osc, err := r.terminal(ctx)
	if err != nil {
		return nil, err
	}
	id := fmt.Sprintf("askpane-%d-%d", os.Getpid(), shown.Add(1))
	if err := r.Tell(ctx, n.sequence(osc, id)); err != nil || osc != osc99 {
		return nil, err
	}
	return func(ctx context.Context) error { return r.Tell(ctx, []byte("\x1b]99;i="+id+":p=close;\x1b\\")) }, nil
}

// sequence is the notification for a terminal. Its text has no control
// characters left (text.OneLine), and begins with a word of ours: OSC 9 with a
// number first means something else.
func (n notification) sequence(osc, id string) []byte {
	for most := summaryRunes; ; most -= 10 {
		summary := text.OneLine(n.summary, most)
		var s string
		switch osc {
		case osc99:
			s = "\x1b]99;i=" + id + ":d=0;" + summary + "\x1b\\\x1b]99;i=" + id + ":d=1:p=body;" + n.body + "\x1b\\"
		case osc777: // a semicolon would end the title
			s = "\x1b]777;notify;" + strings.ReplaceAll(summary, ";", ",") + ";" + n.body + "\x1b\\"
		default:
			s = "\x1b]9;" + summary + "\x1b\\"
		}
		if len(s) <= longest || most <= 10 {
			return []byte(s)
		}
	}
}
