package relay

import (
	"errors"
	"slices"
	"strings"
	"unicode"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/run"
	"github.com/askpane/askpane/integrations/tty"
)

// mark titles the window and reports that a form waits, until unmark.
func (r *relay) mark(title string) (mark *string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.between(); err != nil {
		return nil, err
	}
	r.write([]byte(tty.Blocked))
	r.forms++
	return r.put(title), nil
}

// put titles the window, with the lock held. The terminal keeps the title from before on its
// own stack (CSI 22 t), where it has one.
func (r *relay) put(title string) (mark *string) {
	title = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return -1
		}
		return c
	}, title)
	s := setTitle(title)
	if len(r.marks) == 0 {
		s = "\x1b[22;0t" + s
	}
	r.write([]byte(s))
	r.marks = append(r.marks, &title)
	return &title
}

// unmark takes a title of ours back: to that of another question which still
// waits, or else to the command's.
func (r *relay) unmark(mark *string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	inside := r.between()
	if r.forms--; r.take(mark, inside == nil) && inside == nil && r.forms == 0 {
		r.write([]byte(r.report()))
	}
}

// take takes a title back, with the lock held. It reports whether that was there still: once
// the command has ended, its terminal has its own.
func (r *relay) take(mark *string, write bool) bool {
	i := slices.Index(r.marks, mark)
	if i < 0 {
		return false
	}
	r.marks = slices.Delete(r.marks, i, i+1)
	if write { // else only the title is at stake
		r.write([]byte(r.title()))
	}
	return true
}

// report says how the command stands, as it has reported itself.
func (r *relay) report() string {
	if status := r.screen.Status(); status != "" {
		return "\x1b]7501;" + status + "\x1b\\"
	}
	return tty.Clear
}

// follow reads what the command reports, with the lock held: a title says that it waits for
// its person.
func (r *relay) follow() {
	words := run.Waits(r.screen.Status())
	if words == r.waits || (r.box == nil || r.box.cover == nil) && !r.screen.Ground() {
		return // or with the next output
	}
	if r.waits != "" {
		r.take(r.waitMark, true)
	}
	if r.waits = words; words != "" {
		r.waitMark = r.put(host.MarkSign + words)
	}
}

// title gives the window the title that is due: ours, or the one from before, which the
// command may have changed meanwhile.
func (r *relay) title() string {
	if n := len(r.marks); n > 0 {
		return setTitle(*r.marks[n-1])
	}
	s := "\x1b[23;0t"
	if title, ok := r.screen.Title(); ok {
		s += setTitle(title)
	}
	return s
}

func setTitle(title string) string { return "\x1b]2;" + title + "\x1b\\" }

// writeBetween writes something to the terminal that draws nothing.
func (r *relay) writeBetween(s string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	err := r.between()
	if err == nil {
		r.write([]byte(s))
	}
	return err
}

// between waits, with the lock held but for the wait itself, until something of ours
// can be written between two sequences of the command's.
func (r *relay) between() error {
	if (r.box == nil || r.box.cover == nil) && !r.atGround() {
		return errors.New("the command has stopped in the middle of what it writes")
	}
	return nil
}
