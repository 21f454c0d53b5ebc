package dialect

import (
	"encoding/json"
	"testing"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/tests/must"
)

// In every dialect the details have the pictures that came with the answer, after their own members.
func TestAttachmentsInDetails(t *testing.T) {
	t.Parallel()
	for name, request := range map[string]string{
		"question":          `{"questions":[{"id":"a","prompt":"P?","options":[{"value":"x","label":"X"}]}]}`,
		"AskUserQuestion":   `{"questions":[{"header":"H","question":"P?","type":"select_one","options":[{"label":"X"}]}]}`,
		"ask_user_question": `{"questions":[{"id":"a","type":"radio","prompt":"P?","options":[{"label":"X"}]}]}`,
		"ask_user":          `{"questions":[{"type":"choice","id":"a","header":"H","prompt":"P?","options":[{"value":"x","label":"X"},{"value":"y","label":"Y"}]}]}`,
		"buttons":           `{"prompt":"P?","options":[{"label":"X"},{"label":"Y"}]}`,
	} {
		d, f, err := Decode(name, []byte(request))
		must.Do(t, err)
		r := form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Choose(0)}}
		without := d.EncodeIn(Context{}, &f, r)
		r.Attachments = []form.Attachment{{Path: "/a.png", Type: "image/png"}}
		with := d.EncodeIn(Context{}, &f, r)
		var plain, got map[string]json.RawMessage
		must.Do(t, json.Unmarshal(without.Details, &plain))
		must.Do(t, json.Unmarshal(with.Details, &got))
		if string(got["attachments"]) != `[{"path":"/a.png","type":"image/png"}]` || len(got) != len(plain)+1 || plain["attachments"] != nil || with.Text != without.Text {
			t.Errorf("%s: %s; without %s", name, with.Details, without.Details)
		}
	}
}
