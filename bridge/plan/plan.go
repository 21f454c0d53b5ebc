// Package plan asks about plans (dialect plan) that are in files, on top of the bridge.
//
// It reads the plan's file, and the entries of the spool for what the person saw and said
// before. The rules that must hold here: an approval counts only for the text that its file
// still has when it is handed over; and a person sees what has changed since they saw that
// file in this session, and what they said then, for Kept.
package plan

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/change"
	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text/document"
)

// Name is that of the dialect.
const Name = "plan"

// Kept is for how long what was said to a plan comes back with its next version, at most as
// long as the history is kept (setting historyDays).
const Kept = 7 * 24 * time.Hour

// Ask asks q as Bridge.Ask does. Where q is about a plan in a file, it is asked anew, with what
// has changed, whenever the file is another when an approval is to be handed over.
func Ask(ctx context.Context, b *bridge.Bridge, q bridge.Question, deliver func(bridge.Envelope) error) error {
	if q.Dialect != Name && (q.Dialect != "" || !bytes.Contains(q.Raw, []byte(`"plan"`))) {
		return b.Ask(ctx, q, deliver)
	}
	r := request{}
	if json.Unmarshal(q.Raw, &r.members) != nil || r.text("file") == "" || q.Dialect == "" && r.text("plan") == "" {
		return b.Ask(ctx, q, deliver)
	}
	if err := r.open(q.Origin.Cwd); err != nil {
		return deliver(bridge.Rejected(Name, err))
	}
	r.recall(b.Spool, q.Origin)
	for again := true; again; {
		q.Raw, again = r.raw(), false
		err := b.Ask(ctx, q, func(e bridge.Envelope) (err error) {
			if again, err = r.outdated(e); err != nil {
				e = bridge.Rejected(Name, err)
			}
			if again {
				return nil
			}
			return deliver(e)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// request is one about a plan in a file.
type request struct {
	members map[string]json.RawMessage
	path    string
}

// text returns the string of a member; empty for anything else.
func (r *request) text(name string) (text string) {
	_ = json.Unmarshal(r.members[name], &text)
	return text
}

func (r *request) set(name string, value any) {
	r.members[name], _ = json.Marshal(value)
}

// raw writes the request. The version before is left out where there is no room for it.
func (r *request) raw() []byte {
	raw, _ := json.Marshal(r.members)
	if len(raw) > dialect.MaxBytes {
		delete(r.members, "before")
		raw, _ = json.Marshal(r.members)
	}
	return raw
}

// open finds the file, and reads the plan from it where the request has none.
func (r *request) open(cwd string) error {
	r.path = change.Path(cwd, r.text("file"))
	r.set("file", r.path)
	if r.text("plan") != "" {
		return nil
	}
	plan, err := Read(r.path)
	r.set("plan", plan)
	return err
}

// Read reads the file of a plan. The error says why it is none, and names the file.
func Read(path string) (string, error) {
	text, err := change.Contents(path, dialect.MostPlan)
	if err == nil && strings.TrimSpace(text) == "" {
		err = errors.New("is empty")
	}
	bare, system := errors.AsType[*fs.PathError](err)
	switch {
	case system:
		return "", fmt.Errorf("read the plan %s: %w", path, bare.Err)
	case err != nil:
		return "", fmt.Errorf("read the plan %s: it %w", path, err)
	}
	return text, nil
}

// remark was said to a line of a plan.
type remark struct {
	Line    int    `json:"line"`
	Comment string `json:"comment"`
}

// before says what the person saw last, and what they said to it.
type before struct {
	Plan     string   `json:"plan"`
	Comments []remark `json:"comments"`
	Sent     bool     `json:"sent"`
}

// Approved reports whether the plan was approved, as it was or as it was edited.
func Approved(e bridge.Envelope) bool {
	var said struct{ Decision string }
	return json.Unmarshal(e.Details, &said) == nil && strings.HasPrefix(said.Decision, "approve")
}

// outdated reports whether e approves another text than the file has now, which is to be asked
// about then. The error says that it cannot be.
func (r *request) outdated(e bridge.Envelope) (bool, error) {
	var said struct {
		Shown    string
		Comments []remark
	}
	if json.Unmarshal(e.Details, &said) != nil || !Approved(e) {
		return false, nil
	}
	now, err := Read(r.path)
	if err != nil {
		return false, fmt.Errorf("the plan was approved, and its file cannot be read any more: %w", err)
	}
	if document.Sum(document.Unix(now)) == said.Shown {
		return false, nil
	}
	r.set("before", before{r.text("plan"), said.Comments, false})
	r.set("plan", now)
	r.set("description", "The file has changed since you approved it. This is how it is now.")
	return true, nil
}

// recall adds what the session's person saw of the file last, unless the request says it.
func (r *request) recall(sp *spool.Spool, o spool.Origin) {
	if r.members["before"] != nil {
		return
	}
	last := r.last(sp, o)
	if last == nil {
		return
	}
	defer last.Close()
	req, _ := last.Request()
	shown := req.Form.Document()
	result, over, err := last.Answer()
	if err != nil {
		return
	}
	gone := !over && !last.Waits()
	if gone && shown.Sum == document.Sum(document.Unix(r.text("plan"))) { // the same again: the bridge goes on with it
		var was struct{ Before json.RawMessage }
		if json.Unmarshal(req.Raw, &was) == nil && was.Before != nil {
			r.members["before"] = was.Before
		}
		return
	}
	b := before{Plan: shown.Text, Sent: over && result.Outcome == form.Answered}
	var draft struct{ Answers []form.Answer }
	if _, err := last.Draft(&draft); b.Sent {
		draft.Answers = result.Answers
	} else if err != nil {
		return
	}
	for _, a := range draft.Answers[:min(1, len(draft.Answers))] {
		for line, comment := range a.LineNotes {
			b.Comments = append(b.Comments, remark{line, comment})
		}
	}
	slices.SortFunc(b.Comments, func(a, b remark) int { return a.Line - b.Line })
	r.set("before", b)
	if gone { // nobody needs the older version answered
		withdraw(last)
	}
}

// last finds the newest entry about the file that the session has asked; nil for none.
func (r *request) last(sp *spool.Spool, o spool.Origin) *spool.Entry {
	waiting, answered, _ := sp.Scan()
	over, _ := sp.History()
	ids := slices.Concat(waiting, answered, over)
	slices.Sort(ids)
	for _, id := range slices.Backward(slices.Compact(ids)) {
		if o.Start.Sub(spool.AskedAt(id)) > Kept {
			return nil
		}
		e, err := sp.Find(id)
		if err != nil {
			continue
		}
		if req, err := e.Request(); err == nil && r.asked(req, o) {
			return e
		}
		e.Close()
	}
	return nil
}

// asked reports whether a request was about the file, and of the session.
func (r *request) asked(req spool.Request, o spool.Origin) bool {
	d := req.Form.Document()
	if d == nil || d.Path != r.path || req.Origin.Away != nil {
		return false
	}
	if req.Origin.Session != "" || o.Session != "" {
		return req.Origin.Session == o.Session
	}
	return req.Origin.PID == o.PID
}

// withdraw ends a question whose call is gone.
func withdraw(e *spool.Entry) {
	if ours, err := e.TakeOver(); ours && err == nil && e.Settle(form.Result{Outcome: form.Aborted, By: form.ByBridge, At: time.Now()}) == nil {
		_ = e.Deliver() // what cannot be moved now is moved later
	}
}
