//go:build !darwin

package browser

import (
	"os"
	"os/exec"
)

// opener finds the program that opens a browser here.
func opener() (string, error) {
	switch {
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
	case os.Getenv("WSL_DISTRO_NAME") != "":
		return [][]string{{"clip.exe"}}
	case os.Getenv("WAYLAND_DISPLAY") != "":
		return [][]string{{"wl-copy"}}
	case os.Getenv("DISPLAY") != "":
		return [][]string{{"xclip", "-selection", "clipboard"}, {"xsel", "--clipboard", "--input"}}
	}
	return nil
}
