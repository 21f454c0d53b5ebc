package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/askpane/askpane/tests/needs"
)

// The page of a form of browserMinQuestions opens by itself where the person has set so,
// and is up where they have set browserEnabled alone. What is published starts nothing,
// and no project does.
func TestPageOpensByItself(t *testing.T) {
	needs.Long(t, "the page in a browser")
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	for _, c := range []struct {
		name, mine, project string
		request             string
		opens, up           bool
	}{
		{"nobody has set anything", `{}`, `{}`, trip, false, false},
		{"a project has", `{}`, `{"browserEnabled": true, "browserAutoOpen": true, "browserMinQuestions": 1}`, trip, false, false},
		{"a trusted project has", `{"trustedProjects": ["DIR"]}`, `{"browserEnabled": true, "browserAutoOpen": true, "browserMinQuestions": 1}`, trip, false, false},
		{"the person wants it up", `{"browserEnabled": true}`, `{"browserAutoOpen": true}`, trip, false, true},
		{"too few questions", `{"browserEnabled": true, "browserAutoOpen": true}`, `{}`, colour, false, true},
		{"enough questions", `{"browserEnabled": true, "browserAutoOpen": true}`, `{}`, trip, true, true},
		{"one is enough", `{"browserEnabled": true, "browserAutoOpen": true, "browserMinQuestions": 1}`, `{}`, colour, true, true},
	} {
		dir, _ := repository(t, c.project)
		alerted := filepath.Join(t.TempDir(), "alerted")
		p := newPerson(t, s.spool, "ASKPANE_ON_QUESTION_COMMAND=touch "+alerted)
		p.file(".config/askpane/settings.json", strings.ReplaceAll(c.mine, "DIR", dir))
		opened := p.opener()
		r := s.inPane(t, p.home, append(p.env, "sh", "-c", `cd "$0" && exec "$@"`, dir), "ask", "--file", p.file("request.json", c.request))
		v.see("1. ")
		id := s.spool.only(t)
		if c.up {
			eventually(t, c.name+": the desk is up", func() bool { _, up := p.desk(); return up })
		}
		if c.opens {
			eventually(t, c.name+": the page opens", func() bool { return len(opened()) == 1 })
			link := strings.TrimSuffix(opened()[0], ".html") + ".json"
			if page, err := os.ReadFile(link); err != nil || !strings.Contains(string(page), `"question":"`+id+`"`) {
				t.Errorf("%s: it opens %s, %v", c.name, page, err)
			}
		}
		eventually(t, "the alerts are raised, which is when a page opens", func() bool { _, err := os.Stat(alerted); return err == nil })
		v.press(esc)
		r.wait()
		// What the call has started was started before it ended.
		eventually(t, c.name+": nothing but the desk is left", func() bool {
			desk, up := p.desk()
			left := atHome(p.home)
			return len(left) == 0 || up && len(left) == 1 && left[0] == desk.PID
		})
		if _, err := os.Stat(filepath.Join(p.home, ".local/state/askpane/desk")); (err == nil) != c.up {
			t.Errorf("%s: the desk's directory: %v", c.name, err)
		}
		if n := len(opened()); c.opens != (n > 0) {
			t.Errorf("%s: %d pages open", c.name, n)
		}
	}
}

// The desk is up from a question on where a phone is paired that finds its way: else who
// looks there finds nothing.
func TestPhoneHasADesk(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	for phone, up := range map[string]bool{"p0123456789a": true, "t0123456789a": false} { // the other is a page
		alerted := filepath.Join(t.TempDir(), "alerted")
		p := newPerson(t, s.spool, "ASKPANE_PAGE_HOSTS=desk.example", "ASKPANE_ON_QUESTION_COMMAND=touch "+alerted)
		p.file(".local/state/askpane/desk/devices/"+phone, `{"key": "a key"}`)
		r := s.inPane(t, p.home, p.env, "ask", "--file", p.file("request.json", colour))
		v.see("1. ")
		eventually(t, "the alerts are raised", func() bool { _, err := os.Stat(alerted); return err == nil })
		if up {
			eventually(t, "the desk is up", func() bool { _, up := p.desk(); return up })
		}
		v.press(esc)
		r.wait()
		if _, is := p.desk(); is && !up {
			t.Error("a desk is up for a page that was closed")
		}
	}
}

// What is opened leads a real browser to the question, once.
func TestPageOpened(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t))
	b := p.browse()
	a, id := p.ask(colour)
	opened := p.opener()
	if out, err := p.command(binary, "page", id).CombinedOutput(); err != nil {
		t.Fatalf("askpane page: %v, %s", err, out)
	}
	file := opened()[0]
	n := b.another()
	n.do(chromedp.Navigate("file://" + file))
	n.sees("#q0-c0").types("3").sees(said)
	a.answered("Colour: user selected: 3. Blue")
	if _, err := os.Stat(file); err == nil {
		t.Error("the file is still there")
	}
}

// file is one in their home.
func (p *person) file(name, text string) string {
	p.Helper()
	return fileIn(p, p.home, name, text)
}

// fileIn writes a file below a directory, and returns its path.
func fileIn(t testing.TB, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.WriteFile(path, []byte(text), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// opener gives them a desktop, whose program that opens files writes down what it was
// given; opened is that.
func (p *person) opener() (opened func() []string) {
	list := filepath.Join(p.home, "opened")
	program := p.file("bin/xdg-open", "#!/bin/sh\necho \"$1\" >>"+quote(list)+"\n")
	if err := os.Chmod(program, 0o700); err != nil {
		p.Fatal(err)
	}
	p.env = append(p.env, "DISPLAY=:99", "PATH="+filepath.Dir(program)+":"+os.Getenv("PATH"))
	return func() []string {
		data, _ := os.ReadFile(list)
		return strings.Fields(string(data))
	}
}
