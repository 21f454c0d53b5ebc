package machine

import (
	"maps"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/form"
)

// planned returns the form of a plan with two ways to approve it.
func planned(d form.Document) *form.Form {
	if d.Text == "" {
		d.Text = "# Plan\n\nFirst this.\n\n## Then\n\n- that\n- and that\n"
	}
	return &form.Form{Dialect: "plan", Title: "Plan", Remarks: form.Comments, Questions: []form.Question{{ID: "plan", Label: "Plan", Prompt: "Go on?", Kind: form.One, Other: "Approve as edited…",
		Options: []form.Option{{Value: "auto", Label: "Approve, auto", Allows: true}, {Value: "manual", Label: "Approve", Allows: true}, {Value: "keep_planning", Label: "Keep planning", Remarks: true}}, Document: &d}}}
}

// press gives m events; a text is typed.
func press(m *Machine, events ...any) *Machine {
	for _, e := range events {
		switch e := e.(type) {
		case Action:
			m.Handle(Event{Action: e})
		case int:
			m.Handle(Event{Action: Pick, N: e})
		case string:
			m.Handle(Event{Action: Type, Text: e})
		}
	}
	return m
}

func TestDocument(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		does []any
		mode Mode
		line int
	}{
		"begins":                       {nil, Document, 1},
		"down":                         {[]any{Down, Down}, Document, 5},
		"down beyond the end":          {[]any{Last, Down}, Document, 8},
		"heading":                      {[]any{NextHeading, NextHeading}, Document, 5},
		"heading above":                {[]any{Last, PrevHeading}, Document, 5},
		"choices":                      {[]any{Turn, Down, Down}, List, 1},
		"choices and back":             {[]any{Down, Turn, Turn}, Document, 3},
		"search":                       {[]any{OpenSearch, "that"}, Search, 7},
		"next match":                   {[]any{OpenSearch, "that", Accept, NextMatch}, Document, 8},
		"match around":                 {[]any{OpenSearch, "that", Accept, PrevMatch}, Document, 8},
		"search left":                  {[]any{OpenSearch, "that", Back, NextMatch}, Document, 7},
		"comment":                      {[]any{Down, NoteLine}, Note, 3},
		"comment cannot be on no line": {[]any{Turn, NoteLine, Back}, List, 1},
	} {
		m := press(New(planned(form.Document{}), nil, true), c.does...)
		if m.Mode() != c.mode || m.Line() != c.line {
			t.Errorf("%s: mode %s on line %d, want %s on %d", name, m.Mode(), m.Line(), c.mode, c.line)
		}
	}
}

func TestDocumentAnswers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		does   []any
		answer string // in words; empty while it is open
		notes  map[int]string
		about  string
	}{
		"approve":                           {[]any{1}, "Approve, auto", nil, ""},
		"approve by the cursor":             {[]any{Turn, Down, Commit}, "Approve", nil, ""},
		"the document's Enter is no answer": {[]any{Commit, Choose, Toggle}, "", nil, ""},
		"keep planning asks first":          {[]any{3}, "", nil, ""},
		"and approves nothing":              {[]any{3, Accept}, "Keep planning", nil, ""},
		"with words":                        {[]any{3, "smaller steps", Accept}, "Keep planning", nil, "smaller steps"},
		"taken back":                        {[]any{3, "smaller steps", Back}, "", nil, ""},
		"comment":                           {[]any{Down, NoteLine, "why?", Accept, 3, Accept}, "Keep planning", map[int]string{3: "why?"}, ""},
		"comment changed":                   {[]any{Down, NoteLine, "why?", Accept, NoteLine, "how?", Leave, 2}, "Approve", map[int]string{3: "how?"}, ""},
		"comment removed":                   {[]any{Down, NoteLine, "why?", Accept, NoteLine, "", Accept, 2}, "Approve", map[int]string{}, ""},
		"edited, but as it was":             {[]any{4, Accept}, "", nil, ""},
		"edited":                            {[]any{4, "# Other plan", Accept}, "Approve as edited", nil, ""},
		"edited to nothing":                 {[]any{4, " ", Accept}, "", nil, ""},
	} {
		m := New(planned(form.Document{}), nil, true)
		m.Seen = true
		r, over := press(m, c.does...).Result()
		if over != (c.answer != "") {
			t.Errorf("%s: over is %v, in mode %s", name, over, m.Mode())
			continue
		}
		if !over {
			continue
		}
		if err := m.Form().Check(r); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := m.Form().Questions[0].Say(r.Answers[0], "", nil); got != c.answer || !maps.Equal(r.Answers[0].LineNotes, c.notes) || r.Comment != c.about {
			t.Errorf("%s: %q with %v and %q, want %q with %v and %q", name, got, r.Answers[0].LineNotes, r.Comment, c.answer, c.notes, c.about)
		}
	}
}

// Nothing approves a document of which the end was not on view; to send it back, that need not be.
func TestDocumentIsSeenFirst(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		does []any
		want bool
	}{"its number": {[]any{1}, false}, "the cursor": {[]any{Turn, Down, Commit}, false}, "sent back": {[]any{3, Accept}, true}} {
		m := New(planned(form.Document{}), nil, true)
		m.Seen = false
		if _, over := press(m, c.does...).Result(); over != c.want || over == (m.Notice() != "") {
			t.Errorf("%s: over is %v, and it says %q", name, over, m.Notice())
		}
	}
}

// What was on view before it was asked for anew does not count.
func TestAnewIsSeenAnew(t *testing.T) {
	t.Parallel()
	m := New(planned(form.Document{}), nil, true)
	m.Seen = true
	m.Anew("changed")
	if _, over := press(m, 1).Result(); over {
		t.Error("it is approved unseen")
	}
}

// Comments and what is open come back with the draft; what was kept of the version before
// begins there, what was sent does not.
func TestDocumentDraft(t *testing.T) {
	t.Parallel()
	before := form.Document{Changed: []int{7}, Kept: map[int]string{3: "kept"}, Sent: map[int]string{5: "sent"}}
	m := press(New(planned(before), nil, true), Down, NoteLine, "on the last", Accept, OpenSearch, "first", Accept, 3, "half a sen")
	if m.Line() != 3 {
		t.Fatalf("the cursor is on line %d", m.Line())
	}
	d := m.Draft()
	again := New(planned(before), &d, true)
	if want := map[int]string{3: "kept", 8: "on the last"}; !maps.Equal(again.Answer(0).LineNotes, want) {
		t.Errorf("the comments are %v, want %v", again.Answer(0).LineNotes, want)
	}
	if !again.Sends() || again.Buffer() != "half a sen" || again.Searched() != "first" || again.Line() != 3 {
		t.Errorf("it goes on in mode %s with %q, on line %d", again.Mode(), again.Buffer(), again.Line())
	}
	if press(again, Accept); again.Mode() != Over {
		t.Error("the remark is not sent with the choice")
	}
	if fresh := New(planned(before), nil, true); fresh.Line() != 7 || fresh.Draft().Begun(fresh.Form()) {
		t.Errorf("a new version begins on line %d", fresh.Line())
	}
}

// Two surfaces keep each other's comments.
func TestDocumentOnTwoSurfaces(t *testing.T) {
	t.Parallel()
	f := planned(form.Document{})
	a := press(New(f, nil, true).As("popup"), NoteLine, "from the popup", Accept)
	b := New(f, nil, true).As("browser")
	b.Meet(a.Draft())
	press(b, Down, NoteLine, "from the browser", Accept)
	a.Meet(b.Draft())
	if got := strings.Join(a.Answer(0).Notes(), ", "); got != "from the popup, from the browser" {
		t.Errorf("the popup has %q", got)
	}
}
