package claude

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/askpane/askpane/bridge/watch"
)

const (
	// tail is read of a transcript that is there already, in bytes: a hook's call is at its end,
	// and a request is no larger (dialect.MaxBytes).
	tail = 4 << 20
	// slowPoll passes between looks where the system cannot tell of changes.
	slowPoll = time.Second
)

// Follow reads the transcript until the call has ended, which it returns, or ctx has. It neither
// polls nor reads anything twice where the system tells of changes.
func (c *Calls) Follow(ctx context.Context, path string) (End, error) {
	f, err := os.Open(path)
	if err != nil {
		return End{}, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return End{}, errors.Join(err, errors.New("the transcript is no file"))
	} else if info.Size() > tail {
		_, _ = f.Seek(-tail, io.SeekEnd) // and what is read first is a part of a line
	}
	changed, tell := watch.Merged()
	poll := time.Duration(0)
	if w, err := watch.Dir(filepath.Dir(path), func(name string) {
		if name == "" || name == filepath.Base(path) {
			tell()
		}
	}); err == nil {
		defer w.Stop()
	} else {
		poll = slowPoll
	}
	rest := &lines{take: c.Line}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		if _, err := io.Copy(rest, f); err != nil {
			return End{}, err
		}
		end, again, over := c.End(time.Now())
		if over {
			return end, nil
		}
		timer.Stop()
		if again = max(again, poll); again > 0 {
			timer.Reset(again)
		}
		select {
		case <-ctx.Done():
			return End{}, context.Cause(ctx)
		case <-changed:
		case <-timer.C:
		}
	}
}

// lines hands over each whole line of what is written to it.
type lines struct {
	take func([]byte)
	rest []byte
}

func (l *lines) Write(data []byte) (int, error) {
	l.rest = append(l.rest, data...)
	for {
		line, after, whole := bytes.Cut(l.rest, []byte("\n"))
		if !whole {
			return len(data), nil
		}
		l.take(line)
		l.rest = after
	}
}
