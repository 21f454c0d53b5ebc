package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/cmd/internal/asker"
	"github.com/askpane/askpane/cmd/internal/programs"
	"github.com/askpane/askpane/integrations/machines/hub"
	"github.com/askpane/askpane/integrations/machines/link"
	"github.com/askpane/askpane/integrations/machines/trust"
	"github.com/askpane/askpane/settings"
)

// A forward is a hub in this process, for machines at the other ends of streams: an ssh
// process's standard input and output, or what connects to a socket. A stream begins with
// two lines (stream.go), and then a NATS client speaks with the hub. By the next stream a
// machine is the same as before.

// remoteCommand runs on the other machine, by ssh. Whatever the shell is, it starts sh; and what a person has
// installed is often not in the PATH that there is without a terminal.
const remoteCommand = `exec sh -c 'PATH=$PATH:$HOME/.local/bin:$HOME/go/bin:/usr/local/bin:/opt/homebrew/bin exec askpane forward --serve'`

// person holds the side of a forward where the person sits.
type person struct {
	name  string
	dir   string // of the keys of the machines, by their names
	hub   *hub.Hub
	admin *hub.Admin
	here  sync.Map // the names of those that are connected
}

func forward(c *cli.Context) error {
	ctx, stop := programs.UntilTold()
	defer stop()
	socket, words := c.String("socket"), c.Args().Slice()
	switch {
	case c.Bool("serve") && len(words) == 0:
		return attend(ctx, socket)
	case (len(words) == 0) == (socket == ""):
		return programs.Usage("askpane forward takes a machine as ssh takes it, and behind -- options of ssh; or --socket")
	case socket != "":
		return receive(ctx, socket, func(p *person) error { return p.listen(ctx, socket) })
	}
	return receive(ctx, words[0], func(p *person) error {
		return reconnect(ctx, false, func() (bool, error) { return p.dial(ctx, words[0], words[1:]) })
	})
}

// receive shows the questions of the machines whose streams carry brings, until carry returns.
func receive(ctx context.Context, via string, carry func(*person) error) (err error) {
	dir, err := os.MkdirTemp("", "askpane-forward-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	p := &person{name: machineName(), dir: dir}
	served, keys := filepath.Join(dir, "_hub"), filepath.Join(dir, "_keys") // no machine has such a name
	if err := hub.Init(served, "127.0.0.1:0"); err != nil {
		return err
	}
	if p.hub, err = start(ctx, served, ""); err != nil {
		return err
	}
	defer p.hub.Close()
	inv, err := p.hub.Owner(p.name)
	if err != nil {
		return err
	}
	id, err := hub.Join(ctx, keys, inv)
	if err != nil {
		return err
	}
	if p.admin, err = hub.Administer(ctx, keys, settings.Settings{}); err != nil {
		return err
	}
	defer p.admin.Close()
	sp, err := asker.OpenSpool()
	if err != nil {
		return err
	}
	defer sp.Close()
	shows := asker.Asker{Say: programs.Warn}.For("/").Bridge(sp, asker.Anywhere(sp))
	ctx, stop := context.WithCancel(ctx)
	over := make(chan error, 1)
	go func() {
		over <- link.Serve(ctx, link.Config{ID: id, Via: via, Spool: sp, Show: shows.Mirror, Log: programs.Warn,
			Late: func(e *spool.Entry, verdict string) { say("The answer to %s: %s.", e.ID, verdict) }})
	}()
	err = carry(p)
	stop()
	return cmp.Or(err, <-over)
}

// dial makes one connection by ssh, and returns when that has ended.
func (p *person) dial(ctx context.Context, to string, options []string) (up bool, err error) {
	// The person's options come first, since the first of a kind counts.
	cmd := exec.CommandContext(ctx, "ssh", append(options[:len(options):len(options)], "-T", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3",
		"-o", "ControlMaster=no", "-o", "ClearAllForwardings=yes", "-o", "RemoteCommand=none", "--", to, remoteCommand)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	in, err1 := cmd.StdinPipe()
	out, err2 := cmd.StdoutPipe()
	says, err3 := cmd.StderrPipe()
	if err := cmp.Or(err1, err2, err3, cmd.Start()); err != nil {
		return false, hint.New("install OpenSSH's client", "ssh does not run here: %w", err)
	}
	last, machine := make(chan string), make(chan string, 1)
	go func() {
		line, name := "", ""
		for s := bufio.NewScanner(says); s.Scan(); {
			select {
			case name = <-machine:
				line = ""
			default:
			}
			said, theirs := strings.CutPrefix(strings.Trim(text.OneLine(s.Text(), 300), ". "), "askpane: ")
			if said != "" {
				line = ": " + said
			}
			if theirs && name != "" {
				say("%s: %s.", name, said)
			}
		}
		last <- line
	}()
	err = p.carry(out, in, func(name string) {
		up = true
		machine <- name
		say("The questions of %s come here. Ctrl+C ends that.", name)
	})
	in.Close()
	said := <-last
	_ = cmd.Wait()
	switch code := cmd.ProcessState.ExitCode(); {
	case up:
		err = fmt.Errorf("the connection to %s has ended%s", to, said)
	case !errors.Is(err, errSilent):
	case code == 255:
		err = hint.New("see whether ssh "+hint.Word(to)+" does", "ssh does not get to %s%s", to, said)
	case code == 127:
		err = hint.New("install it there, in ~/.local/bin or /usr/local/bin", "there is no askpane on %s%s", to, said)
	default:
		err = hint.New("install this version there: "+programs.Version(), "askpane forward does not run on %s%s", to, said)
	}
	return up, err
}

// listen accepts connections at a socket until ctx ends.
func (p *person) listen(ctx context.Context, path string) error {
	if c, err := net.Dial("unix", path); err == nil {
		c.Close()
		return hint.New("end that, or choose another path", "another process listens at %s", path)
	} else if errors.Is(err, syscall.ECONNREFUSED) { // who made it was killed
		_ = os.Remove(path)
	}
	umask := syscall.Umask(0o177)
	l, err := net.Listen("unix", path)
	syscall.Umask(umask)
	if err != nil {
		return fmt.Errorf("listen at a socket: %w", err)
	}
	defer context.AfterFunc(ctx, func() { l.Close() })()
	say("Questions come here from where askpane forward --serve --socket has this socket. Ctrl+C ends that.")
	var all sync.WaitGroup
	defer all.Wait()
	for {
		c, err := l.Accept()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		all.Go(func() {
			defer c.Close()
			defer context.AfterFunc(ctx, func() { c.Close() })()
			who := "A machine"
			err := p.carry(c, c, func(name string) {
				who = name
				say("%s is connected.", name)
			})
			if ctx.Err() == nil {
				say("%s has gone: %v.", who, cmp.Or(err, errors.New("its connection has ended")))
			}
		})
	}
}

// keys returns those of a machine, as hello has them, and makes it one of the hub's unless it is.
func (p *person) keys(name string) ([]byte, error) {
	file := filepath.Join(p.dir, name, trust.File)
	if _, err := os.Stat(file); err != nil {
		inv, err := p.admin.Invite(context.Background(), name, false)
		if err == nil {
			_, err = hub.Join(context.Background(), filepath.Dir(file), inv)
		}
		if err != nil {
			return nil, err
		}
	}
	return os.ReadFile(file)
}
