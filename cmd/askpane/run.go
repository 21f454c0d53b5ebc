package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/cmd/internal/programs"
	"github.com/askpane/askpane/integrations/run/relay"
)

func runAgent(c *cli.Context) error {
	args := c.Args().Slice()
	if len(args) == 1 && (args[0] == "--help" || args[0] == "-h") {
		return cli.ShowSubcommandHelp(c)
	}
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return usage("askpane run takes a command, for example: askpane run -- claude")
	}
	if !relay.Terminal() { // in a pipe there is nothing to draw over
		return become(args)
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find our own binary: %w", err)
	}
	code, err := relay.Run(relay.Config{Args: args, Self: self, Warn: warn, Popup: func(args []string) ([]string, error) {
		// An agent's sandbox lets it reach the socket, which must not let it out: nothing but our
		// own popup is run, and its argument, which any version has last, is looked up.
		if len(args) == 0 || !spool.ValidID(args[len(args)-1]) {
			return nil, errors.New("it runs nothing but askpane-popup ID")
		}
		shows, err := programs.ShowsForm()
		return append(shows, args[len(args)-1]), err
	}})
	return cmp.Or(err, error(exit{Code: code}))
}

// become replaces this process by the command. The exit codes are a shell's.
func become(args []string) error {
	path, err := exec.LookPath(args[0])
	if err != nil && !errors.Is(err, fs.ErrPermission) {
		return exitWith(127, err)
	}
	if err == nil {
		err = syscall.Exec(path, args, os.Environ())
	}
	return exitWith(126, err)
}
