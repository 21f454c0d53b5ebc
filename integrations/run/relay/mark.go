package relay

import (
	"errors"
	"slices"

	"github.com/askpane/askpane/bridge/text"
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
	title = text.OneLine(title, 200)
	r.marks = append(r.marks, &title)
	r.retitle()
	return &title, nil
}

// unmark takes a title of ours back, unless the command has ended: its terminal has its own.
func (r *relay) unmark(mark *string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	inside := r.between()
	i := slices.Index(r.marks, mark)
	if i < 0 {
		return
	}
	r.marks = slices.Delete(r.marks, i, i+1)
	if inside != nil { // only the title is at stake
		return
	}
	if r.retitle(); len(r.marks) == 0 {
		r.write([]byte(r.report()))
	}
}

// retitle gives the window the title that is due, with the lock held: that of the last form, or
// what the command waits for, or else the one from before, which the command may have changed
// meanwhile. The terminal keeps that on its own stack (CSI 22 t), where it has one.
func (r *relay) retitle() {
	title, was := "", r.titled
	if r.waits != "" {
		title = host.MarkSign + r.waits
	}
	if n := len(r.marks); n > 0 {
		title = *r.marks[n-1]
	}
	switch r.titled = title != ""; {
	case r.titled && !was:
		r.write([]byte("\x1b[22;0t"))
	case was && !r.titled:
		r.write([]byte("\x1b[23;0t"))
		title, _ = r.screen.Title()
	}
	if title != "" {
		r.write([]byte("\x1b]2;" + title + "\x1b\\"))
	}
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
	r.waits = words
	r.retitle()
}

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
