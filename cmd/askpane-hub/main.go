// Command askpane-hub is the hub of a person's machines: it serves one, and has machines
// join it. askpane hub and askpane join become it.
//
// Only what was asked for is on standard output. The line of an invite, which is a secret
// until it is used, is never on a command line.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/askpane/askpane/bridge/address"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/cmd/internal/command"
	"github.com/askpane/askpane/cmd/internal/programs"
	"github.com/askpane/askpane/integrations/machines/hub"
	"github.com/askpane/askpane/integrations/machines/trust"
	"github.com/askpane/askpane/settings"
)

func main() {
	if err := programs.Hub.Started(); err != nil {
		os.Exit(programs.ExitCode(err))
	}
	const reached = "how other machines reach the hub, for instance tls://hub.example.com:4222, where it is not by what it listens at"
	os.Exit(command.Run(&cli.App{
		Name: programs.Hub.Name, Usage: programs.Hub.Usage, Version: programs.Version(),
		Commands: []*cli.Command{
			{
				Name: "hub", Usage: "serve the hub of your machines, until it is told to end", UsageText: programs.Hub.Commands[0].Examples, Action: serve,
				Flags: []cli.Flag{listen("listen at `ADDRESS` this time, instead of what hub init was told")},
				Subcommands: []*cli.Command{
					{
						Name: "init", Usage: "set up a hub on this machine, which becomes its owner's", Action: setUp,
						Flags: []cli.Flag{
							listen("listen at `ADDRESS`; " + hub.Everywhere + " is reached by other machines, " + hub.Listen + " by a tunnel alone; where there is a hub already, it listens there from now on"),
							&cli.StringFlag{Name: "name", Usage: "the `NAME` of the owner's machine, by default its host name"},
							&cli.BoolFlag{Name: "elsewhere", Usage: "another machine is the owner's: print the line by which it joins"},
							&cli.StringFlag{Name: "url", Usage: "with --elsewhere: `URL` is " + reached},
						},
					},
					{
						Name: "invite", Usage: "print a line for askpane join on another machine", ArgsUsage: "MACHINE", Action: invite, Description: "name the machine as you like, in small letters: build1",
						Flags: []cli.Flag{
							&cli.BoolFlag{Name: "person", Usage: "you sit there: it shows the questions of all machines, and answers them; else it only asks"},
							&cli.StringFlag{Name: "url", Usage: "`URL` is " + reached},
						},
					},
					{Name: "machines", Usage: "list the machines", Action: machines},
					{Name: "revoke", Usage: "let a machine in no more", ArgsUsage: "MACHINE", Action: revoke, Description: "askpane hub machines shows them"},
				},
			},
			{Name: "join", Usage: "join a hub, by the line of askpane hub invite on standard input", UsageText: programs.Hub.Commands[1].Examples, Action: join},
			{
				Name: "forward", Usage: "have the questions of another machine come here, over ssh", ArgsUsage: "[USER@HOST [-- SSH-OPTION…]]", UsageText: programs.Hub.Commands[2].Examples, Action: forward,
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "socket", Usage: "those of containers, which connect to the socket at `PATH`"},
					&cli.BoolFlag{Name: "serve", Usage: "on the machine that asks, which ssh runs; with --socket, what a container runs"},
				},
			},
		},
	}, os.Args))
}

func listen(use string) cli.Flag { return &cli.StringFlag{Name: "listen", Usage: use} }

// hubDir returns the directory of a hub's state on this machine.
func hubDir() (string, error) { return spool.StateDir("hub") }

func start(ctx context.Context, dir, listen string) (*hub.Hub, error) {
	s := settings.Load("")
	return hub.Start(ctx, hub.Config{Dir: dir, Listen: listen, Quota: hub.Quota{Bytes: int64(s.HubMachineMiB) << 20, Questions: s.HubMachineQuestions}, Log: programs.Warn})
}

// serve runs the hub until it is told to end.
func serve(c *cli.Context) error {
	ctx, stop := programs.UntilTold()
	defer stop()
	dir, err := hubDir()
	if err != nil {
		return err
	}
	h, err := start(ctx, dir, c.String("listen"))
	if errors.Is(err, hub.ErrUp) {
		fmt.Println("The hub is up already; askpane hub machines shows who is there.")
		return nil
	}
	if err != nil {
		return err
	}
	defer h.Close()
	fmt.Printf("The hub is up at %s. On its owner's machine, askpane hub invite NAME invites another.\n", h.Reached())
	<-ctx.Done()
	return nil
}

// setUp makes a hub, or changes where the existing one listens.
func setUp(c *cli.Context) error {
	served, err := hubDir()
	keys, err2 := address.LinkDir()
	if err := cmp.Or(err, err2); err != nil {
		return err
	}
	name := cmp.Or(c.String("name"), ownName())
	if err := trust.ValidName(name); err != nil {
		return err
	}
	if own := settings.Load("").HubURL; own != "" && !c.Bool("elsewhere") {
		inv, err := trust.OwnerInvite(name)
		if err == nil {
			_, err = hub.Join(c.Context, keys, inv)
		}
		if err == nil {
			fmt.Printf("hubUrl is set, and that server is the hub. This machine is %s, the owner's. For the others, askpane hub invite NAME prints a line for askpane join.\n\nKeep a copy of %s: without it no machine can be invited or revoked.\n", name, filepath.Join(keys, "root.seed"))
		}
		return err
	}
	at := c.String("listen")
	if at != "" && hub.There(served) {
		return listenAt(served, keys, at)
	}
	if at == "" && !hub.There(served) {
		at, err = chooseAddress(os.Stdin, term.IsTerminal(int(os.Stdin.Fd())))
	}
	if err == nil {
		err = hub.Init(served, at)
	}
	if err != nil {
		return err
	}
	return newHub(c, served, keys, name, at)
}

// newHub joins this machine, as the owner's, to a hub that was just made, or prints the line
// by which another machine does. It undoes what was made if that fails.
func newHub(c *cli.Context, served, keys, name, at string) (err error) {
	defer func() {
		if err != nil {
			err = errors.Join(err, hub.Undo(served))
		}
	}()
	h, err := start(c.Context, served, "")
	if err != nil {
		return err
	}
	defer h.Close()
	inv, err := h.Owner(name)
	if err != nil {
		return err
	}
	if c.Bool("elsewhere") {
		h.Close() // whoever has read the line may serve it
		inv.URL = h.Reached()
		return printLine(inv, c.String("url"), "Start the hub with askpane hub. Then run askpane join on your own machine, within 15 minutes, and give it this line, which works once.")
	}
	id, err := hub.Join(c.Context, keys, inv)
	if err != nil {
		return err
	}
	fmt.Printf(`The hub is set up in %s. This machine is %s, its owner's.

  askpane hub               serve it now; askpane install hub --write does so from your login on
  askpane hub invite NAME   a line for askpane join on another machine

It listens at %s; askpane hub init --listen ADDRESS changes that.
Keep a copy of %s: without it no machine can be invited or revoked.
`, served, id.Member.Name, at, filepath.Join(keys, "root.seed"))
	return nil
}

// ownName turns the host's name into the name of a machine.
func ownName() string {
	host, _ := os.Hostname() // --name is there where it is none
	host, _, _ = strings.Cut(strings.ToLower(host), ".")
	return strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, host), "-")
}

// administer calls work with a connection of this machine to its hub.
func administer(c *cli.Context, work func(a *hub.Admin) error) error {
	keys, err := address.LinkDir()
	if err != nil {
		return err
	}
	a, err := hub.Administer(c.Context, keys, settings.Load("").Settings)
	if errors.Is(err, fs.ErrNotExist) {
		err = hint.New("askpane hub init sets one up here, and askpane join joins one by the line of askpane hub invite", "this machine has joined no hub")
	}
	if err != nil {
		return err
	}
	defer a.Close()
	return work(a)
}

func invite(c *cli.Context) error {
	return administer(c, func(a *hub.Admin) error {
		name, person := c.Args().First(), c.Bool("person")
		inv, err := a.Invite(c.Context, name, person)
		if err != nil {
			return err
		}
		may := "It will ask, and answer nothing; --person invites a machine where you sit."
		if person {
			may = "It will show the questions of all your machines, and answer them."
		}
		if inv.Pin == "" {
			tell("Set hubUrl and hubCredentials on " + name + ", run askpane join there, and give it this line. Whoever has it first is " + name + ". " + may)
			fmt.Println(inv)
			return nil
		}
		return printLine(inv, c.String("url"), "Run askpane join on "+name+" within 15 minutes, and give it this line, which works once. Whoever has it first is "+name+". "+may)
	})
}

// printLine prints the line of an invite, and says what it is for.
func printLine(inv trust.Invite, reached, use string) error {
	inv.URL = cmp.Or(reached, inv.URL)
	u, err := url.Parse(inv.URL)
	if err != nil || u.Scheme != "tls" || u.Port() == "" {
		return programs.Usage("%q is no URL of a hub; it is like tls://hub.example.com:4222", inv.URL)
	}
	ip := net.ParseIP(u.Hostname())
	if ip == nil {
		if _, err := net.LookupHost(u.Hostname()); err != nil && reached == "" {
			return hint.New("name it by what the other machine reaches it by: --url tls://ADDRESS:"+u.Port(), "the hub calls itself %s, a name that leads nowhere from here: %w", u.Hostname(), err)
		} else if err != nil {
			tell("The name " + u.Hostname() + " leads nowhere from here; it has to on the other machine.")
		}
	}
	tell(use)
	if ip != nil && ip.IsLoopback() {
		tell("It leads to " + u.Host + ", which is this machine: another one gets there by a tunnel alone, as ssh -N -R " + u.Port() + ":" + u.Host + " MACHINE makes it from here, or ssh -N -L " + u.Port() + ":" + u.Host + " HUB from there. With --url the line leads elsewhere. To have the hub listen to others, end it, run askpane hub init --listen 0.0.0.0:" + u.Port() + ", start it again, and invite by a new line.")
	}
	fmt.Println(inv)
	return nil
}

// tell writes a remark to standard error, so that standard output has what was asked for alone.
func tell(text string) {
	fmt.Fprint(os.Stderr, command.ScreenOf(os.Stderr).Hang("", 0, command.Plain, text))
}

func machines(c *cli.Context) error {
	return administer(c, func(a *hub.Admin) error {
		all, err := a.Machines(c.Context)
		if err != nil {
			return err
		}
		rows, refused := [][]string{{"NAME", "MAY", "STATE"}}, []string{}
		for _, m := range all {
			may, state := "ask", "away"
			if m.Person {
				may = "ask, answer"
			}
			switch {
			case m.Revoked != nil:
				may, state = "-", "revoked "+m.Revoked.Local().Format(time.DateOnly)
			case !m.Told:
				state = "-"
			case m.There:
				state = "there"
			}
			if m.Full != "" && m.Revoked == nil { // the hub says so for a while still
				state += ", refused more"
				refused = append(refused, m.Full)
			}
			if m.This {
				state += ", this machine"
			}
			rows = append(rows, []string{m.Name, may, state})
		}
		fmt.Print(command.ScreenOf(os.Stdout).Table(rows, func(_ int, text string) command.Style {
			word, _, _ := strings.Cut(text, ",")
			return map[string]command.Style{"there": command.Green, "away": command.Yellow}[word]
		}))
		for _, why := range refused {
			tell("The hub refuses more: " + text.OneLine(why, 300))
		}
		return nil
	})
}

func revoke(c *cli.Context) error {
	return administer(c, func(a *hub.Admin) error {
		name := c.Args().First()
		err := a.Revoke(c.Context, name)
		if err == nil {
			fmt.Printf("%s is cut off, and is let in no more. Its name can be given again by askpane hub invite.\n", name)
		}
		return err
	})
}

// lineLimit bounds the line of an invite, in bytes.
const lineLimit = 64 << 10

// readLine reads the line of an invite, which a terminal does not show; what is not one may
// be wrapped.
func readLine() (string, error) {
	in := int(os.Stdin.Fd())
	if !term.IsTerminal(in) {
		line, err := io.ReadAll(io.LimitReader(os.Stdin, lineLimit)) // where it is not all, that is no line
		return string(line), err
	}
	before, err := term.MakeRaw(in)
	if err != nil {
		return "", err
	}
	defer term.Restore(in, before)
	line, err := term.NewTerminal(os.Stdin, "").ReadPassword("Paste the line of askpane hub invite (it is not shown): ")
	if errors.Is(err, io.EOF) {
		err = programs.With(programs.Aborted, errors.New("no line was given"))
	}
	return line, err
}

func join(c *cli.Context) error {
	keys, err := address.LinkDir()
	if err != nil {
		return err
	}
	line, err := readLine()
	if err != nil {
		return err
	}
	inv, err := trust.ParseInvite(line)
	if err != nil {
		return err
	}
	_, none := trust.Load(keys)
	id, err := hub.Join(c.Context, keys, inv)
	if err != nil {
		return err
	}
	m := id.Member
	fmt.Printf("This machine is %s now, of the hub at %s.\n", m.Name, cmp.Or(id.URL, "hubUrl; see that this is set"))
	if none == nil {
		fmt.Println("That takes the place of what it was before, as " + m.Name + " too.")
	}
	if m.Person {
		fmt.Println("The questions of your machines come here as long as the desk is up: askpane desk --stay, or from your login on askpane install desk --write.")
	} else {
		fmt.Println("Its questions can be answered on your other machines from now on, and here as before.")
	}
	return nil
}
