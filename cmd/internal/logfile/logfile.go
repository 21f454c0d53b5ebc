// Package logfile is askpane.log: JSON lines of what happened beside the questions.
package logfile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/askpane/askpane/bridge/spool"
)

// logLimit is the size in bytes from which on the log is begun anew; the one
// before is kept as askpane.log.1.
const logLimit = 1 << 20

// Path is askpane.log, beside the spool where that is in its usual place.
func Path() (string, error) {
	dir, err := spool.StateDir()
	if err != nil {
		return "", fmt.Errorf("find the log: %w", err)
	}
	return filepath.Join(dir, "askpane.log"), nil
}

// New is the log: JSON lines, of the setting logLevel and above. It opens its
// file at the first of them. What cannot be written is lost: a log is no reason
// to fail.
func New(name string) func() *slog.Logger {
	return sync.OnceValue(func() *slog.Logger {
		level, on := logLevel(name)
		path, err := Path()
		if !on || err != nil {
			return slog.New(slog.DiscardHandler)
		}
		return newLog(&logFile{path: path, limit: logLimit}, level)
	})
}

func newLog(w io.Writer, level slog.Level) *slog.Logger {
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level})).With("pid", os.Getpid())
}

// logLevel is the level by its name in the settings; warn where it is unknown.
func logLevel(name string) (level slog.Level, on bool) {
	switch name {
	case "off":
		return 0, false
	case "error":
		return slog.LevelError, true
	case "info":
		return slog.LevelInfo, true
	case "debug":
		return slog.LevelDebug, true
	}
	return slog.LevelWarn, true
}

// logFile appends to a file that several processes append to. Each Write must be
// a whole line: O_APPEND keeps one write in one piece.
type logFile struct {
	path  string
	limit int64
	mu    sync.Mutex
	f     *os.File
}

func (l *logFile) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.current(); err != nil {
		return 0, err
	}
	return l.f.Write(line)
}

// current opens the file, unless it is open, still under its name and small
// enough. Other processes may move it at any time; a line that goes to the one
// before, or into one that is a little too large, is no loss.
func (l *logFile) current() error {
	for range 3 {
		if l.f == nil {
			if err := l.open(); err != nil {
				return err
			}
		}
		if l.moved() { // another process has begun a new one
			l.close()
			continue
		}
		if mine, err := l.f.Stat(); err != nil || mine.Size() < l.limit {
			return err
		}
		if unix.Flock(int(l.f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
			return nil // another process is about to move it
		}
		// Of several that want to move it the first to get the lock does, and the
		// others find another file under its name.
		var err error
		if !l.moved() {
			err = os.Rename(l.path, l.path+".1")
		}
		l.close() // and with it the lock
		if err != nil {
			return err
		}
	}
	if l.f == nil {
		return l.open()
	}
	return nil
}

// moved reports whether the open file is not the one under the name any more.
func (l *logFile) moved() bool {
	mine, err := l.f.Stat()
	if err != nil {
		return true
	}
	there, err := os.Lstat(l.path)
	return err != nil || !os.SameFile(mine, there)
}

func (l *logFile) close() {
	l.f.Close() // nothing of it is buffered
	l.f = nil
}

func (l *logFile) open() error {
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(l.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", l.path)
	}
	if err != nil {
		f.Close()
		return err
	}
	l.f = f
	return nil
}

// Failure is what the log says of an alert that failed.
type Failure struct {
	Alert string    `json:"alert"`
	Error string    `json:"error"`
	At    time.Time `json:"time"`
}

// LastFailures finds, for each alert, its last failure in the log.
func LastFailures(path string) (map[string]Failure, error) {
	last := map[string]Failure{}
	for _, name := range []string{path + ".1", path} { // the older one first
		f, err := os.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return last, err
		}
		err = eachFailure(io.LimitReader(f, 4*logLimit), func(one Failure) { last[one.Alert] = one })
		f.Close()
		if err != nil {
			return last, fmt.Errorf("read %s: %w", name, err)
		}
	}
	return last, nil
}

func eachFailure(r io.Reader, found func(Failure)) error {
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if bytes.Contains(line, []byte(`"alert":`)) {
			var one Failure
			if json.Unmarshal(line, &one) == nil && one.Alert != "" { // not a line that a crash has cut
				found(one)
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
