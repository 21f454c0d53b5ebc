package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"
	"rsc.io/qr"

	"github.com/askpane/askpane/bridge/address"
	"github.com/askpane/askpane/bridge/text/cells"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/cmd/internal/command"
	"github.com/askpane/askpane/cmd/internal/programs"
	"github.com/askpane/askpane/integrations/agents"
	"github.com/askpane/askpane/integrations/desk"
	"github.com/askpane/askpane/integrations/desk/gate"
	"github.com/askpane/askpane/settings"
)

// pair shows a link that pairs one device, as a QR code, and sees to a desk that the device
// finds whenever it looks.
func pair(c *cli.Context) error {
	a, keys, err := reached(c)
	if err != nil {
		return err
	}
	if len(a.Hosts) == 0 {
		return unreached(a)
	}
	if err := haveStay(c, a, string(keys)); err != nil {
		return err
	}
	base := elsewhere(a)
	link, err := keys.Link(base, true, "")
	if err != nil {
		return err
	}
	if rows, err := codeRows(link, false); err == nil && command.ScreenOf(os.Stdout).Width >= cells.Width(rows[0]) {
		printCode(rows)
	}
	fmt.Printf("Open this on the device, within ten minutes; it works once:\n\n  %s\n\n", clickable(command.ScreenOf(os.Stdout), link))
	if strings.HasPrefix(base, "http://") {
		not := "not "
		if settings.Load("").PageWithoutTLS {
			not = ""
		}
		fmt.Printf("There is no TLS: others on the network may read what you do there, and dangerous and secret questions are %sanswered from there. With TLS: %s.\n", not, byTailscale(a))
	}
	fmt.Println("askpane phone list shows what is paired; askpane phone revoke ID forgets it.")
	return nil
}

// followLimit bounds how long a desk may take to follow settings that have changed, or to be up
// as a service.
const followLimit = 3 * time.Second

// reached returns the desk, when it has followed what was just set.
func reached(c *cli.Context) (a address.Address, keys gate.Keys, err error) {
	s := settings.Load("")
	for late := time.Now().Add(followLimit); ; time.Sleep(50 * time.Millisecond) { // nothing tells of it
		a, keys, err = up(c)
		if err != nil || len(a.Hosts) > 0 || s.PageListen == "" && len(s.PageHosts) == 0 || time.Now().After(late) {
			return a, keys, err
		}
	}
}

// unreached says what has to be done so that another machine reaches the page.
func unreached(a address.Address) error {
	here := "your network, without TLS"
	if own := desk.Addresses(); len(own) > 0 {
		here += fmt.Sprintf(", at %s", own[0])
	}
	why := ""
	if len(a.Notes) > 0 {
		why = " (" + strings.Join(a.Notes, "; ") + ")"
	}
	return hint.New(fmt.Sprintf("askpane settings set pageListen lan (%s), or with TLS %s; then askpane phone again", here, byTailscale(a)),
		"no other machine reaches the page: it is at %s, on this machine alone%s", a.URL, why)
}

// byTailscale says how the page is reached with TLS.
func byTailscale(a address.Address) string {
	return fmt.Sprintf("tailscale serve %d, and askpane settings set pageHosts with the name that it gives", a.Port)
}

// haveStay has a desk up that stays, as a service, if the person wants that. It asks once, and
// not again who has said no.
func haveStay(c *cli.Context, a address.Address, dir string) error {
	service := agents.Services()[slices.IndexFunc(agents.Services(), func(s agents.Agent) bool { return s.Name == "desk" })]
	refused := filepath.Join(dir, "no-service")
	_, none := os.Lstat(refused)
	switch {
	case a.Stay:
		return nil
	case c.Bool("yes"):
		return installService(service)
	case none == nil || !term.IsTerminal(int(os.Stdin.Fd())) || !term.IsTerminal(int(os.Stdout.Fd())):
		fmt.Printf("The page is up as long as a device is paired. After this machine was started again it is up from the next question on, and the device shows a code, for askpane phone confirm CODE. To have it up from your login on: askpane install desk --write && %s\n\n", service.Starts)
		return nil
	}
	fmt.Print("Have the page up from your login on, so that the device always finds it? That installs the service askpane-desk. [Y/n] ")
	said, err := bufio.NewReader(os.Stdin).ReadString('\n')
	switch {
	case err != nil:
		return programs.With(programs.Cancelled, errors.New("nothing was installed, and no device is paired"))
	case strings.HasPrefix(strings.ToLower(strings.TrimSpace(said)), "n"):
		return os.WriteFile(refused, nil, 0o600)
	}
	return installService(service)
}

// installService installs the desk as a service and starts it. It warns where that cannot be
// started, since the desk that is up serves the device too.
func installService(service agents.Agent) error {
	install, err := programs.Askpane.Cmd("install", service.Name, "--write")
	if err == nil {
		install.Stderr = os.Stderr
		err = install.Run()
	}
	if err != nil {
		return fmt.Errorf("install the desk as a service: %w", err)
	}
	if out, err := exec.Command("sh", "-c", service.Starts).CombinedOutput(); err != nil {
		programs.Warn(fmt.Errorf("the service is installed, and could not be started by %s: %w %s", service.Starts, err, strings.TrimSpace(string(out))))
		return nil
	}
	for late := time.Now().Add(followLimit); time.Now().Before(late); time.Sleep(50 * time.Millisecond) { // nothing tells of it
		if now, is := address.Up(); is && now.Stay && len(now.Hosts) > 0 {
			fmt.Printf("The page is up from your login on. To undo: askpane uninstall %s\n\n", service.Name)
			return nil
		}
	}
	programs.Warn(fmt.Errorf("the service was started by %s, and is not up yet; askpane doctor says how it stands", service.Starts))
	return nil
}

// elsewhere returns the address by which another machine reaches the desk: one with TLS where
// there is one.
func elsewhere(a address.Address) string {
	if i := slices.IndexFunc(a.Hosts, func(h string) bool { return strings.HasPrefix(h, "https://") }); i >= 0 {
		return a.Hosts[i]
	}
	return a.Hosts[0]
}

// A QR code needs quiet light squares around it.
const quiet = 2

// codeRows draws a QR code for text in a terminal's cells, two of its squares in each, to be shown
// dark on light; inverted, light on dark.
func codeRows(text string, inverted bool) ([]string, error) {
	code, err := qr.Encode(text, qr.L)
	if err != nil {
		return nil, err
	}
	var rows []string
	for y := -quiet; y < code.Size+quiet; y += 2 {
		var b strings.Builder
		for x := -quiet; x < code.Size+quiet; x++ {
			b.WriteString(halves[code.Black(x, y) != inverted][code.Black(x, y+1) != inverted])
		}
		rows = append(rows, b.String())
	}
	return rows, nil
}

// halves maps two squares, the upper one first, to their sign.
var halves = map[bool]map[bool]string{false: {false: " ", true: "▄"}, true: {false: "▀", true: "█"}}

// printCode prints a QR code dark on light, whatever the terminal's colours.
func printCode(rows []string) {
	for _, row := range rows {
		fmt.Println("\x1b[30;107m" + row + "\x1b[m")
	}
}
