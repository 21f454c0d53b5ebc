package tmux

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// pipe is a tmux command that has answered a question and waits for one more
// command on its standard input (source-file -).
//
// Starting a tmux takes longer than all that it does for us. Asking who is
// attached and opening the popup there through one tmux instead of two brings
// the popup up in 5.2 ms instead of 8.5 (static program, tmux 3.3a, two cores);
// it is the first thing that a waiting person sees, so it is worth a pipe.
type pipe struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout io.Closer
	lines  *bufio.Reader // what it prints
	stderr bytes.Buffer
}

// openPipe runs args, returns what they print up to the line end, and leaves
// the pipe open. end must be the last line that args print.
func (s *server) openPipe(ctx context.Context, args []string, end string) (*pipe, string, error) {
	p := &pipe{cmd: s.command(context.Background(), append(args, ";", "source-file", "-"))}
	p.cmd.Stderr = &p.stderr
	stdin, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, "", err
	}
	stdout, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, "", err
	}
	p.stdin, p.stdout, p.lines = stdin, stdout, bufio.NewReader(stdout)
	if err := p.cmd.Start(); err != nil {
		return nil, "", fmt.Errorf("tmux %s: %w", args[0], err)
	}
	// A server that hangs would keep us waiting; ctx limits the asking only.
	stop := context.AfterFunc(ctx, func() { hangUp(p.cmd, stdout) })
	defer stop()
	var out strings.Builder
	for {
		line, err := p.lines.ReadString('\n')
		out.WriteString(line)
		if strings.HasPrefix(line, end) {
			return p, out.String(), nil
		}
		if err != nil { // it has ended, or failed
			p.stdin.Close()
			if err = p.cmd.Wait(); ctx.Err() != nil {
				return nil, "", errors.New("it is stopped, or it is none of tmux's (tmate)")
			}
			return nil, "", p.failure(args[0], err)
		}
	}
}

// hangUp ends a tmux command. Its output would stay open as long as a server that
// does not answer has it too (adapter.Command), so that is closed on our side.
func hangUp(cmd *exec.Cmd, stdout io.Closer) {
	_ = cmd.Process.Kill() // it may have ended already
	_ = stdout.Close()
}

func (p *pipe) failure(command string, err error) error {
	if text := strings.TrimSpace(p.stderr.String()); text != "" {
		return fmt.Errorf("tmux %s: %s", command, text)
	}
	if err == nil {
		err = errors.New("it ended without an answer")
	}
	return fmt.Errorf("tmux %s: %w", command, err)
}

// send gives the pipe its one command. Each word is quoted, so that tmux's
// parser sees it as it is.
func (p *pipe) send(args []string) error {
	words := make([]string, len(args))
	for i, a := range args {
		words[i] = quote(a)
	}
	_, err := io.WriteString(p.stdin, strings.Join(words, " ")+"\n")
	return errors.Join(err, p.stdin.Close())
}

// quote makes one word for tmux's parser: nothing is special between single
// quotes but a single quote.
func quote(word string) string {
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// drop ends a pipe that is not needed.
func (p *pipe) drop() {
	_ = p.stdin.Close() // without a command it ends at once
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}
