package notify

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/settings"
)

// command runs onQuestionCommand through the shell, once a question. What the
// agent said reaches it in a file, never on its command line. It stays in quiet
// hours: what it does is the person's business.
var command = alert{
	name: "command", setting: "onQuestionCommand",
	isOn: func(s settings.Settings) bool { return s.OnQuestionCommand != "" },
	when: once,
	raise: func(_ context.Context, j job) (undo, error) {
		file, err := payload(j.Question)
		if err != nil {
			return nil, err
		}
		cmd := exec.Command(shell, "-c", j.set.OnQuestionCommand)
		cmd.Env = append(os.Environ(),
			"ASKPANE_PAYLOAD_FILE="+file, "PI_QUESTIONNAIRE_PAYLOAD_FILE="+file,
			"ASKPANE_ID="+text.OneLine(j.ID, headerRunes), "ASKPANE_DIALECT="+text.OneLine(j.Form.Dialect, headerRunes),
			"ASKPANE_AGENT="+text.OneLine(j.Agent, headerRunes))
		p, err := j.run("command", cmd)
		if err != nil {
			return nil, errors.Join(err, os.Remove(file))
		}
		return func(ctx context.Context) error { return errors.Join(p.stop(ctx), os.Remove(file)) }, nil
	},
	describe: func(_ context.Context, j job) hint.Check {
		_, err := exec.LookPath(shell)
		does := "runs " + shell + " -c " + text.OneLine(fmt.Sprintf("%q", j.set.OnQuestionCommand), summaryRunes)
		return checked(does, err, "install a POSIX shell at "+shell)
	},
}

const shell = "/bin/sh"

// payload writes the request to a file that only this user can read, where the
// system forgets it at logout if we are killed before Clear.
func payload(q Question) (string, error) {
	f, err := os.CreateTemp(os.Getenv("XDG_RUNTIME_DIR"), "askpane-*.json") // 0600
	if err != nil {
		f, err = os.CreateTemp("", "askpane-*.json")
	}
	if err != nil {
		return "", fmt.Errorf("write the request: %w", err)
	}
	data := q.Payload
	if len(data) == 0 {
		data = q.Form.Echo
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(fmt.Errorf("write the request: %w", err), os.Remove(f.Name()))
	}
	return f.Name(), nil
}
