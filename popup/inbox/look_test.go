package inbox

import (
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/popup/preview/styled"
	"github.com/askpane/askpane/tests/must"
)

// A row has the question's own words, how many questions there are, and whether one is
// dangerous; the one in focus is one bar.
func TestRow(t *testing.T) {
	t.Parallel()
	s := newStage(t, 80, 24)
	s.ask("claude", "/srv/shop", "Database", "Which database should the shop use?", time.Minute)
	raw := []byte(`{"questions":[{"header":"Drop","question":"Drop the old table?","type":"confirm_enum","is_dangerous":true}]}`)
	_, f, err := dialect.Decode("", raw)
	must.Do(t, err)
	e, err := s.spool.Create(spool.Request{Form: f, Raw: raw, Origin: spool.Origin{Agent: "codex", Cwd: "/srv", Start: time.Now()}})
	must.Do(t, err)
	t.Cleanup(func() { e.Close() })
	s.read().shows(" claude        2 · Which database should the shop use?", " codex         ⚠ Drop the old table?").hides("Database")
	for y, row := range s.rows() {
		if !strings.Contains(row, "> ") {
			continue
		}
		for x := 1; x < 79; x++ {
			if _, style, _ := s.screen.Get(x, y); style != s.v.Styles[styled.Cursor] {
				t.Fatalf("the bar has a gap in column %d:\n%s", x, row)
			}
		}
		return
	}
	t.Errorf("there is no focus on\n%s", s.text())
}

// Enter in the filter opens what is chosen there, and nothing where nothing is. When the last
// that the filter leaves is answered, it goes.
func TestFilterEnds(t *testing.T) {
	t.Parallel()
	s := newStage(t, 80, 24)
	s.ask("a", "/srv", "First", "The first?", 2*time.Minute)
	second := s.ask("b", "/srv", "Second", "The second?", time.Minute)
	s.read().press("/", "zzz", "Enter").shows("/zzz", "0 of 2")
	if s.gone {
		t.Fatal("it opens what is not there")
	}
	s.press("Ctrl+U", "second", "Enter")
	if s.left == nil {
		t.Fatal("Enter in the filter opens nothing")
	}
	s.v.Answer = func(string) error {
		return second.Settle(form.Result{Outcome: form.Cancelled, By: form.ByInbox, At: time.Now()})
	}
	s.read().shows("/second", "1 of 2")
	s.v.Notice = s.left()
	s.read().shows("1 waiting", "The first?", "Cancelled in the inbox: “Second”.").hides("/second")
}

// From where a question was asked stands at the right, and takes no more room than it needs.
func TestWhereTakesLittle(t *testing.T) {
	t.Parallel()
	prompt := strings.Repeat("words ", 7) + "end?"
	s := newStage(t, 110, 24)
	s.ask("claude", "/srv/x", "Database", prompt, time.Minute)
	s.read().shows("2 · " + prompt + " ")
}
