// Command askpane-popup shows the form of one question on its terminal. Hosts run it for
// every question, so it is a program of its own, which starts soon.
package main

import (
	"os"

	"github.com/askpane/askpane/cmd/internal/popups"
	"github.com/askpane/askpane/cmd/internal/programs"
)

func main() { os.Exit(programs.ExitCode(popups.Main(os.Args[1:]))) }
