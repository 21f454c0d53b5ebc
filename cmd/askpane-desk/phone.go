package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge/address"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/cells"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/cmd/internal/command"
	"github.com/askpane/askpane/integrations/desk/gate"
	"github.com/askpane/askpane/integrations/desk/qr"
	"github.com/askpane/askpane/settings"
)

// pair shows a link that pairs one device, as a QR code.
func pair(c *cli.Context) error {
	a, keys, err := up(c)
	s := settings.Load("")
	for late := time.Now().Add(followLimit); err == nil && len(a.Hosts)+len(a.Notes) == 0 && (s.PageListen != "" || len(s.PageHosts) > 0) && time.Now().Before(late); a, keys, err = up(c) {
		time.Sleep(50 * time.Millisecond) // it follows what was just set
	}
	if err != nil {
		return err
	}
	if len(a.Hosts) == 0 {
		return hint.New("askpane settings set pageListen lan (your network, without TLS), or pageHosts with the name that tailscale serve "+
			fmt.Sprint(a.Port)+" gives; then try again",
			"no other machine reaches the page: it is at %s, on this machine alone", a.URL)
	}
	base := elsewhere(a)
	link, err := keys.Link(base, true, "")
	if err != nil {
		return err
	}
	if rows, err := qr.Rows(link, false); err == nil && command.ScreenOf(os.Stdout).Width >= cells.Width(rows[0]) {
		printCode(rows)
	}
	fmt.Printf("Open this on the device, within ten minutes; it works once:\n\n  %s\n\n", link)
	if strings.HasPrefix(base, "http://") {
		not := "not "
		if s.PageWithoutTLS {
			not = ""
		}
		fmt.Printf("There is no TLS: others on the network may read what you do there, and dangerous and secret questions are %sanswered from there.\n", not)
	}
	fmt.Println("The page is up as long as a device is paired. After the machine was started again it is up from your login on by askpane install desk --write, else from the next question on; the device shows a code then, for askpane phone confirm CODE.")
	fmt.Println("askpane phone list shows what is paired; askpane phone revoke ID forgets it.")
	return nil
}

// followLimit bounds how long a desk may take to follow settings that have changed.
const followLimit = 3 * time.Second

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

// elsewhere returns the address by which another machine reaches the desk: one with TLS where
// there is one.
func elsewhere(a address.Address) string {
	if i := slices.IndexFunc(a.Hosts, func(h string) bool { return strings.HasPrefix(h, "https://") }); i >= 0 {
		return a.Hosts[i]
	}
	return a.Hosts[0]
}

// printCode prints a QR code dark on light, whatever the terminal's colours.
func printCode(rows []string) {
	for _, row := range rows {
		fmt.Println("\x1b[30;107m" + row + "\x1b[m")
	}
}

// paired stands in the array of list --json.
type paired struct {
	ID     string    `json:"id"`
	Paired bool      `json:"paired"` // else it is a page on this machine
	Name   string    `json:"name"`
	From   string    `json:"from"`
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
		fmt.Printf("%s  %s: %s %s from %s, seen %s ago\n", d.ID, text.Visible(d.Name), how, d.Since.Local().Format("2006-01-02 15:04"), text.Visible(d.From), text.Age(time.Since(d.Seen)))
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
