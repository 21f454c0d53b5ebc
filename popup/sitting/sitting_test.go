package sitting

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/settings"
	"github.com/askpane/askpane/tests/must"
)

// held is a question that waits in a spool of its own, as a page would hold it.
type held struct {
	*testing.T
	*Sitting
	dir     string
	happens chan func()
}

func hold(t *testing.T) *held { return holdOf(t, "") }

// holdOf is hold of a question that the agent asks with its own tool, whose dialog stands there.
func holdOf(t *testing.T, native string) *held {
	t.Helper()
	t.Parallel()
	dir := t.TempDir()
	sp, err := spool.Open(dir)
	must.Do(t, err)
	raw := `{"questions":[{"id":"c","label":"Colour","prompt":"Which?","options":[{"value":"r","label":"Red"},{"value":"g","label":"Green"}],"allowOther":true}]}`
	_, f, err := dialect.Decode("question", []byte(raw))
	must.Do(t, err)
	e, err := sp.Create(spool.Request{Form: f, Raw: json.RawMessage(raw), Origin: spool.Origin{Agent: "claude", Native: native, Cwd: dir, Start: time.Now()}})
	must.Do(t, err)
	req, err := e.Request()
	must.Do(t, err)
	h := &held{T: t, dir: filepath.Join(dir, e.ID), happens: make(chan func())}
	h.Sitting = New(t.Context(), e, req, Surface{By: form.ByPage, Name: "browser", Post: Into(h.happens)})
	t.Cleanup(func() {
		h.Close()
		e.Close()
		must.Do(t, sp.Close())
	})
	return h
}

// until runs what happens until it is so.
func (h *held) until(what string, so func() bool) {
	h.Helper()
	for limit := time.After(30 * time.Second); !so(); {
		select {
		case do := <-h.happens:
			do()
		case <-limit:
			h.Fatalf("it never was so: %s", what)
		}
	}
}

var green = machine.Event{Action: machine.Pick, N: 2}

func TestSettles(t *testing.T) {
	h := hold(t)
	settled := false
	h.Settled = func() { settled = true }
	h.Handle(green)
	if r, over, err := h.Entry.Answer(); !over || err != nil || r.By != form.ByPage || !h.Mine || !settled {
		t.Errorf("the answer is %+v, %v, %v; said here: %v, told: %v", r, over, err, h.Mine, settled)
	}
}

// Of two answers the first stands, and the other surface knows whose that was: where it
// answers, and where it does nothing.
func TestFirstElsewhere(t *testing.T) {
	for what, do := range map[string]func(h *held){
		"answers": func(h *held) { h.Handle(green) },
		"looks":   func(h *held) { h.Follow(); h.until("it is over", func() bool { return h.First != nil }) },
	} {
		t.Run(what, func(t *testing.T) {
			h := hold(t)
			must.Do(t, h.Entry.Settle(form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Choose(0)}, By: "askpane answer", At: time.Now()}))
			do(h)
			if h.First == nil || h.First.By != "askpane answer" || h.Mine || h.M.Mode() != machine.Over {
				t.Errorf("first is %+v, mine %v, in %v", h.First, h.Mine, h.M.Mode())
			}
		})
	}
}

// An answer that cannot be written is tried again by whatever is done next.
func TestUnsaved(t *testing.T) {
	h := hold(t)
	inTheWay := filepath.Join(h.dir, "answer.json")
	must.Do(t, os.Mkdir(inTheWay, 0o700))
	h.Handle(green)
	if !h.Unsaved() || !strings.HasPrefix(h.Notice, "Not saved yet; what you do next tries again. ") {
		t.Fatalf("unsaved: %v, said: %q", h.Unsaved(), h.Notice)
	}
	must.Do(t, os.Remove(inTheWay))
	h.Handle(machine.Event{Action: machine.Up})
	if r, over, err := h.Entry.Answer(); !over || err != nil || r.Answers[0].Choices[0] != 1 || h.Unsaved() {
		t.Errorf("the answer is %+v, %v, %v", r, over, err)
	}
}

// A cancel that would lose something is confirmed by another; after a while the question stays,
// with all that was typed.
func TestLapses(t *testing.T) {
	h := hold(t)
	h.Handle(machine.Event{Action: machine.Pick, N: 3})
	h.Handle(machine.Event{Action: machine.Type, Text: "half a thought"})
	h.Handle(machine.Event{Action: machine.Leave})
	h.Handle(machine.Event{Action: machine.Cancel})
	if !h.M.Leaving() {
		t.Fatalf("it is in %v", h.M.Mode())
	}
	if h.Lapse(); h.First != nil || h.M.Leaving() || h.M.EntryText(0) != "half a thought" {
		t.Fatalf("it ends as %+v, asks: %v, holds %q", h.First, h.M.Leaving(), h.M.EntryText(0))
	}
	h.Handle(machine.Event{Action: machine.Cancel})
	if h.Handle(machine.Event{Action: machine.Cancel}); h.First == nil || h.First.Outcome != form.Cancelled {
		t.Errorf("it ends as %+v", h.First)
	}
}

// What is typed on one surface comes to the other, and is there when the question is held
// again.
func TestMeets(t *testing.T) {
	h := hold(t)
	h.Follow()
	other := New(t.Context(), h.Entry, h.Req, Surface{By: form.ByPopup, Name: form.ByPopup, Post: Into(nil)})
	other.Handle(machine.Event{Action: machine.Pick, N: 3})
	other.Handle(machine.Event{Action: machine.Type, Text: "Violet"})
	other.Close()
	h.until("the text is there", func() bool { return h.Met && h.M.EntryText(0) == "Violet" })
	again := New(t.Context(), h.Entry, h.Req, Surface{By: form.ByPopup, Name: form.ByPopup, Post: Into(nil)})
	defer again.Close()
	if !again.Resumed || again.M.EntryText(0) != "Violet" {
		t.Errorf("held again it has %q", again.M.EntryText(0))
	}
}

// What is wrong with settings that are changed meanwhile is said, once.
func TestWrongSettings(t *testing.T) {
	h := hold(t)
	h.Follow()
	own := filepath.Join(filepath.Dir(h.dir), ".askpane")
	must.Do(t, os.Mkdir(own, 0o700))
	must.Do(t, os.WriteFile(filepath.Join(own, "settings.json"), []byte(`{"theme": "pink"}`), 0o600))
	h.until("it is said", func() bool { return strings.Contains(h.Notice, `got "pink"; ignored`) })
	h.Handle(machine.Event{Action: machine.Down})
	must.Do(t, os.WriteFile(filepath.Join(own, "settings.json"), []byte(`{"theme": "pink", "guardMs": 7, "popupWidth": "50%"}`), 0o600))
	h.until("the others count", func() bool { return h.Now.PopupWidth == "50%" })
	if strings.Contains(h.Notice, "pink") {
		t.Errorf("it is said again: %s", h.Notice)
	}
}

// A popup begins with what it was told of the settings, and soon goes by the files. What is wrong with these has been
// said by whoever told it.
func TestBegins(t *testing.T) {
	h := hold(t)
	own := filepath.Join(filepath.Dir(h.dir), ".askpane")
	must.Do(t, os.Mkdir(own, 0o700))
	must.Do(t, os.WriteFile(filepath.Join(own, "settings.json"), []byte(`{"theme": "pink", "popupWidth": "50%"}`), 0o600))
	popup := &held{T: t, happens: make(chan func())}
	popup.Sitting = New(t.Context(), h.Entry, h.Req, Surface{By: form.ByPopup, Name: form.ByPopup, Post: Into(popup.happens), Begins: &settings.Form{PopupWidth: "33%"}})
	defer popup.Close()
	if popup.Now.PopupWidth != "33%" || popup.M.Confirms {
		t.Errorf("it begins with %+v", popup.Now)
	}
	popup.Follow()
	popup.until("the files count", func() bool { return popup.Now.PopupWidth == "50%" && popup.M.Confirms })
	if popup.Notice != "" {
		t.Errorf("it is said: %s", popup.Notice)
	}
}

// Pictures that are attached elsewhere, and taken away, are told of.
func TestPictures(t *testing.T) {
	h := hold(t)
	h.Follow()
	a, err := h.Entry.Attach([]byte("\x89PNG\r\n\x1a\n and so on"))
	must.Do(t, err)
	h.until("it is told of", func() bool { return h.Scene().Pictures == "1 picture attached" })
	must.Do(t, h.Entry.Detach(filepath.Base(a.Path)))
	h.until("nor is it any more", func() bool { return h.Scene().Pictures == "" })
}

// A question is handed back from where the agent shows no dialog, which the form says.
func TestHandsBack(t *testing.T) {
	for native, handsBack := range map[string]bool{"": false, spool.Beside: false, spool.Serial: true} {
		t.Run(native, func(t *testing.T) {
			h := holdOf(t, native)
			if said := h.Notice == "Claude Code shows no dialog of its own until this is answered or handed back."; said != handsBack {
				t.Errorf("it says %q", h.Notice)
			}
			h.Handle(machine.Event{Action: machine.HandBack})
			if r, over, err := h.Entry.Answer(); over != handsBack || err != nil || handsBack && (r.Outcome != form.Elsewhere || r.By != form.ByPage || !h.Mine) {
				t.Errorf("it is over: %v, as %+v, %v", over, r, err)
			}
		})
	}
}
