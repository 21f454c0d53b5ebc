package plan

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text/document"
	"github.com/askpane/askpane/tests/must"
)

const first = "# Plan\n\none\n\ntwo\n"

// desk is where plans are asked about: a spool and the plan's file.
type desk struct {
	*testing.T
	*spool.Spool
	file string
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	sp, err := spool.Open(filepath.Join(t.TempDir(), "spool"))
	must.Do(t, err)
	t.Cleanup(func() { sp.Close() })
	d := &desk{t, sp, filepath.Join(t.TempDir(), "plan.md")}
	d.writes(first)
	return d
}

func (d *desk) writes(plan string) {
	d.Helper()
	must.Do(d, os.WriteFile(d.file, []byte(plan), 0o600))
}

func origin(session string) spool.Origin {
	return spool.Origin{Agent: "claude", Session: session, PID: 7, Start: time.Now()}
}

// asked returns what a session would ask about the file now.
func (d *desk) asked(session string) (*form.Document, request) {
	d.Helper()
	r := request{members: map[string]json.RawMessage{}}
	r.set("file", d.file)
	must.Do(d, r.open("/"))
	r.recall(d.Spool, origin(session))
	_, f, err := dialect.Decode(Name, r.raw())
	must.Do(d, err)
	return f.Document(), r
}

// asks puts a question about the file into the spool.
func (d *desk) asks(session string) *spool.Entry {
	d.Helper()
	_, r := d.asked(session)
	_, f, err := dialect.Decode(Name, r.raw())
	must.Do(d, err)
	e, err := d.Create(spool.Request{Form: f, Raw: r.raw(), Origin: origin(session)})
	must.Do(d, err)
	return e
}

// said is what a person has said to line 3, as it stands in a draft.
func said(words string) []form.Answer { return []form.Answer{{LineNotes: map[int]string{3: words}}} }

func (d *desk) drafts(e *spool.Entry, words string) {
	d.Helper()
	var old any
	must.Do(d, e.UpdateDraft(&old, func(bool) (any, error) {
		return map[string]any{"version": 1, "answers": said(words)}, nil
	}))
}

func TestCommentsOfACallThatDied(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	e := d.asks("s")
	d.drafts(e, "why?")
	_, r := d.asked("s")
	if string(r.members["before"]) == "" || !e.Waits() {
		t.Error("another call of the session sees nothing of a plan that still waits")
	}
	must.Do(t, e.Close())
	if doc, _ := d.asked("s"); doc.Changed != nil || doc.Kept != nil {
		t.Errorf("the same text is not left to the bridge: %+v", doc)
	}
	d.writes("# Plan\n\nnew\n\none\n\ntwo\n")
	if doc, _ := d.asked("another"); doc.Kept != nil {
		t.Error("another session gets the comments")
	}
	doc, _ := d.asked("s")
	if !slices.Equal(doc.Changed, []int{3}) || doc.Kept[5] != "why?" || doc.Sent != nil {
		t.Errorf("the next version has %+v", doc)
	}
	if waiting, _, _ := d.Scan(); len(waiting) != 0 {
		t.Error("the version before still waits for somebody")
	}
	if doc, _ := d.asked("s"); doc.Kept[5] != "why?" {
		t.Error("the comments are gone once they were looked up")
	}
}

func TestCommentsThatWereSent(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	e := d.asks("s")
	answers := said("why?")
	answers[0].Choices = []int{1}
	must.Do(t, e.Settle(form.Result{Outcome: form.Answered, Answers: answers, By: form.ByPopup, At: time.Now()}))
	must.Do(t, e.Deliver())
	must.Do(t, e.Close())
	d.writes("# Plan\n\none\n\nother\n")
	if doc, _ := d.asked("s"); doc.Sent[3] != "why?" || doc.Kept != nil || !slices.Equal(doc.Changed, []int{5}) {
		t.Errorf("the next version has %+v", doc)
	}
	r := request{path: d.file}
	late := origin("s")
	if late.Start = late.Start.Add(Kept + time.Hour); r.last(d.Spool, late) != nil {
		t.Error("they come back after more than 7 days")
	}
}

// An approval counts for what was shown and no other text.
func TestOutdated(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	_, r := d.asked("s")
	approved := func(shown string) bridge.Envelope {
		details, _ := json.Marshal(map[string]any{"decision": "approve", "shown": document.Sum(shown), "comments": []remark{{3, "why?"}}})
		return bridge.Envelope{Reply: dialect.Reply{Details: details}}
	}
	if again, err := r.outdated(approved(first)); again || err != nil {
		t.Errorf("the same text: %v, %v", again, err)
	}
	d.writes("# Plan\n\none\n\nrm -rf /\n")
	if again, _ := r.outdated(bridge.Envelope{Reply: dialect.Reply{Details: json.RawMessage(`{"decision":"keep_planning","shown":"x"}`)}}); again {
		t.Error("what approves nothing is asked again")
	}
	if again, err := r.outdated(approved(first)); !again || err != nil {
		t.Fatalf("another text: %v, %v", again, err)
	}
	_, f, err := dialect.Decode(Name, r.raw())
	must.Do(t, err)
	if doc := f.Document(); !strings.Contains(doc.Text, "rm -rf") || !slices.Equal(doc.Changed, []int{5}) || doc.Kept[3] != "why?" || !strings.Contains(f.Intro, "has changed") {
		t.Errorf("asked again is %+v", doc)
	}
	must.Do(t, os.Remove(d.file))
	if _, err := r.outdated(approved("x")); err == nil {
		t.Error("a file that is gone is approved")
	}
}

func TestAskRefusesFiles(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	big := strings.Repeat("a", dialect.MostPlan+1)
	for name, c := range map[string]struct{ content, want string }{
		"none.md":  {"", "no such file or directory"},
		"bin.md":   {"\xff\xfe", "it is binary, or not UTF-8, of 2 bytes"},
		"blank.md": {" \n", "it is empty"},
		"big.md":   {big, "it has more than 262144 bytes"},
		"dir.md":   {"", "it is not a regular file"},
	} {
		path := filepath.Join(filepath.Dir(d.file), name)
		switch {
		case name == "dir.md":
			must.Do(t, os.Mkdir(path, 0o700))
		case c.content != "":
			must.Do(t, os.WriteFile(path, []byte(c.content), 0o600))
		}
		var got bridge.Envelope
		raw, _ := json.Marshal(map[string]string{"file": name})
		q := bridge.Question{Dialect: Name, Raw: raw, Origin: spool.Origin{Cwd: filepath.Dir(path)}}
		must.Do(t, Ask(context.Background(), &bridge.Bridge{Spool: d.Spool}, q, func(e bridge.Envelope) error {
			got = e
			return nil
		}))
		if got.Outcome != form.Rejected || !got.IsError || got.Text != "Error: read the plan "+path+": "+c.want {
			t.Errorf("%s: %s %q", name, got.Outcome, got.Text)
		}
	}
}
