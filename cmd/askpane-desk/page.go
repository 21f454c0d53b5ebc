package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge/address"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/cmd/internal/command"
	"github.com/askpane/askpane/integrations/desk/browser"
	"github.com/askpane/askpane/integrations/desk/gate"
	"github.com/askpane/askpane/settings"
)

// opened reports what openPage has done, to whoever shows it to the person.
type opened struct {
	Opened  bool     `json:"opened"`
	Link    string   `json:"link"`              // another one, to be opened by hand
	Why     string   `json:"why,omitempty"`     // nothing was opened
	Forward string   `json:"forward,omitempty"` // how the link is reached
	Phone   []string `json:"phone,omitempty"`   // rows of a QR code that pairs a phone
	Copy    bool     `json:"copy"`              // the link is to be copied
}

// openPage opens a question or the inbox.
func openPage(c *cli.Context) error {
	id, err := question(c)
	if err != nil {
		return err
	}
	a, keys, err := up(c)
	if err != nil {
		return err
	}
	s := settings.Load("")
	link, err := keys.Link(a.URL, false, id)
	if err != nil {
		return err
	}
	if c.Bool("link") {
		fmt.Println(link)
		return nil
	}
	done := opened{Link: link, Copy: s.CopyURLToClipboard}
	if overSSH() {
		done.Why, done.Forward = "You are here over ssh, where no browser is.", forward(a.Port)
		if len(a.Hosts) > 0 {
			if phone, err := keys.Link(elsewhere(a), true, id); err == nil {
				done.Phone, _ = codeRows(phone, c.Bool("json")) // a form draws it in the terminal's colours, which are mostly dark
			}
		}
	} else if err := show(keys, a, id); err != nil {
		done.Why = fmt.Sprintf("No browser opened: %v.", err)
	} else {
		done.Opened = true
	}
	if done.Copy {
		browser.Copy(link)
	}
	if c.Bool("json") {
		return json.NewEncoder(os.Stdout).Encode(done)
	}
	tell(done)
	return nil
}

// show opens a browser by a link of its own.
func show(keys gate.Keys, a address.Address, id string) error {
	link, err := keys.Link(a.URL, false, id)
	if err != nil {
		return err
	}
	path, err := keys.Open(link)
	if err != nil {
		return err
	}
	return browser.Open(path)
}

// tell tells the person at this terminal.
func tell(o opened) {
	out := command.ScreenOf(os.Stdout)
	if o.Opened {
		fmt.Println("The page opens in your browser. If it does not, open this link:")
	} else {
		fmt.Println(text.Visible(o.Why) + " Open this link, within ten minutes:")
	}
	fmt.Println("\n  " + clickable(out, o.Link) + "\n")
	if o.Forward != "" {
		fmt.Printf("On the machine before you, this makes it reach here:\n\n  %s\n\n", o.Forward)
	}
	if o.Phone != nil {
		fmt.Println("A phone is paired by this:")
		printCode(o.Phone)
	}
	if o.Copy && out.Width > 0 { // the terminal's own clipboard, which is the person's also over ssh
		fmt.Printf("\x1b]52;c;%s\a", base64.StdEncoding.EncodeToString([]byte(o.Link)))
	}
}

// clickable writes a link so that a terminal opens it, however it breaks its row (OSC 8).
func clickable(out command.Screen, link string) string {
	if out.Width == 0 {
		return link
	}
	return "\x1b]8;;" + link + "\x1b\\" + link + "\x1b]8;;\x1b\\"
}
