package account

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/watch"
	"github.com/askpane/askpane/popup/chat"
	"github.com/askpane/askpane/settings/private"
	"github.com/askpane/askpane/tests/must"
)

// The token is in its file, which nobody else may read, and in no text; a file that others
// could have read or written is refused, without a word of what is in it.
func TestAccount(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	dir, err := Dir()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Load(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before it is set up: %v", err)
	}
	const token = "the-very-secret"
	a := Account{Service: "discord", Token: token, Channel: "300", Place: "#questions", Users: []chat.User{{ID: "1", Name: "Ada"}}}
	if err := a.Save(dir); err != nil {
		t.Fatal(err)
	}
	got, err := Load(dir)
	if err != nil || string(got.Token) != token || !got.May("1") || got.May("2") || got.May("") {
		t.Errorf("%v, %v", got, err)
	}
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		if said := fmt.Sprintf(format, got); strings.Contains(said, token) {
			t.Errorf("%s shows it: %s", format, said)
		}
	}
	other := a
	if other.Token = "another"; a.Mark() != got.Mark() || a.Mark() == other.Mark() || strings.Contains(a.Mark(), token) {
		t.Errorf("marks: %s, %s, %s", a.Mark(), got.Mark(), other.Mark())
	}
	path := filepath.Join(dir, File)
	for what, spoil := range map[string]func() error{
		"open to others": func() error { return os.Chmod(path, 0o640) },
		"its directory":  func() error { return errors.Join(os.Chmod(path, 0o600), os.Chmod(dir, 0o770)) },
		"damaged": func() error {
			return errors.Join(os.Chmod(dir, 0o700), os.WriteFile(path, []byte(`{"token": "`+token+`"`), 0o600))
		},
		"a later format":     func() error { return os.WriteFile(path, []byte(`{"version": 2, "token": "`+token+`"}`), 0o600) },
		"a link":             func() error { return errors.Join(os.Rename(path, path+".real"), os.Symlink(path+".real", path)) },
		"an unknown service": func() error { return errors.Join(os.Remove(path), Account{Service: "icq", Token: token}.Save(dir)) },
	} {
		if err := errors.Join(os.RemoveAll(path), os.Chmod(dir, 0o700), a.Save(dir)); err != nil {
			t.Fatal(err)
		}
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(dir); err == nil || strings.Contains(err.Error(), token) || !strings.Contains(err.Error(), "; ") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// That a token was refused is forgotten with the first word that it is accepted, and nothing
// else that is known of the desk.
func TestAccepted(t *testing.T) {
	t.Parallel()
	for _, refused := range []bool{true, false} {
		dir := t.TempDir()
		must.Do(t, os.Chmod(dir, 0o700))
		must.Do(t, Accepted(dir)) // there is no word of it
		must.Do(t, private.Write(dir, StatusFile, Status{Version: 1, Refused: refused}))
		must.Do(t, Accepted(dir))
		if _, err := os.Stat(filepath.Join(dir, StatusFile)); (err != nil) != refused {
			t.Errorf("refused %v: %v", refused, err)
		}
	}
}

// A command has the chat alone: the desk that serves it is waited for, and does not begin
// meanwhile. A second command gives up.
func TestAlone(t *testing.T) {
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	dir, err := Dir()
	if err != nil {
		t.Fatal(err)
	}
	release, err := Serving(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan func())
	go func() {
		_, release, err := Alone(context.Background())
		if err != nil {
			t.Error(err)
		}
		got <- release
	}()
	for !watch.Held(filepath.Join(dir, Waits)) { // which the desk sees
	}
	release()
	alone := <-got
	if _, _, err := Alone(t.Context()); err == nil || !strings.Contains(err.Error(), "another askpane chat command is under way") {
		t.Errorf("a second command: %v", err)
	}
	soon, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Serving(soon, dir); !errors.Is(err, watch.ErrHeld) {
		t.Errorf("a desk meanwhile: %v", err)
	}
	alone()
	if release, err = Serving(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	release()
}
