package zellij

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/askpane/askpane/integrations/adapter"
)

// command is the zellij command, and the session that it is given to.
type command struct {
	bin     string
	session string
	// places are NAME=value for zellij, so that it looks for its sockets where the
	// pane's zellij does.
	places []string
	// patient: the session is surely there, or was when its pane asked. Where it is
	// not so, what has named it may be left over.
	patient bool
}

// limit is how long zellij may take for one command. One that comes while its
// session starts or ends can hang.
const limit = 5 * time.Second

// mostTries is how often something is asked that zellij does not always answer:
// for half a second in all.
const mostTries = 10

// run runs one zellij command and returns what it printed. zellij finds its
// session by asking all there are whether they live, and takes one that sends it
// something else first for dead. So a session is only believed to be gone when it
// is for a while.
func (c command) run(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	most := 2
	if c.patient {
		most = mostTries
	}
	return retry(ctx, most, func() (string, bool, error) {
		out, err := c.once(ctx, args...)
		gone := err != nil && (strings.Contains(err.Error(), "There is no active session") || strings.Contains(err.Error(), "not found. The following sessions"))
		return out, gone, err
	})
}

// ask is what an action says that always says something. zellij now and then says
// nothing, without an error, while a pane is opened or closed.
func (c command) ask(ctx context.Context, action ...string) (string, error) {
	return retry(ctx, mostTries, func() (string, bool, error) {
		out, err := c.run(ctx, append([]string{"action"}, action...)...)
		return out, err == nil && out == "", err
	})
}

// retry tries for as long as it is worth another try.
func retry(ctx context.Context, most int, try func() (out string, again bool, err error)) (string, error) {
	for tries := 1; ; tries++ {
		out, again, err := try()
		if !again || tries == most {
			return out, err
		}
		select {
		case <-time.After(time.Duration(tries) * 10 * time.Millisecond):
		case <-ctx.Done():
			return out, err
		}
	}
}

func (c command) once(ctx context.Context, args ...string) (string, error) {
	cmd := adapter.Command(ctx, c.bin, append([]string{"--session", c.session}, args...)...)
	cmd.Env = append(os.Environ(), c.places...)
	out, err := adapter.Output(cmd)
	if err != nil {
		return "", failure(args, err)
	}
	return out, nil
}

// failure is why a zellij command failed, in zellij's words and in ours where
// those say too little.
func failure(args []string, err error) error {
	said, _, _ := strings.Cut(err.Error(), "\n")
	command := strings.Join(args[:min(2, len(args))], " ")
	// clap's words for what an older one does not know.
	for _, unknown := range []string{"unexpected argument", "unrecognized subcommand", "wasn't expected", "wasn't recognized"} {
		if strings.Contains(err.Error(), unknown) {
			return fmt.Errorf("this zellij is too old: askpane needs 0.44.1 or later (zellij %s: %s)", command, said)
		}
	}
	return fmt.Errorf("zellij %s: %s", command, said)
}
