package preview

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/preview/styled"
)

// behaviour is the environment variable that makes this test's program one that
// renders previews, more or less well.
const behaviour = "PREVIEW_TEST"

func TestMain(m *testing.M) {
	if os.Getenv(behaviour) == "" {
		goleak.VerifyTestMain(m)
		return
	}
	content, _ := io.ReadAll(os.Stdin)
	say := func(rows []styled.Row) { _ = json.NewEncoder(os.Stdout).Encode(rows) }
	switch os.Getenv(behaviour) {
	case "renders":
		say([]styled.Row{{{Text: fmt.Sprintf("%s, %s wide: ", os.Args[1], os.Args[2]), Style: styled.Dim}, {Text: string(content), Style: styled.Keyword, Bold: true}}})
	case "one document":
		fmt.Println(`["<p>one</p>"]`)
	case "hostile":
		say([]styled.Row{{{Text: "\x1b[2J\x1b]0;x\a\u202e\nnext row"}}, {{Text: strings.Repeat("字", 100)}, {Text: "more"}}})
	case "unknown style":
		fmt.Println(`[[{"text":"x","style":200}]]`)
	case "more than rows":
		say([]styled.Row{{{Text: "x"}}})
		fmt.Print("\x1b[2J")
	case "garbage":
		fmt.Println("Rendering…")
	case "endless garbage":
		for {
			if _, err := fmt.Print("["); err != nil {
				os.Exit(1)
			}
		}
	case "fails":
		say([]styled.Row{{{Text: "half"}}})
		os.Exit(1)
	case "hangs":
		<-time.After(time.Hour)
	}
	os.Exit(0)
}

// patience is enough for a program that renders, however busy the machine is.
const patience = time.Minute

// program is this test's program with that behaviour.
func program(how string) Program {
	return func(args ...string) (*exec.Cmd, error) {
		cmd := exec.Command(os.Args[0], args...)
		cmd.Env = append(os.Environ(), behaviour+"="+how)
		return cmd, nil
	}
}

func plainText(rows []styled.Row) string {
	var lines []string
	for _, row := range rows {
		lines = append(lines, row.String())
	}
	return strings.Join(lines, "\n")
}

var code = form.Preview{Type: "code", Content: "func f()"}

// shown asks for p until there is news of it, or, where none is expected, until the
// program's time is over, and returns what is shown first and last.
func shown(t *testing.T, how string, p form.Preview, width int, news bool) (first, last []styled.Row) {
	t.Helper()
	changed := make(chan func(), 1)
	r := New(program(how), func(take func()) { changed <- take })
	defer r.Close()
	if news {
		r.deadline = patience
	}
	first = r.Rows(p, width)
	if news {
		select {
		case take := <-changed:
			take()
		case <-time.After(patience):
			t.Fatal("no news")
		}
	} else {
		r.running.Wait()
		if len(changed) > 0 {
			t.Error("there is news of a preview that failed")
		}
	}
	return first, r.Rows(p, width)
}

func TestRendered(t *testing.T) {
	first, last := shown(t, "renders", code, 40, true)
	if got := plainText(first); got != "func f()" {
		t.Errorf("at first there is %q", got)
	}
	if got := plainText(last); got != "code, 40 wide: func f()" {
		t.Errorf("then there is %q", got)
	}
	if got := last[0][1]; got.Style != styled.Keyword || !got.Bold {
		t.Errorf("the keyword is %+v", got)
	}
}

// What is to be approved is shown whole; what stands beside an option is not, if it is too long.
func TestAllThatIsApprovedIsShown(t *testing.T) {
	r := New(nil, nil)
	defer r.Close()
	for kind, whole := range map[string]bool{"command": true, "diff": true, "json": true, styled.Document: true, "code": false} {
		p := form.Preview{Type: kind, Content: strings.Repeat("echo one more line\n", 5000) + "rm -rf /"}
		rows := r.Rows(p, 40)
		if got := strings.Contains(plainText(rows), "rm -rf /"); got != whole {
			t.Errorf("%s: the end is shown: %v, in %d rows", kind, got, len(rows))
		}
	}
}

// Whatever the program does, the preview is its plain text.
func TestFailing(t *testing.T) {
	for _, how := range []string{"garbage", "more than rows", "endless garbage", "fails", "hangs"} {
		t.Run(how, func(t *testing.T) {
			start := time.Now()
			first, last := shown(t, how, code, 40, false)
			if plainText(first) != "func f()" || plainText(last) != "func f()" {
				t.Errorf("there is %q, then %q", plainText(first), plainText(last))
			}
			if took := time.Since(start); took > 20*deadline {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// What can be no document of each text is an error, and so is one that has no turn in its time.
func TestDocumentsThatFail(t *testing.T) {
	words := []Text{{Content: "one"}, {Content: "two"}}
	for how, want := range map[string]string{"one document": "1 documents of 2 texts", "garbage": "invalid character", "fails": "exit status 1"} {
		if documents, err := Render(t.Context(), program(how), 40, words...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %q, %v", how, documents, err)
		}
	}
	if _, err := Render(t.Context(), program("renders"), 40, Text{Content: strings.Repeat("x", maxDocuments+1)}); err == nil || !strings.Contains(err.Error(), "no HTML is made of") {
		t.Errorf("too much: %v", err)
	}
	for range cap(turns) {
		turns <- struct{}{}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := Render(ended, program("renders"), 40, words...); !errors.Is(err, context.Canceled) {
		t.Errorf("without a turn: %v", err)
	}
	for range cap(turns) {
		<-turns
	}
}

func TestMissing(t *testing.T) {
	for name, p := range map[string]Program{"none": nil, "not found": func(...string) (*exec.Cmd, error) { return nil, errors.New("not installed") },
		"no program": func(...string) (*exec.Cmd, error) { return exec.Command("/nowhere/askpane-preview"), nil }} {
		r := New(p, func(func()) { t.Errorf("%s: news", name) })
		if got := plainText(r.Rows(code, 40)); got != "func f()" {
			t.Errorf("%s: %q", name, got)
		}
		r.running.Wait()
		r.Close()
	}
}

// What comes back is as safe and as narrow as what is not rendered.
func TestHostileRows(t *testing.T) {
	_, last := shown(t, "hostile", code, 30, true)
	for i, row := range last {
		if row.Width() > 30 {
			t.Errorf("row %d is %d cells wide", i, row.Width())
		}
		for _, s := range row {
			if s.Text != text.Visible(s.Text) || strings.Contains(s.Text, "\n") {
				t.Errorf("row %d holds %q", i, s.Text)
			}
		}
	}
	if got := strings.ReplaceAll(plainText(last), "\n↳ ", ""); !strings.HasSuffix(got, strings.Repeat("字", 100)+"more") {
		t.Errorf("what is too wide is cut: %q", got)
	}
	_, last = shown(t, "unknown style", code, 80, true)
	if plainText(last) != "x" || last[0][0].Style >= styled.Styles {
		t.Errorf("an unknown style is %+v", last)
	}
}

// Another preview takes the place of the one before, which is asked for anew when it
// comes on view again.
func TestAnother(t *testing.T) {
	how := "hangs"
	changed := make(chan func(), 1)
	r := New(func(args ...string) (*exec.Cmd, error) { return program(how)(args...) }, func(take func()) { changed <- take })
	defer r.Close()
	start := time.Now()
	r.Rows(code, 40)
	r.running.Wait() // its time is over
	how, r.deadline = "renders", patience
	other := form.Preview{Type: "markdown", Content: "# A"}
	for _, p := range []form.Preview{other, code} {
		r.Rows(p, 40)
		select {
		case take := <-changed:
			take()
		case <-time.After(patience):
			t.Fatal("no news")
		}
		if got, want := plainText(r.Rows(p, 40)), p.Type+", 40 wide: "+p.Content; got != want {
			t.Errorf("there is %q, want %q", got, want)
		}
	}
	if took := time.Since(start); took < deadline {
		t.Errorf("what hangs was ended after %v", took)
	}
}

// A form that closes does not wait for what is being rendered.
func TestClose(t *testing.T) {
	r := New(program("hangs"), func(func()) { t.Error("news") })
	r.Rows(code, 40)
	r.Close()
	if got := plainText(r.Rows(code, 50)); got != "func f()" {
		t.Errorf("afterwards there is %q", got)
	}
}

func TestPlain(t *testing.T) {
	for _, c := range []struct {
		name string
		p    form.Preview
		want string
	}{
		{"words", form.Preview{Type: "text", Content: "one two three"}, "one two\nthree"},
		{"code goes on below where a word ends", form.Preview{Type: "code", Content: "one two three"}, "one two \n↳ three"},
		{"a word longer than a row is cut", form.Preview{Type: "code", Content: "onetwothreefour"}, "onetwothre\n↳ efour"},
		{"hostile", form.Preview{Content: "a\x1b[2J"}, "a␛[2J"},
		{"lines", form.Preview{Content: "a\n\n  b \n\n"}, "a\n\n  b"},
	} {
		if got := plainText(New(nil, nil).Rows(c.p, 10)); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestTooLong(t *testing.T) {
	r := New(nil, nil)
	rows := r.Rows(form.Preview{Type: "text", Content: strings.Repeat("字", maxContent)}, 80)
	if last := plainText(rows[len(rows)-1:]); last != "The rest is too long to be shown here." {
		t.Errorf("the last row is %q", last)
	}
	if strings.Contains(plainText(rows), "⟨0x") {
		t.Error("a character was cut in two")
	}
}

// Whatever is previewed, rows are safe and narrow enough.
func FuzzRows(f *testing.F) {
	for _, kind := range []string{"", "text", "code", "markdown"} {
		f.Add(kind, "a\x1b\u202e字\u0301\n\tb", 3)
	}
	f.Fuzz(func(t *testing.T, kind, content string, width int) {
		width = min(width, 300)
		for i, row := range New(nil, nil).Rows(form.Preview{Type: kind, Content: content}, width) {
			if row.Width() > max(1, width) {
				t.Errorf("row %d is %d cells wide", i, row.Width())
			}
			for _, s := range row {
				if s.Text != text.Visible(s.Text) || strings.Contains(s.Text, "\n") {
					t.Errorf("row %d holds %q", i, s.Text)
				}
			}
		}
	})
}
