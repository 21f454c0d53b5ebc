package popup

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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
	v.entry.Replace(0, v.entry.GetTextLength(), text) // which can be undone
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
	cmd, err := Editor(file)
	if err != nil {
		return "", err
	}
	if !suspend(func() { err = cmd.Run() }) {
		return "", errors.New("the terminal could not be handed over")
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", cmd.Args[len(cmd.Args)-2], err)
	}
	data, err := os.ReadFile(file)
	return string(data), err
}

// Editor returns what edits file on this terminal: $VISUAL, $EDITOR, or the first usual editor
// there is. A shell reads the variables, as git has it do: they may have quotes.
func Editor(file string) (cmd *exec.Cmd, err error) {
	if line := cmp.Or(strings.TrimSpace(os.Getenv("VISUAL")), strings.TrimSpace(os.Getenv("EDITOR"))); line != "" {
		cmd = exec.Command("sh", "-c", line+` "$@"`, line, file)
	}
	for _, name := range []string{"editor", "nano", "vim", "vi"} {
		if path, err := exec.LookPath(name); err == nil && cmd == nil {
			cmd = exec.Command(path, file)
		}
	}
	if cmd == nil {
		return nil, errors.New("there is none; set EDITOR")
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return cmd, nil
}
