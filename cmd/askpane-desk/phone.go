package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge/address"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/integrations/desk/gate"
)

// confirm lets in a paired device that has come again after the desk was away.
func confirm(c *cli.Context) error {
	_, keys, err := up(c)
	if err == nil {
		err = keys.Confirm(c.Args().First())
	}
	if err == nil {
		fmt.Println("The device that shows this code is let in within seconds.")
	}
	return err
}

// paired stands in the array of list --json.
type paired struct {
	ID     string    `json:"id"`
	Paired bool      `json:"paired"` // else it is a page on this machine
	Name   string    `json:"name"`
	From   string    `json:"from"` // where it was last
	Since  time.Time `json:"since"`
	Seen   time.Time `json:"seen"`
}

func list(c *cli.Context) error {
	dir, err := address.Dir()
	if err != nil {
		return err
	}
	devices, err := gate.Keys(dir).Devices()
	if err != nil {
		return err
	}
	all := []paired{}
	for _, d := range devices {
		all = append(all, paired{d.ID, d.Paired(), d.Name, d.From, d.Since, d.Seen})
	}
	if c.Bool("json") {
		return json.NewEncoder(os.Stdout).Encode(all)
	}
	if len(all) == 0 {
		fmt.Fprintln(os.Stderr, "No page is open, and no device is paired; askpane phone pairs one.")
	}
	for _, d := range all {
		how := "page on this machine, opened"
		if d.Paired {
			how = "paired"
		}
		fmt.Printf("%s  %s: %s %s, last used %s ago from %s\n", d.ID, text.Visible(d.Name), how, d.Since.Local().Format("2006-01-02 15:04"), text.Age(time.Since(d.Seen)), text.Visible(d.From))
	}
	return nil
}

func revoke(c *cli.Context) error {
	dir, err := address.Dir()
	if err != nil {
		return err
	}
	d, err := gate.Keys(dir).Revoke(c.Args().First())
	if err == nil {
		fmt.Printf("%s (%s) is forgotten, and what it had open is closed.\n", text.Visible(d.Name), d.ID)
	}
	return err
}

// name calls a device as the person does.
func name(c *cli.Context) error {
	dir, err := address.Dir()
	if err != nil {
		return err
	}
	d, err := gate.Keys(dir).Call(c.Args().First(), strings.Join(c.Args().Tail(), " "))
	if err == nil {
		fmt.Printf("%s is %s from now on.\n", d.ID, text.Visible(d.Name))
	}
	return err
}
