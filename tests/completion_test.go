package tests

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
	lines := map[string]string{"askpane inb": "inbox", "askpane settings set gua": "guardMs", "askpane settings set theme hig": "high-contrast", "askpane settings set chain f": "false", "askpane ask --host kit": "kitty", "askpane list --js": "--json",
		"askpane phone rev": "revoke", "askpane hub inv": "invite", "askpane desk --st": "--stay", "askpane mcp --call": "--call-limit", // which other programs know
		"askpane ask --host=kit": "--host=kitty", "askpane ask --host = kit": "kitty", // as bash parts it
		"askpane show " + strings.ToLower(id[:4]): id[:6]}
	plan := filepath.Join(t.TempDir(), "plan.md")
	if err := os.WriteFile(plan, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, shell := range []struct{ name, script string }{
		{"bash", `eval "$(askpane completion bash)"; COMP_WORDS=($1); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _askpane; echo "${COMPREPLY[@]}"`},
		{"fish", `askpane completion fish | source; complete -C "$argv[2]"`},
	} {
		t.Run(shell.name, func(t *testing.T) {
			needs.Program(t, shell.name)
			lines := maps.Clone(lines)
			if shell.name == "fish" { // bash looks for files itself
				lines["askpane review "+plan[:len(plan)-3]], lines["askpane answer --attach "+plan[:len(plan)-3]] = plan, plan
			}
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
		dir := t.TempDir()
		// What is typed before zsh has its own prompt up may be lost, so it shows none before it is ready.
		rc := "PS1='ready> '; autoload -U compinit; compinit -D -u; eval \"$(askpane completion zsh)\"\n"
		if err := os.WriteFile(filepath.Join(dir, ".zshrc"), []byte(rc), 0o600); err != nil {
			t.Fatal(err)
		}
		s.tmux("new-window", "-t", "main:", "--", "env", "ZDOTDIR="+dir, "ASKPANE_SPOOL="+string(s.spool), "PATH="+filepath.Dir(binary)+":/usr/bin:/bin", "zsh", "-d", "-i")
		v.see("ready>")
		v.press("askpane settings set gua\t")
		v.see("askpane settings set guardMs")
		v.press("\x15askpane inb\t")
		v.see("ready> askpane inbox")
	})
}

// The manual pages are what a manual reader takes without a warning.
func TestManualPages(t *testing.T) {
	t.Parallel()
	needs.Program(t, "man")
	dir := filepath.Join(t.TempDir(), "man1")
	if out, err := exec.Command(binary, "man", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	pages, _ := filepath.Glob(filepath.Join(dir, "*.1"))
	if len(pages) < 30 {
		t.Errorf("only %d pages", len(pages))
	}
	for page, wants := range map[string][]string{
		"askpane.1":              {"put an agent's question in front of its person", "FOR MACHINES", "history", `askpane ask "Deploy to production?" Yes No`},
		"askpane-ask.1":          {"--timeout TIME", "EXAMPLES"},
		"askpane-phone.1":        {"askpane phone --help"}, // the program that has its options has no pages
		"askpane-settings-set.1": {"askpane settings set [OPTION…] NAME VALUE"},
	} {
		cmd := exec.Command("man", "--warnings", "-l", filepath.Join(dir, page))
		cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "MANPAGER=cat", "MANROFFOPT=-c", "MANWIDTH=100", "GROFF_NO_SGR=")
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil || errs.Len() > 0 {
			t.Errorf("%s: %v: %s", page, err, errs.String())
		}
		contains(t, page, regexp.MustCompile(".\b").ReplaceAllString(string(out), ""), wants...)
	}
}
