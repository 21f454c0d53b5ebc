package main

import (
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/tests/must"
)

// All that was said to a question is printed, also to the lines of a document.
func TestShowPrintsRemarks(t *testing.T) {
	t.Parallel()
	f := form.Form{Dialect: "plan", Remarks: form.Comments, Questions: []form.Question{{ID: "plan", Label: "Plan", Prompt: "Approve?", Kind: form.One,
		Options: []form.Option{{Label: "Approve"}, {Label: "Keep planning"}}, Document: &form.Document{Text: "# Move\n\nTo Redis.\n"}}}}
	a := form.Choose(1)
	a.Note, a.OptionNotes, a.LineNotes = "in general", map[int]string{0: "almost"}, map[int]string{3: "why\nRedis?"}
	r := spool.Record{Request: spool.Request{Form: f, Origin: spool.Origin{Agent: "claude"}}, Status: spool.Status{Delivered: true},
		Result: &form.Result{Outcome: form.Answered, Answers: []form.Answer{a}, Comment: "soon", By: form.ByPopup, At: time.Now()}}
	var b strings.Builder
	must.Do(t, printRecord(&b, r))
	const want = "\nApprove?\n  Keep planning\n  comment: in general\n  line 3 “To Redis.”: why\n  Redis?\n  comment on “Approve”: almost\n\ncomment: soon\n"
	if !strings.HasSuffix(b.String(), want) {
		t.Errorf("it is %q, want it to end with %q", b.String(), want)
	}
}
