package tests

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const tokenRequest = `{"questions":[{"id":"t","label":"Token","type":"text","prompt":"The deploy token?","secret":true}]}`

// holding lists the files below dir that hold the text.
func holding(t testing.TB, dir, text string) (files []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), text) {
			files = append(files, path)
		}
		if os.IsNotExist(err) { // a temporary one
			return nil
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return files
}

// A secret reaches the asker, and nothing else: not the screen, the draft, the
// log at its most talkative, the list, nor the history.
func TestSecretReachesTheAskerAlone(t *testing.T) {
	t.Parallel()
	const secret = "hunter2-Zq9"
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	state := t.TempDir()
	a := s.askWith([]string{unguarded, "ASKPANE_LOG_LEVEL=debug", "XDG_STATE_HOME=" + state}, "main", tokenRequest)
	v.see("The deploy token?", "🔒 Secret: masked here")
	v.press(secret)
	v.see(strings.Repeat("•", len(secret)))
	v.press("\x07") // Ctrl+G
	v.see("A secret is not handed to an editor")
	id := s.spool.pending()[0]
	eventually(t, "a draft is saved", func() bool {
		_, err := os.Stat(filepath.Join(string(s.spool), id, "draft.json"))
		return err == nil
	})
	for _, dir := range []string{string(s.spool), state} {
		if files := holding(t, dir, secret); len(files) > 0 {
			t.Errorf("before it is sent the secret is in %v", files)
		}
	}
	v.press(enter)
	a.answered("Token: " + secret)
	eventually(t, "the entry is in the history", func() bool {
		_, err := os.Stat(filepath.Join(string(s.spool), "history", id))
		return err == nil
	})
	for _, dir := range []string{string(s.spool), state} {
		if files := holding(t, dir, secret); len(files) > 0 {
			t.Errorf("once it is delivered the secret is in %v", files)
		}
	}
	if len(holding(t, state, "question over")) == 0 {
		t.Error("the log is not where this test looks for it")
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if strings.Contains(string(v.raw), secret) {
		t.Error("the terminal got the secret")
	}
}

// A secret whose asker died before it got it is still there, for whoever has the
// question's id, and once it is collected nowhere any more.
func TestUndeliveredSecretStays(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	a := s.ask("main", tokenRequest)
	v.see("The deploy token?")
	id := s.spool.pending()[0]
	a.kill(9)
	v.see("agent gone")
	v.press("hunter2", enter)
	v.unsee("The deploy token?")
	eventually(t, "the answer is in the spool", func() bool {
		return len(holding(t, filepath.Join(string(s.spool), id), "hunter2")) == 1
	})
	info, err := os.Stat(filepath.Join(string(s.spool), id, "answer.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("answer.json: %v, %v", info, err)
	}
	if r := s.spool.collect(t, 0, id); r.Text != "Token: hunter2" {
		t.Errorf("collected %+v", r)
	}
	if files := holding(t, string(s.spool), "hunter2"); len(files) > 0 || len(s.spool.pending()) > 0 {
		t.Errorf("once it is delivered the secret is in %v; %v wait", files, s.spool.pending())
	}
}
