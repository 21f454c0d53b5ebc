package main

import (
	"cmp"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/settings"
)

// mute mutes askpane as the command line says, and prints how it stands.
func mute(c *cli.Context) error {
	if c.Args().Present() {
		until, err := settings.ParseMute(c.Args().Slice(), time.Now())
		if err != nil {
			return usage("%w", err)
		}
		if err := settings.Mute(until); err != nil {
			return err
		}
	}
	return say("%s", cmp.Or(settings.SayMuted(), "not muted"))
}
