package logfile

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
)

// Checks is what askpane doctor says of the log.
func Checks() []hint.Check {
	check := hint.Check{Section: "files", Name: "log", State: hint.Warn}
	path, err := Path()
	if err != nil {
		check.Detail = err.Error()
		return []hint.Check{check}
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		check.State, check.Detail = hint.OK, path+" is not there: nothing has been logged"
	case err != nil:
		check.Detail = err.Error()
	case !info.Mode().IsRegular() || unix.Access(path, unix.W_OK) != nil:
		check.Detail, check.Fix = path+" cannot be written to", "rm "+hint.Word(path)
	default:
		check.State, check.Detail = hint.OK, fmt.Sprintf("%s, %d bytes", path, info.Size())
	}
	return []hint.Check{check}
}

// recent is how long an alert's failure is held against it. Nobody notes that
// it has worked since.
const recent = 24 * time.Hour

// WithFailures adds to each alert's check when and how it failed last.
func WithFailures(alerts []hint.Check) []hint.Check {
	path, err := Path()
	if err != nil {
		return alerts
	}
	last, err := LastFailures(path)
	if err != nil {
		alerts = append(alerts, hint.Check{Section: "alerts", Name: "log", State: hint.Warn, Detail: err.Error()})
	}
	for i := range alerts {
		check := &alerts[i]
		failure, failed := last[check.Name]
		if !failed || check.State == hint.Off {
			continue
		}
		ago := max(0, time.Since(failure.At))
		check.Detail += fmt.Sprintf("; last failed %s ago: %s", text.Age(ago), failure.Error)
		if check.State == hint.OK && ago < recent {
			check.State, check.Fix = hint.Warn, cmp.Or(check.Fix, "askpane doctor --try, to see whether it still does")
		}
	}
	return alerts
}
