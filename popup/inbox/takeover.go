package inbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// endLimit is how long a popup that was ended may take to close.
const endLimit = 3 * time.Second

// takeOver ends the popup that shows r, and opens its form here.
func (v *view) takeOver(r *row) string {
	e, err := v.Spool.Open(r.id)
	if err != nil {
		return err.Error()
	}
	gone := e.PopupGone()
	e.Close()
	if err := endPopup(r.status.PID); err != nil {
		return "It cannot be taken over: " + err.Error()
	}
	select {
	case <-gone:
	case <-time.After(endLimit):
		return "The other popup does not close."
	}
	return v.answer(r, "It was opened again elsewhere before it could be opened here.")
}

// endPopup ends the process that shows a form as a closing popup does; it saves
// what was typed. The number is from the spool: it is believed only if the
// process is askpane.
func endPopup(pid int) error {
	if runtime.GOOS != "linux" {
		return errors.New("this system does not say what process that is; close it there")
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find our own binary: %w", err)
	}
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil || pid <= 1 || pid == os.Getpid() {
		return errors.New("its process is not on this machine or not yours; close it there")
	}
	exe = strings.TrimSuffix(exe, " (deleted)") // replaced by a newer one since
	if filepath.Base(exe) != filepath.Base(self) {
		return fmt.Errorf("process %d is not askpane; close it there", pid)
	}
	return syscall.Kill(pid, syscall.SIGTERM)
}
