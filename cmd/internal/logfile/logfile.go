// Package logfile writes and reads askpane.log: JSON lines of what happened beside the
// questions.
package logfile

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/settings/private"
)

// New opens the log for lines of the setting logLevel and above. What cannot be written is
// lost: a log is no reason to fail.
func New(level string) *slog.Logger {
	path, err := path()
	if level == "off" || err != nil {
		return slog.New(slog.DiscardHandler)
	}
	return newLog(file(path), level)
}

func newLog(w io.Writer, level string) *slog.Logger {
	var least slog.Level
	if err := least.UnmarshalText([]byte(level)); err != nil {
		least = slog.LevelWarn
	}
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: least})).With("pid", os.Getpid())
}

// path leads to askpane.log, beside the spool where that is in its usual place.
func path() (string, error) { return spool.StateDir("askpane.log") }

// From limit bytes on the log is begun anew; the one before is kept as askpane.log.1.
const limit = 1 << 20

// file is opened for each line: there are few, and other processes write to it
// and begin it anew. O_APPEND keeps a line in one piece.
type file string

func (path file) Write(line []byte) (int, error) {
	name := string(path)
	if info, err := os.Lstat(name); err == nil && info.Size() >= limit && info.Mode().IsRegular() {
		_ = os.Rename(name, name+".1")
	}
	_ = os.MkdirAll(filepath.Dir(name), 0o700) // where it cannot be made, no file can be opened
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return 0, err
	}
	n, err := f.Write(line)
	return n, cmp.Or(err, f.Close())
}

// Checks tells askpane doctor of the log.
func Checks() []hint.Check {
	path, err := path()
	check := hint.Check{Section: "files", Name: "log", State: hint.OK, Detail: path}
	if err == nil {
		_, err = private.Bytes(path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		check.Detail += " is not there: nothing has been logged"
	case err != nil:
		check = hint.Wrong(check.Section, check.Name, hint.Warn, err)
	}
	return []hint.Check{check}
}

// An alert's failure is held against it while it is recent. Nobody notes that it has worked
// since.
const recent = 24 * time.Hour

// WithFailures adds to each alert's check when and how it failed last. fix is what to do
// then, where the check has nothing better.
func WithFailures(alerts []hint.Check, fix string) []hint.Check {
	path, err := path()
	if err != nil {
		return alerts // Checks says it
	}
	last := lastFailures(path)
	for i := range alerts {
		check := &alerts[i]
		failed, ok := last[check.Name]
		if !ok || check.State == hint.Off {
			continue
		}
		ago := max(0, time.Since(failed.At))
		check.Detail += fmt.Sprintf("; last failed %s ago: %s", text.Age(ago), failed.Error)
		if check.State == hint.OK && ago < recent {
			check.State, check.Fix = hint.Warn, cmp.Or(check.Fix, fix)
		}
	}
	return alerts
}

// failure is logged of an alert.
type failure struct {
	Alert string    `json:"alert"`
	Error string    `json:"error"`
	At    time.Time `json:"time"`
}

// lastFailures finds, for each alert, its last failure in the log.
func lastFailures(path string) map[string]failure {
	last := map[string]failure{}
	for _, name := range []string{path + ".1", path} { // the older one first
		data, _ := private.Bytes(name)
		for line := range bytes.Lines(data) {
			var one failure
			if json.Unmarshal(line, &one) == nil && one.Alert != "" { // not one that a crash has cut
				last[one.Alert] = one
			}
		}
	}
	return last
}
