package tmux

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/askpane/askpane/integrations/adapter"
)

// run runs one tmux command and returns what it printed.
func (s *server) run(ctx context.Context, args ...string) (string, error) {
	return s.runAll(ctx, safe(args))
}

// runAll runs several tmux commands, with a word ; between them; every word of args
// is safe already.
func (s *server) runAll(ctx context.Context, args []string) (string, error) {
	out, err := adapter.Output(s.tmux(ctx, args))
	if err != nil {
		return "", fmt.Errorf("tmux %s: %w", args[0], err)
	}
	return out, nil
}

// runAside runs tmux commands and does not wait for them: they end by themselves
// within milliseconds, and waiting took a third of the time from the answering key to
// the tool's result. That the server or the pane is gone by then is no failure.
func (s *server) runAside(args []string) error {
	cmd := s.tmux(context.Background(), args)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no signal to us is meant for it
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("tmux %s: %w", args[0], err)
	}
	go func() { _ = cmd.Wait() }() // a process that goes on after it must reap it
	return nil
}

func (s *server) tmux(ctx context.Context, args []string) *exec.Cmd {
	cmd := adapter.Command(ctx, s.bin, append([]string{"-S", s.socket}, args...)...)
	// tmux is told where to go by -S; TMUX itself would make it choose the
	// client of the asking pane's session over the one we name.
	cmd.Env = append(os.Environ(), "TMUX=", "TMUX_PANE=")
	return cmd
}

// safe are the words of one command, each through arg.
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

// command is a tmux command under way.
type command struct {
	name   string
	cmd    *exec.Cmd
	stdin  io.WriteCloser // nil where it reads nothing
	stdout io.Closer
	lines  *bufio.Reader // what it prints
	stderr bytes.Buffer
}

// start starts a tmux command, of words that are safe already, for somebody who then
// reads what it prints. Whatever becomes of it, wait must be called.
func (s *server) start(args []string, with ...func(*command) error) (*command, error) {
	c := &command{name: args[0], cmd: s.tmux(context.Background(), args)}
	c.cmd.Stderr = &c.stderr
	stdout, err := c.cmd.StdoutPipe()
	for _, set := range with {
		err = errors.Join(err, set(c))
	}
	if err == nil {
		err = c.cmd.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("tmux %s: %w", args[0], err)
	}
	c.stdout, c.lines = stdout, bufio.NewReader(stdout)
	return c, nil
}

// reads gives it a standard input.
func reads(c *command) (err error) {
	c.stdin, err = c.cmd.StdinPipe()
	return err
}

// startReady starts a tmux that runs args, and then waits for one more command on
// its standard input (source-file -). It returns what they print, up to the line that
// begins with end, which must be the last.
//
// Starting a tmux takes longer than all that it does for us: that the popup opens in
// the one that has asked who is attached saves a third of the time until it is up.
func (s *server) startReady(ctx context.Context, args []string, end string) (c *command, out string, err error) {
	if c, err = s.start(append(args, ";", "source-file", "-"), reads); err != nil {
		return nil, "", err
	}
	stop := context.AfterFunc(ctx, c.kill) // a server that hangs would keep us waiting
	defer stop()
	if out, err = c.readTo(end); err == nil {
		return c, out, nil
	}
	_ = c.stdin.Close()
	if err = c.wait(); ctx.Err() != nil {
		err = errors.New("it is stopped, or it is none of tmux's (tmate)")
	} else if err == nil {
		err = fmt.Errorf("tmux %s: it ended without an answer", c.name)
	}
	return nil, "", err
}

// readTo is what it prints up to the line that begins with end, and that line. The
// error is that it has ended before.
func (c *command) readTo(end string) (string, error) {
	var out strings.Builder
	for {
		line, err := c.lines.ReadString('\n')
		out.WriteString(line)
		if strings.HasPrefix(line, end) {
			return out.String(), nil
		}
		if err != nil {
			return out.String(), err
		}
	}
}

// send gives a tmux that is ready its one command. Each word is quoted, so that
// tmux's parser sees it as it is.
func (c *command) send(args []string) error {
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = quote(a)
	}
	c.name = args[0]
	_, err := io.WriteString(c.stdin, strings.Join(quoted, " ")+"\n")
	return errors.Join(err, c.stdin.Close())
}

// quote makes one word for tmux's parser: nothing is special between single
// quotes but a single quote.
func quote(word string) string {
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// wait waits until it has ended; the error is why it failed, in its own words.
func (c *command) wait() error {
	_, _ = io.Copy(io.Discard, c.lines) // to its end
	err := c.cmd.Wait()
	if said := strings.TrimSpace(c.stderr.String()); err != nil && said != "" {
		err = errors.New(said)
	}
	if err != nil {
		err = fmt.Errorf("tmux %s: %w", c.name, err)
	}
	return err
}

// kill ends it. Its output would stay open as long as a server that does not answer
// has it too (adapter.Command), so that is closed on our side.
func (c *command) kill() {
	_ = c.cmd.Process.Kill() // it may have ended already
	_ = c.stdout.Close()
}

// drop ends one that is not needed.
func (c *command) drop() {
	c.kill()
	_ = c.wait()
}
