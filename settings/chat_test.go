package settings

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// No project has its questions shown in the chat more than the person wants, and neither
// has a variable, which an agent's configuration may set.
func TestProjectOnlyNarrowsTheChat(t *testing.T) {
	for _, c := range []struct{ global, project, variable, want string }{
		{"", "", "", "away"},
		{"", "always", "", "away"},
		{"", "never", "always", "never"},
		{"", "", "always", "away"},
		{"", "", "never", "never"},
		{"always", "away", "", "away"},
		{"always", "", "away", "away"},
		{"never", "away", "always", "never"},
	} {
		h := newHome(t)
		write := func(name, value string) {
			if value != "" {
				h.write(name, `{"chatWhen": "`+value+`"}`)
			}
		}
		write(globalFile, c.global)
		write(projectFile, c.project)
		if t.Setenv("ASKPANE_CHAT_WHEN", c.variable); c.variable == "" {
			os.Unsetenv("ASKPANE_CHAT_WHEN")
		}
		l := Load(h.repo)
		if l.ChatWhen != c.want {
			t.Errorf("%+v: chatWhen is %q", c, l.ChatWhen)
		}
		refused := c.project == "always" || c.variable == "always" || c.global == "never"
		if refused != (len(l.Problems) > 0) {
			t.Errorf("%+v: the problems are %v", c, l.Problems)
		}
	}
	s := Settings{ChatWhen: "away"}
	for asked, want := range map[string]string{"": "away", "never": "never", "always": "away", "of a later version": "never"} {
		if got := s.ChatFor(asked); got != want {
			t.Errorf("of a question asked with %q: %q, want %q", asked, got, want)
		}
	}
}

// No question waits for a chat in which nobody may answer, or whose token is refused.
func TestInChat(t *testing.T) {
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	dir := filepath.Join(state, "askpane", "chat")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	refused := func(ago time.Duration) string {
		return `{"version":1,"err":"the token","refused":true,"since":"` + time.Now().Add(-ago).Format(time.RFC3339) + `"}`
	}
	const ada = `{"version":1,"users":[{"id":"1","name":"Ada"}]}`
	for _, c := range []struct {
		when, chat, status string
		want               bool
	}{
		{"away", "", "", false},
		{"away", ada, "", true},
		{"never", ada, "", false},
		{"away", `{"version":1,"users":null}`, "", false},
		{"away", `{"users":[]}`, "", false},
		{"away", "damaged", "", false},
		{"always", ada, `{"version":1,"err":"cannot reach it"}`, true},
		{"always", ada, refused(0), false},
		{"always", ada, refused(ChatRefused), true},
		{"always", ada, refused(-2 * ChatRefused), true}, // by a clock that was set back since
	} {
		for name, content := range map[string]string{"chat.json": c.chat, "status.json": c.status} {
			err := os.RemoveAll(filepath.Join(dir, name))
			if err == nil && content != "" {
				err = os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if s := (&Settings{ChatWhen: c.when}); s.InChat() != c.want {
			t.Errorf("%+v: %t", c, s.InChat())
		}
	}
}
