// Package logfile is askpane.log: JSON lines of what happened beside the questions.
package logfile

import (
	"bufio"
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
	if err := l.ready(); err != nil {
		return 0, err
	}
	return l.f.Write(line)
}

// ready opens the file, unless it is open and small enough. Another process may
// have moved it since: a line that goes to the one before is no loss.
func (l *logFile) ready() error {
	if l.f != nil {
		if info, err := l.f.Stat(); err != nil || info.Size() < l.limit {
			return err
		}
		l.f.Close()
		l.f = nil
	}
	f, err := l.open()
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil && info.Size() >= l.limit {
		f, err = l.begin(f)
	}
	l.f = f
	return err
}

// begin moves f, which is full, out of the way, and opens a new file. Of several
// processes that would do so the first to get the lock does.
func (l *logFile) begin(f *os.File) (*os.File, error) {
	defer f.Close() // and with it the lock
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		return nil, err
	}
	full, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if there, err := os.Lstat(l.path); err == nil && os.SameFile(full, there) {
		if err := os.Rename(l.path, l.path+".1"); err != nil {
			return nil, err
		}
	}
	return l.open()
}

func (l *logFile) open() (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(l.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", l.path)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
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
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 4*logLimit)
	for lines.Scan() {
		var one Failure
		if json.Unmarshal(lines.Bytes(), &one) == nil && one.Alert != "" { // not a line that a crash has cut
			found(one)
		}
	}
	return lines.Err()
}
