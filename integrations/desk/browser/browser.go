// Package browser opens the person's browser, and copies to their clipboard, by what
// their system has for that. What is opened is a file and what is copied comes on standard
// input: a command line can be read by everybody on the machine.
package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/askpane/askpane/bridge/text/hint"
)

// openLimit bounds the wait for an opener to say that it cannot. One that takes longer may
// have become the browser.
const openLimit = 3 * time.Second

// Open has the person's browser show a file.
func Open(path string) error {
	program, err := opener()
	if err != nil {
		return err
	}
	cmd := exec.Command(program, path)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // it outlives us
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		if err != nil {
			return fmt.Errorf("%s: %w", program, err)
		}
	case <-time.After(openLimit):
	}
	return nil
}

// errNoDesktop says that there is nothing to open a browser on.
var errNoDesktop = errors.New("there is no desktop here")

// Checks tells askpane doctor how a browser opens.
func Checks() []hint.Check {
	check := hint.Check{Section: "browser", Name: "browser", State: hint.OK}
	program, err := opener()
	switch {
	case err == nil:
		check.Detail = "opens by " + program
	case errors.Is(err, errNoDesktop):
		check.State, check.Detail = hint.Off, err.Error()+"; askpane page prints a link"
	default:
		check.State, check.Detail, check.Fix = hint.Warn, err.Error()+"; askpane page prints a link", "install what opens a browser, as xdg-utils does"
	}
	return []hint.Check{check}
}

// copyLimit bounds the time that a copier may take.
const copyLimit = 2 * time.Second

// Copy puts text into the clipboard of the desktop, if there is one.
func Copy(text string) {
	for _, c := range copiers() {
		ctx, cancel := context.WithTimeout(context.Background(), copyLimit)
		cmd := exec.CommandContext(ctx, c[0], c[1:]...)
		cmd.Stdin = strings.NewReader(text)
		err := cmd.Run()
		cancel()
		if err == nil {
			return
		}
	}
}

// opener finds the program that opens a browser here.
func opener() (string, error) {
	switch {
	case runtime.GOOS == "darwin":
		return exec.LookPath("open")
	case os.Getenv("WSL_DISTRO_NAME") != "":
		return exec.LookPath("wslview")
	case os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" && os.Getenv("BROWSER") == "":
		return "", errNoDesktop
	}
	return exec.LookPath("xdg-open")
}

// copiers returns the commands that copy to the clipboard, the first that succeeds being enough.
func copiers() [][]string {
	switch {
	case runtime.GOOS == "darwin":
		return [][]string{{"pbcopy"}}
	case os.Getenv("WSL_DISTRO_NAME") != "":
		return [][]string{{"clip.exe"}}
	case os.Getenv("WAYLAND_DISPLAY") != "":
		return [][]string{{"wl-copy"}}
	case os.Getenv("DISPLAY") != "":
		return [][]string{{"xclip", "-selection", "clipboard"}, {"xsel", "--clipboard", "--input"}}
	}
	return nil
}
