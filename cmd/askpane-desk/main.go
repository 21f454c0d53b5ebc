// Command askpane-desk serves askpane's pages to the person's browser and phone, opens
// them, pairs devices, and posts questions in a chat. askpane desk, page, phone and chat
// become it.
//
// Only what was asked for is on standard output. A link, which has a token in it, goes to
// the terminal and to files of the person's alone, never onto a command line.
package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge/address"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/cmd/internal/asker"
	"github.com/askpane/askpane/cmd/internal/command"
	"github.com/askpane/askpane/cmd/internal/programs"
	"github.com/askpane/askpane/integrations/chat/account"
	"github.com/askpane/askpane/integrations/desk"
	"github.com/askpane/askpane/integrations/desk/gate"
	"github.com/askpane/askpane/settings"
)

func main() {
	if err := programs.Desk.Started(); err != nil {
		os.Exit(programs.ExitCode(err))
	}
	os.Exit(command.Run(&cli.App{
		Name: programs.Desk.Name, Usage: programs.Desk.Usage, Version: programs.Version(),
		Commands: []*cli.Command{
			{
				Name: "desk", Usage: "serve the pages, until nothing waits and nobody looks", UsageText: programs.Desk.Commands[0].Examples, Action: serve,
				Flags: []cli.Flag{&cli.BoolFlag{Name: "stay", Usage: "serve until it is told to end"}},
			},
			{Name: "start", Usage: "have a desk up, which is what a bridge runs", Hidden: true, Action: func(c *cli.Context) error { _, _, err := up(c); return err }},
			{
				Name: "push", Usage: "tell the person's phone of a question, which is what an alert runs", Hidden: true, Action: pushQuestion,
				Flags: []cli.Flag{&cli.BoolFlag{Name: "check", Usage: "say where to, and send nothing"}},
			},
			{Name: "peek", Usage: "print what is on the pane of another machine's question, for forms", ArgsUsage: "ID", Hidden: true, Action: peek},
			{
				Name: "page", Usage: "open a question, or the inbox, in the browser", ArgsUsage: "[ID]", UsageText: programs.Desk.Commands[1].Examples, Action: openPage,
				Description: "askpane list shows the IDs",
				Flags: []cli.Flag{
					&cli.BoolFlag{Name: "link", Usage: "print a link and open nothing; it opens one page within ten minutes"},
					&cli.BoolFlag{Name: "json", Usage: "print what was done as an object", Hidden: true}, // for forms
				},
			},
			{
				Name: "chat", Usage: "show whether questions can be answered in the chat, and by whom", UsageText: programs.Desk.Commands[3].Examples, Action: chatState,
				Flags: []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print an array of objects"}},
				Subcommands: []*cli.Command{
					{Name: "setup", Usage: "have questions posted by a bot of yours: " + account.Names(" or "), ArgsUsage: "SERVICE", Action: untilTold(setUp), Description: "there are " + account.Names(" and "), Flags: []cli.Flag{
						&cli.StringFlag{Name: "token-file", Usage: "read the bot's token from `FILE`, not from the terminal or standard input"},
						&cli.StringFlag{Name: "channel", Usage: "post in the channel with the id `ID`"},
					}},
					{Name: "allow", Usage: "let one more person answer there, by a code", Action: untilTold(changed(allow))},
					{Name: "revoke", Usage: "take somebody off the list of those who may answer there", ArgsUsage: "ID", Action: untilTold(changed(disallow)), Description: "askpane chat shows the IDs"},
					{Name: "off", Usage: "close what is posted, and forget the token", Action: untilTold(changed(off))},
				},
			},
			{
				Name: "phone", Usage: "pair a phone by a QR code", UsageText: programs.Desk.Commands[2].Examples, Action: pair,
				Flags: []cli.Flag{&cli.BoolFlag{Name: "yes", Usage: "have the desk up from your login on, as a service, and do not ask"}},
				Subcommands: []*cli.Command{
					{Name: "list", Usage: "list the paired devices, and the pages on this machine", Action: list, Flags: []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print an array of objects"}}},
					{Name: "confirm", Usage: "let a paired device in again after the desk was away", ArgsUsage: "CODE", Action: confirm, Description: "the device shows the code"},
					{Name: "name", Usage: "call a device by a name of yours", ArgsUsage: "ID NAME…", Action: name, Description: "askpane phone list shows the IDs"},
					{Name: "revoke", Usage: "forget a device or a page; what it has open closes", ArgsUsage: "ID", Action: revoke, Description: "askpane phone list shows the IDs"},
				},
			},
		},
	}, os.Args))
}

// serve runs the desk itself.
func serve(c *cli.Context) error {
	ctx, stop := programs.UntilTold()
	defer stop()
	sp, err := asker.OpenSpool()
	if err != nil {
		return err
	}
	defer sp.Close()
	shown := command.ScreenOf(os.Stdout).Width > 0
	live := settings.Follow("")
	_ = os.Unsetenv("ASKPANE_CHAT_WHEN") // of the agent that has started it, and its questions say so themselves
	chat := newChatServer(sp, live)
	hub := linked{spool: sp, live: live, chat: chat}
	var once sync.Once
	var beside sync.WaitGroup
	defer beside.Wait()
	defer stop()
	err = desk.Serve(ctx, desk.Config{
		Version: programs.Version(), Spool: sp, Settings: live,
		Stay: c.Bool("stay"), Grace: desk.Grace, Preview: programs.Preview.Cmd, Busy: func() bool { return hub.busy() || chat.unclosed.Load() > 0 },
		Ready: func(a address.Address) {
			chat.at.Store(&a)
			once.Do(func() {
				beside.Go(func() { hub.serve(ctx) })
				beside.Go(func() { chat.serve(ctx) })
			})
			if shown {
				fmt.Printf("The desk is up at %s; askpane page opens it.\n", a.URL)
			}
			for _, n := range a.Notes {
				programs.Warn(errors.New(n))
			}
			if !shown { // whoever started it may go on
				os.Stdout.Close()
			}
		},
	})
	if errors.Is(err, address.ErrUp) {
		if shown {
			fmt.Println("The desk is up already; askpane page opens it.")
		}
		return nil
	}
	return err
}

// up returns the desk that shows our questions, and starts it where there is none.
func up(c *cli.Context) (a address.Address, keys gate.Keys, err error) {
	dir, err := spool.Dir()
	if err != nil {
		return a, keys, err
	}
	a, err = desk.Start(c.Context, programs.Version(), func() (*exec.Cmd, error) {
		self, err := os.Executable()
		return exec.Command(self, "desk"), err
	})
	if err == nil && a.Spool != dir {
		err = fmt.Errorf("the desk that is up shows the questions in %s, and yours are in %s; end it by kill %d", a.Spool, dir, a.PID)
	}
	if err != nil {
		return a, keys, err
	}
	at, err := address.Dir()
	return a, gate.Keys(at), err
}

// question returns the id of the question that a command is about; it is empty for the inbox.
func question(c *cli.Context) (string, error) {
	given := strings.ToUpper(c.Args().First())
	if given == "" || spool.ValidID(given) {
		return given, nil
	}
	sp, err := asker.OpenSpool()
	if err != nil {
		return "", err
	}
	defer sp.Close()
	waiting, answered, err := sp.Scan()
	var found []string
	for _, id := range append(waiting, answered...) {
		if strings.HasPrefix(id, given) {
			found = append(found, id)
		}
	}
	if len(found) != 1 {
		return "", errors.Join(programs.Usage("%d waiting questions have an id that begins with %q; askpane list shows them", len(found), given), err)
	}
	return found[0], nil
}

// overSSH reports whether the person sits at another machine.
func overSSH() bool {
	return os.Getenv("SSH_CONNECTION") != "" && os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == ""
}

// forward returns the command by which the person's own machine reaches the page.
func forward(port int) string {
	there := "THIS-MACHINE"
	if words := strings.Fields(os.Getenv("SSH_CONNECTION")); len(words) == 4 && net.ParseIP(words[2]) != nil {
		there = words[2]
	}
	return fmt.Sprintf("ssh -N -L %d:127.0.0.1:%[1]d %s", port, there)
}
