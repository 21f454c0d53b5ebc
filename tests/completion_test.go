package tests

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askpane/askpane/tests/needs"
)

// What a word can become, by each real shell's own completion.
func TestCompletion(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	id := s.ask("main", colour, "--detach").result().ID
	defer s.spool.run(t, "", "answer", "--cancel", id)
	env := environ(t.TempDir(), "ASKPANE_SPOOL="+string(s.spool), "PATH="+filepath.Dir(binary)+":/usr/bin:/bin")
	lines := map[string]string{"askpane inb": "inbox", "askpane settings set gua": "guardMs", "askpane ask --host kit": "kitty", "askpane list --js": "--json",
		"askpane show " + strings.ToLower(id[:4]): id[:6]}
	for _, shell := range []struct{ name, script string }{
		{"bash", `eval "$(askpane completion bash)"; COMP_WORDS=($1); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _askpane; echo "${COMPREPLY[@]}"`},
		{"fish", `askpane completion fish | source; complete -C "$argv[2]"`},
	} {
		t.Run(shell.name, func(t *testing.T) {
			needs.Program(t, shell.name)
			for line, want := range lines {
				cmd := exec.Command(shell.name, "-c", shell.script, shell.name, line)
				cmd.Env = env
				out, err := cmd.CombinedOutput()
				if err != nil || !strings.HasPrefix(string(out), want) || strings.Count(string(out), "\n") != 1 {
					t.Errorf("%s: %q (%v), want %s", line, out, err, want)
				}
			}
		})
	}
	t.Run("zsh", func(t *testing.T) {
		needs.Program(t, "zsh")
		v := s.attach("main", 100, 30)
		v.see("Which colour?")
		v.press("\x1b")
		v.unsee("Which colour?")
		s.tmux("new-window", "-t", "main:", "--", "env", "ASKPANE_SPOOL="+string(s.spool), "PATH="+filepath.Dir(binary)+":/usr/bin:/bin", "zsh", "-f", "-i")
		v.press("PS1='ready> '; autoload -U compinit; compinit -D -u; eval \"$(askpane completion zsh)\"; clear\r")
		v.see("ready> ")
		v.press("askpane settings set gua\t")
		v.see("askpane settings set guardMs")
		v.press("\x15askpane inb\t")
		v.see("ready> askpane inbox")
	})
}
