package claude

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
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

// Follow reads the transcript until the call has ended, which it returns, or ctx has. At the
// beginning of a session there may be no transcript yet. Nothing is polled or read twice where
// the system tells of changes.
func (c *Calls) Follow(ctx context.Context, path string) (End, error) {
	changed, poll, stop := changes(path)
	defer stop()
	t := transcript{path: path, lines: lines{take: c.Line}}
	for {
		if err := t.read(); err != nil {
			return End{}, err
		}
		end, again, over := c.End(time.Now())
		if over {
			return end, nil
		}
		select {
		case <-ctx.Done():
			return End{}, context.Cause(ctx)
		case <-changed:
		case <-time.After(cmp.Or(max(again, poll), time.Hour)): // once an hour where nothing is due
		}
	}
}

// changes tells of changes of a file, or after how long to look where the system cannot tell.
func changes(path string) (changed <-chan struct{}, poll time.Duration, stop func()) {
	changed, tell := watch.Merged()
	w, err := watch.Dir(filepath.Dir(path), func(name string) {
		if name == "" || name == filepath.Base(path) {
			tell()
		}
	})
	if err != nil { // the directory may not be there yet, either
		return changed, slowPoll, func() {}
	}
	return changed, 0, w.Stop
}

// transcript reads what is new of a file.
type transcript struct {
	lines
	path string
	from int64 // where that begins
}

func (t *transcript) read() error {
	f, err := os.Open(t.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return errors.Join(err, errors.New("the transcript is no file"))
	}
	if info.Size() < t.from { // it was cut, or is another by now
		t.from, t.rest = 0, nil
	}
	if t.from == 0 {
		t.from = max(0, info.Size()-tail) // and what is read first is a part of a line
	}
	n, err := io.Copy(&t.lines, io.NewSectionReader(f, t.from, math.MaxInt64-t.from))
	t.from += n
	return err
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
