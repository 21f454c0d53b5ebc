package relay

import (
	"errors"
	"slices"
	"strings"
	"unicode"
)

// mark titles the window, until unmark. The terminal keeps the title from before on its own
// stack (CSI 22 t), where it has one.
func (r *relay) mark(title string) (mark *string, err error) {
	title = strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return -1
		}
		return c
	}, title)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.between(); err != nil {
		return nil, err
	}
	s := setTitle(title)
	if len(r.marks) == 0 {
		s = "\x1b[22;0t" + s
	}
	r.write([]byte(s))
	r.marks = append(r.marks, &title)
	return &title, nil
}

// unmark takes a title of ours back: to that of another question which still
// waits, or else to the command's.
func (r *relay) unmark(mark *string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	inside := r.between()
	i := slices.Index(r.marks, mark)
	if i < 0 { // the command has ended, and its terminal has its own title
		return
	}
	r.marks = slices.Delete(r.marks, i, i+1)
	if inside == nil { // only the title is at stake
		r.write([]byte(r.title()))
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
