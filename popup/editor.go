package popup

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/askpane/askpane/popup/machine"
)

// openEditor hands the open entry to the person's editor, and takes back what that has saved.
// Whatever goes wrong, the entry keeps its text.
func (v *view) openEditor() {
	if v.m.TypingSecret() {
		v.say("A secret is not handed to an editor: editors keep copies of what they edit.")
		return
	}
	text, err := edit(v.suspend, v.m.Buffer())
	if err != nil {
		v.say("The editor gave no text back: " + err.Error())
		return
	}
	text = v.entry.clean(strings.TrimSuffix(text, "\n"))
	v.handle(machine.Event{Action: machine.Type, Text: text})
}

// edit runs the editor on text, in the place of the form: suspend runs a program
// there, and returns false if it cannot.
func edit(suspend func(func()) bool, text string) (edited string, err error) {
	dir, err := os.MkdirTemp("", "askpane-edit-") // 0700
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "answer.md")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return "", err
	}
	args, err := EditorCommand()
	if err != nil {
		return "", err
	}
	ran := suspend(func() {
		cmd := exec.Command(args[0], append(args[1:], file)...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		err = cmd.Run()
	})
	if !ran {
		return "", errors.New("the terminal could not be handed over")
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", args[0], err)
	}
	data, err := os.ReadFile(file)
	return string(data), err
}

// EditorCommand returns $VISUAL, $EDITOR, or the first usual editor there is.
func EditorCommand() ([]string, error) {
	for _, env := range []string{"VISUAL", "EDITOR"} {
		if fields := strings.Fields(os.Getenv(env)); len(fields) > 0 {
			return fields, nil
		}
	}
	for _, name := range []string{"editor", "nano", "vim", "vi"} {
		if path, err := exec.LookPath(name); err == nil {
			return []string{path}, nil
		}
	}
	return nil, errors.New("there is none; set EDITOR")
}
