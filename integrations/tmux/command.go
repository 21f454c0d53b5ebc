package tmux

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/askpane/askpane/integrations/adapter"
)

// run runs one tmux command and returns what it printed.
func (s *server) run(ctx context.Context, args ...string) (string, error) {
	return s.runAll(ctx, safe(args))
}

// runAll runs several tmux commands, with a word ; between them; every word of args
// is safe already.
func (s *server) runAll(ctx context.Context, args []string) (string, error) {
	return adapter.Output(s.tmux(ctx, args), "tmux "+args[0])
}

func (s *server) tmux(ctx context.Context, args []string) *exec.Cmd {
	cmd := adapter.Command(ctx, cmp.Or(s.client, "tmux"), append([]string{"-S", s.socket}, args...)...)
	// tmux is told where to go by -S; TMUX itself would make it choose the
	// client of the asking pane's session over the one we name.
	cmd.Env = append(os.Environ(), "TMUX=", "TMUX_PANE=")
	return cmd
}

// safe returns the words of one command, each through arg.
func safe(args []string) []string {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = arg(a)
	}
	return words
}

// arg keeps a word from ending the command: tmux takes a word that ends in ;
// as its end and reads on with the next command.
func arg(a string) string {
	if strings.HasSuffix(a, ";") {
		return strings.TrimSuffix(a, ";") + `\;`
	}
	return a
}

// literal keeps text from being expanded where tmux wants a format: #(…) there
// runs a command.
func literal(text string) string { return strings.ReplaceAll(text, "#", "##") }

// command is a tmux that runs.
//
// Starting one takes longer than all that it does for us: the popup opens in the one that
// has said who is attached (ask), and then waits for more commands on its standard input.
type command struct {
	server *server
	since  time.Time // it was started

	cmd     *exec.Cmd
	stdin   io.WriteCloser
	kill    context.CancelFunc
	said    bytes.Buffer  // on stderr; whole once it has ended
	ended   chan struct{} // closed when it has
	printed chan string   // what ask wanted to know; one at most, and only there

	prints func(c *command, text string) // gets what it prints, in one piece where that is one line
}

// start starts a tmux command, of words that are safe already.
func (s *server) start(args []string, prints func(*command, string)) (*command, error) {
	ctx, kill := context.WithCancel(context.Background())
	c := &command{server: s, since: time.Now(), cmd: s.tmux(ctx, args), kill: kill, prints: prints, printed: make(chan string, 1), ended: make(chan struct{})}
	c.cmd.Stdout, c.cmd.Stderr = c, &c.said
	var err error
	if c.stdin, err = c.cmd.StdinPipe(); err == nil {
		err = c.cmd.Start()
	}
	if err != nil {
		kill()
		return nil, fmt.Errorf("tmux %s: %w", args[0], err)
	}
	go func() {
		_ = c.cmd.Wait()
		kill()
		close(c.ended)
	}()
	return c, nil
}

func (c *command) Write(text []byte) (int, error) {
	c.prints(c, string(text))
	return len(text), nil
}

// ask starts a tmux that answers our questions, and is ready for commands then.
func (s *server) ask() (*command, error) {
	printed := ""
	return s.start(append(slices.Clone(questions), ";", "source-file", "-"), func(c *command, text string) {
		if printed += text; strings.HasSuffix(printed, "\n"+whole+"\n") {
			select {
			case c.printed <- printed:
			default: // what comes later is nobody's
			}
		}
	})
}

// answer waits for what ask has asked.
func (c *command) answer(ctx context.Context) (printed string, err error) {
	select {
	case printed = <-c.printed:
		return printed, nil
	case <-c.ended:
		err = errors.New(cmp.Or(strings.TrimSpace(c.said.String()), "it ended without an answer"))
	case <-ctx.Done(): // a server that hangs would keep us waiting
		c.kill()
		err = errors.New("it is stopped, or it is none of tmux's (tmate)")
	}
	return "", fmt.Errorf("tmux list-clients: %w", err)
}

// send gives a tmux that is ready its commands.
func (c *command) send(args []string) error {
	_, err := io.WriteString(c.stdin, script(args))
	return errors.Join(err, c.stdin.Close())
}

// script writes commands, in words as runAll takes them, for source-file: between single quotes nothing else is special.
func script(args []string) string {
	var line strings.Builder
	for _, word := range args {
		if word != ";" {
			if begin, ends := strings.CutSuffix(word, `\;`); ends {
				word = begin + ";"
			}
			word = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
		line.WriteString(word + " ")
	}
	return line.String() + "\n"
}

// standby keeps a tmux for whoever needs it next.
type standby struct{ atomic.Pointer[command] }

// readyFor passes before a tmux that nobody has needed is ended: a waiting question need
// not hold a process.
const readyFor = 3 * time.Second

func (b *standby) keep(c *command) {
	if before := b.Swap(c); before != nil {
		before.kill()
	}
	time.AfterFunc(readyFor, func() {
		if b.CompareAndSwap(c, nil) {
			c.kill()
		}
	})
}

// remove returns the one that is kept, if it fits; nil otherwise.
func (b *standby) remove(fits func(*command) bool) *command {
	if c := b.Load(); c != nil && fits(c) && b.CompareAndSwap(c, nil) {
		return c
	}
	return nil
}

// beforehand keeps what Begin has asked. spare opens the first popup: one is enough, since
// of many questions that are asked at once one is shown.
var beforehand, spare standby

// Begin asks the server that the environment names for what find is going to need. The
// program that is about to look for its host does it first of all, and reads the rest while
// tmux starts and answers. Of many questions at once one begins.
func Begin() {
	socket, _ := serverOf(os.Getenv("TMUX"))
	s := newServer(socket, nil)
	if before := beforehand.Load(); s.socket == "" || before != nil && before.young() {
		return
	}
	if c, err := s.ask(); err == nil { // else find says why not
		beforehand.keep(c)
	}
}

// young reports whether what it says is as of just now. Who has begun takes it soon, unless the
// question was one that an earlier call asks already.
func (c *command) young() bool { return time.Since(c.since) < adapter.Fresh }

// askOrBegun asks the server, unless Begin has just asked it.
func (s *server) askOrBegun() (*command, error) {
	begun := beforehand.remove(func(c *command) bool { return s.client == "" && c.server.socket == s.socket && c.young() })
	if begun == nil {
		return s.ask()
	}
	begun.server = s
	return begun, nil
}

// startPopup runs the commands that open a popup, which print nothing: in the tmux that find
// left ready, or in another.
func (s *server) startPopup(args []string) (*command, error) {
	if ready := s.spare.remove(func(c *command) bool { return c.server == s }); ready != nil {
		if err := ready.send(args); err == nil {
			return ready, nil
		}
		ready.kill() // it has ended meanwhile
	}
	return s.start(args, func(*command, string) {})
}

// onEvent calls f, and again after every event of the server with that name (wait-for -E,
// tmux 3.8), until ctx or the server has ended. It waits for the event before it calls f, so
// that it misses none.
func (s *server) onEvent(ctx context.Context, event string, f func()) {
	for ctx.Err() == nil {
		c, err := s.start([]string{"display-message", "-p", "ready", ";", "wait-for", "-E", event}, func(*command, string) { f() })
		if err != nil {
			return
		}
		stop := context.AfterFunc(ctx, c.kill)
		<-c.ended
		stop()
		if !c.cmd.ProcessState.Success() {
			return
		}
	}
}
