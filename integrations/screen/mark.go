package screen

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/integrations/tty"
)

// mostTitle is how long a title may be, in bytes, before escapes; see Open.
const mostTitle = 300

// markSign is host.MarkSign in ASCII: of other signs screen drops the bytes from
// 0x80 to 0x9f in a title, and what is left is another sign.
const markSign = "[!] "

// ascii is text with a ? for every sign that is none.
func ascii(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, text)
}

// Mark sets the asking window's title, and restore puts the old one back. A
// title that is not ours any more by then is the program's or the person's new
// one, or another question's, and stays.
func (s *session) Mark(ctx context.Context, title string) (func(context.Context) error, error) {
	if title == "" {
		return func(context.Context) error { return nil }, nil
	}
	if s.window == "" {
		return nil, errors.New("screen: the asking window is not known")
	}
	before, err := s.title(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.setTitle(ctx, markSign+cut(ascii(title), mostTitle)); err != nil {
		return nil, err
	}
	marked, err := s.title(ctx) // as screen has it
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) error {
		if now, err := s.title(ctx); err != nil || now != marked {
			return err
		}
		return s.setTitle(ctx, before)
	}, nil
}

// title asks for the asking window's title. screen takes one question at a time,
// whoever asks, and refuses a second one.
func (s *session) title(ctx context.Context) (string, error) {
	for tries := 1; ; tries++ {
		out, err := s.run(ctx, "-S", s.name, "-p", s.window, "-Q", "title")
		if err == nil || tries == mostTries || !strings.Contains(err.Error(), "-query") {
			return out, err
		}
		select {
		case <-time.After(time.Duration(tries) * 20 * time.Millisecond):
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

// mostTries is how often title asks: for a second in all.
const mostTries = 10

func (s *session) setTitle(ctx context.Context, title string) error {
	_, err := s.run(ctx, "-S", s.name, "-p", s.window, "-X", "title", literal(title))
	return err
}

// literal keeps text from being expanded in a command: $NAME is a variable, ^x
// a control character and \ escapes them.
func literal(text string) string {
	return strings.NewReplacer(`\`, `\\`, `$`, `\$`, `^`, `\^`).Replace(text)
}

// cut is at most n bytes of text in ASCII.
func cut(text string, n int) string { return text[:min(n, len(text))] }

// Ring writes BEL to the asking window's terminal: screen rings the display, or
// shows a message there if the window is in the background.
func (s *session) Ring(context.Context) error {
	path, err := tty.Own()
	if err == nil {
		err = tty.Ring(path)
	}
	if err != nil {
		return fmt.Errorf("screen: ring the bell: %w", err)
	}
	return nil
}

// Terminal is not known: screen swallows notifications, and does not say which
// terminal its display is on.
func (s *session) Terminal(context.Context) (host.Terminal, error) {
	return host.Terminal{}, errors.New("GNU screen does not say which terminal it is shown on")
}
