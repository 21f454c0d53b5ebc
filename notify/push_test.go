package notify

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/settings"
	"github.com/askpane/askpane/tests/hostiletexts"
)

// pushing are routes to a program that stands in for askpane-desk.
func pushing(body func() *exec.Cmd) Routes {
	return Routes{Push: func(args ...string) (*exec.Cmd, error) {
		cmd := body()
		cmd.Args = append(cmd.Args, args...)
		return cmd, nil
	}}
}

// The program gets it all on its standard input, when a notification would be shown.
func TestPushGetsTheMessage(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out")
	path := program(t, `{ echo "$#"; read -r line; echo "$line"; } > `+out+`.new; mv `+out+`.new `+out)
	var p pane
	begun := time.Now()
	a := begin(Question{Form: asked, ID: "01M7", Agent: "claude"}, settings.Settings{PushURL: "https://ntfy.sh/mine", NotificationDelaySeconds: 1},
		pushing(func() *exec.Cmd { return exec.Command(path) }), p.fail)
	want := "0\n" + `{"body":"A question waits for your answer.","id":"01M7-1","question":"01M7","title":"askpane: claude asks: Colour␛[31m of it","to":"https://ntfy.sh/mine","urgent":false}`
	if got := written(t, out); got != want {
		t.Errorf("it got %s, want %s", got, want)
	}
	if time.Since(begun) < time.Second {
		t.Error("it was sent before its time")
	}
	a.Clear()
	p.says(t, nil)
	if len(p.failed) > 0 {
		t.Errorf("failed: %v", p.failed)
	}
}

// When it is raised is what desktop notifications go by.
func TestPushIsDueWithNotifications(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := &pane{start: time.Now()}
		routes := Routes{Push: func(...string) (*exec.Cmd, error) {
			p.hear("push")
			return nil, exec.ErrNotFound
		}}
		s := settings.Settings{PushURL: "x", NotificationDelaySeconds: 30, ReminderMinutes: []float64{5, 10}, QuietHours: "00:10-07:00"}
		a := begin(Question{Form: asked}, s, routes, p.fail)
		time.Sleep(15 * time.Minute) // of the bubble
		a.Clear()
		if got := strings.Join(p.heard, ", "); got != "30 push, 300 push" {
			t.Errorf("heard %s", got)
		}
	})
}

func TestPushThatFails(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ body, want string }{
		"at once":       {"echo 'askpane: ntfy.sh refuses it with status 403' >&2; exit 1", "push: ntfy.sh refuses it with status 403"},
		"until the end": {"echo 'askpane: post to ntfy.sh: connection refused' >&2; exec sleep 600", "push: post to ntfy.sh: connection refused"},
		"silently":      {"exec sleep 600", "push: the server is slow, and the question was over before it had answered"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, said, begun := program(t, test.body), make(chan string, 9), make(chan bool, 1)
			r := pushing(func() *exec.Cmd { begun <- true; return exec.Command(path) })
			r.Output = func(_, line string) { said <- line }
			var p pane
			a := begin(Question{Form: asked}, settings.Settings{PushURL: "x"}, r, p.fail)
			<-begun
			if name != "silently" {
				<-said
			}
			a.Clear()
			if got := strings.Join(p.failed, ", "); got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}

// How much of a question is sent: of a secret one nothing, and of a dangerous one that it
// is.
func TestPushText(t *testing.T) {
	t.Parallel()
	question := form.Question{Label: "Deploy", Named: true, Prompt: "Deploy\nto production?"}
	danger, secret := question, form.Question{Label: "Password", Prompt: "Password of the vault?", Secret: true}
	permission := form.Question{Label: "Bash: curl -H token", Named: true, Prompt: "Run this?", Subject: &form.Subject{Tool: "Bash"}}
	danger.Dangerous = true
	for _, test := range []struct {
		content   string
		questions []form.Question
		title     string
		want      string
	}{
		{"nothing", []form.Question{question}, "askpane", "A question waits for your answer."},
		{"header", []form.Question{question}, "askpane: pi asks: Deploy", "A question waits for your answer."},
		{"question", []form.Question{question}, "askpane: pi asks: Deploy", "A question waits for your answer.\nDeploy to production?"},
		{"", []form.Question{question}, "askpane: pi asks: Deploy", "A question waits for your answer."},
		{"nothing", []form.Question{danger}, "askpane", "Dangerous. A question waits for your answer."},
		{"question", []form.Question{question, danger}, "askpane: pi asks: Deploy", "Dangerous. 2 questions wait for your answer.\nDeploy to production?\nDeploy to production?"},
		{"header", []form.Question{permission}, "askpane: pi asks: Bash", "A question waits for your answer."},
		{"question", []form.Question{permission}, "askpane: pi asks: Bash: curl -H token", "A question waits for your answer.\nRun this?"},
		{"header", []form.Question{secret}, "askpane", "A question waits for your answer."},
		{"question", []form.Question{question, secret}, "askpane", "2 questions wait for your answer."},
	} {
		title, body, urgent := pushText(Question{Agent: "pi", Form: &form.Form{Questions: test.questions}}, test.content)
		if title != test.title || body != test.want || urgent != strings.HasPrefix(body, "Dangerous") {
			t.Errorf("%s: %q, %q, %v; want %q, %q", test.content, title, body, urgent, test.title, test.want)
		}
	}
	for _, x := range hostiletexts.Texts(filepath.Join(t.TempDir(), "trap")) {
		many := make([]form.Question, 40)
		for i := range many {
			many[i].Prompt = x.Text
		}
		title, body, _ := pushText(Question{Agent: x.Text, Form: &form.Form{Title: x.Text, Questions: many}}, "question")
		if text.Visible(title) != title || text.Visible(body) != body || strings.Contains(title, "\n") || len(title)+len(body) > 4096 {
			t.Errorf("%s: %q, %q", x.Name, title, body)
		}
		if _, err := json.Marshal(body); err != nil {
			t.Error(err)
		}
	}
}

// What doctor says is what the program says; --check has it send nothing.
func TestDescribePush(t *testing.T) {
	t.Parallel()
	path := program(t, `[ "$1" = --check ] && cat >/dev/null && echo "posts to ntfy.sh, without a link"`)
	broken := program(t, `echo "askpane: pushUrl names no topic" >&2; exit 1`)
	for _, test := range []struct {
		routes Routes
		want   hint.Check
	}{
		{pushing(func() *exec.Cmd { return exec.Command(path) }), hint.Check{Section: "alerts", Name: "push", State: hint.OK, Detail: "posts to ntfy.sh, without a link; pushContent is header"}},
		{pushing(func() *exec.Cmd { return exec.Command(broken) }), hint.Check{Section: "alerts", Name: "push", State: hint.Warn, Detail: "pushUrl names no topic"}},
		{Routes{}, hint.Check{Section: "alerts", Name: "push", State: hint.Warn, Detail: "there is no program that could post it"}},
	} {
		if got := described(settings.Settings{PushURL: "x", PushContent: "header"}, test.routes)["push"]; got != test.want {
			t.Errorf("%+v, want %+v", got, test.want)
		}
	}
}
