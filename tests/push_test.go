package tests

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/address"
)

// ntfy takes messages as a server of ntfy does.
func ntfy(t *testing.T) (url string, took <-chan string) {
	messages := make(chan string, 9)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		messages <- r.Header.Get("Authorization") + " " + string(body)
		_, _ = io.WriteString(w, `{"id":"xE73Iyuabi","event":"message"}`)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/mine", messages
}

// pushed is a home whose settings have a command that makes the file raised as soon as
// alerts are raised, and the words that run a command in the project dir from there.
func pushed(t *testing.T, dir string, env ...string) (home string, words []string) {
	home = t.TempDir()
	settings, _ := json.Marshal(map[string]any{"trustedProjects": []string{dir}, "onQuestionCommand": "touch $HOME/raised", "notificationDelaySeconds": 0})
	fileIn(t, home, ".config/askpane/settings.json", string(settings))
	fileIn(t, home, ".config/askpane/push-token", "tk_mine\n")
	fileIn(t, home, "request.json", colour)
	return home, append(env, "sh", "-c", `cd "$0" && exec "$@"`, dir)
}

// The phone is told, with a link to the question and without a token in it, and the desk
// that the link leads to is up.
func TestPush(t *testing.T) {
	t.Parallel()
	url, took := ntfy(t)
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	dir, _ := repository(t, `{}`)
	home, words := pushed(t, dir, "ASKPANE_PUSH_URL="+url, "ASKPANE_PAGE_HOSTS=me.example")
	desk := filepath.Join(home, ".local/state/askpane/desk")
	endDesk(t, home)
	r := s.inPane(t, home, words, "ask", "--file", filepath.Join(home, "request.json"))
	v.see("Which colour?")
	got := <-took
	waiting := s.spool.pending()
	if len(waiting) != 1 {
		t.Fatalf("%v wait", waiting)
	}
	want := `Bearer tk_mine {"click":"https://me.example/#q=` + waiting[0] + `","message":"A question waits for your answer.","priority":3,"tags":["speech_balloon"],"title":"askpane: agent asks: Colour","topic":"mine"}`
	if got != want {
		t.Errorf("it took %s, want %s", got, want)
	}
	if a, err := address.Last(desk); err != nil || syscall.Kill(a.PID, 0) != nil {
		t.Errorf("the desk: %+v, %v", a, err)
	}
	v.press("1")
	if out, errs, code := r.wait(); code != "0" || errs != "" {
		t.Errorf("exit %s, %q, %q", code, out, errs)
	}
	try := s.inPane(t, home, words, "doctor", "--try")
	contains(t, "the test", <-took, `"title":"askpane: askpane doctor asks: `, "Bearer tk_mine")
	v.see("This is a test question from askpane doctor.")
	v.press(enter)
	out, _, _ := try.wait()
	contains(t, "doctor", out, "✓ push      raised", "✓ push      posts to 127.0.0.1:", ", with a token, with a link to the page; pushContent is header")
	if strings.Contains(out, "tk_mine") {
		t.Error("doctor shows the token")
	}
	log, _ := os.ReadFile(filepath.Join(home, ".local/state/askpane/askpane.log"))
	if strings.Contains(string(log), "tk_mine") {
		t.Error("the log has the token")
	}
}

// A button of the message answers its question at the desk, once. What doctor says of it is true.
func TestPushIsAnswered(t *testing.T) {
	t.Parallel()
	url, took := ntfy(t)
	dir, _ := repository(t, `{}`)
	home, words := pushed(t, dir, "ASKPANE_PUSH_URL="+url, "ASKPANE_PAGE_LISTEN=127.0.0.2", "ASKPANE_PUSH_ANSWERS=true")
	endDesk(t, home)
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	ask := func(more ...string) (ran, string) {
		r := s.inPane(t, home, append(more, words...), "ask", "Go on?", "Yes", "No")
		v.see("Go on?")
		return r, <-took
	}
	r, said := ask()
	if strings.Contains(said, "actions") {
		t.Errorf("where the message does not show the question it has buttons: %s", said)
	}
	v.press("1")
	r.wait()
	r, said = ask("ASKPANE_PUSH_CONTENT=question")
	var message struct {
		Message string
		Actions []struct {
			Label, URL, Method, Body string
			Headers                  map[string]string
		}
	}
	_, said, _ = strings.Cut(said, "{")
	if err := json.Unmarshal([]byte("{"+said), &message); err != nil || len(message.Actions) != 2 || message.Actions[1].Label != "No" || !strings.Contains(message.Message, "Go on?") {
		t.Fatalf("it took %s: %v", said, err)
	}
	press := func() int {
		a := message.Actions[1]
		request, err := http.NewRequest(a.Method, a.URL, strings.NewReader(a.Body))
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range a.Headers {
			request.Header.Set(name, value)
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response.StatusCode
	}
	if code := press(); code != http.StatusOK {
		t.Errorf("the button: %d", code)
	}
	if out, errs, code := r.wait(); strings.TrimSpace(out) != "No" || code != "0" {
		t.Errorf("exit %s, %q, %q", code, out, errs)
	}
	if code := press(); code != http.StatusUnauthorized {
		t.Errorf("the button once more: %d", code)
	}
}

// Nobody is told any more of a question whose asker was killed.
func TestPushEndsWithItsAsker(t *testing.T) {
	t.Parallel()
	began, ended := make(chan bool, 1), make(chan bool, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { // a slow one
		_, _ = io.Copy(io.Discard, r.Body) // else nothing tells that the other side has ended
		began <- true
		<-r.Context().Done()
		ended <- true
	}))
	t.Cleanup(server.Close)
	home, _ := pushed(t, t.TempDir())
	ask := exec.Command(binary, "ask", "--file", filepath.Join(home, "request.json"))
	ask.Env = environ(home, "ASKPANE_SPOOL="+string(newSpool(t)), "ASKPANE_PUSH_URL="+server.URL+"/mine", "ASKPANE_PAGE_ALONE=true")
	ask.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no terminal
	if err := ask.Start(); err != nil {
		t.Fatal(err)
	}
	endDesk(t, home)
	eventually(t, "the desk is up", func() bool {
		_, err := address.Last(filepath.Join(home, ".local/state/askpane/desk"))
		return err == nil
	})
	<-began
	if err := ask.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = ask.Wait() // killed
	select {
	case <-ended:
	case <-time.After(5 * time.Second): // half of what a server may take
		t.Error("it is still being posted")
	}
}

// A project, even a trusted one, cannot have questions sent to its author.
func TestPushOfAProject(t *testing.T) {
	t.Parallel()
	url, took := ntfy(t)
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	dir, _ := repository(t, `{"pushUrl": "`+url+`", "pushContent": "question"}`)
	home, words := pushed(t, dir)
	r := s.inPane(t, home, words, "ask", "--file", filepath.Join(home, "request.json"))
	v.see("Which colour?")
	eventually(t, "alerts are raised", func() bool {
		_, err := os.Stat(filepath.Join(home, "raised"))
		return err == nil
	})
	v.press("1")
	_, errs, code := r.wait()
	contains(t, "standard error", errs, "pushUrl: no project's file sets this, only your own and ASKPANE_PUSH_URL; ignored")
	if code != "0" || len(took) > 0 {
		t.Errorf("exit %s; it was sent %d messages", code, len(took))
	}
	out, _, _ := s.inPane(t, home, words, "doctor").wait()
	contains(t, "doctor", out, "- push      pushUrl is empty")
}
