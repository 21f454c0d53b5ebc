package page

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/tests/must"
)

const yesOrNo = `{"questions":[{"header":"H","question":"Go on?","type":"select_one","options":[{"label":"Yes"},{"label":"No"}]}]}`

// A push offers what its message shows whole, and nothing that needs more care.
func TestReplies(t *testing.T) {
	t.Parallel()
	more := func(more string) string { return strings.Replace(yesOrNo, `{"label":"No"}`, `{"label":"No"}`+more, 1) }
	for name, test := range map[string]struct {
		request string
		want    []string
	}{
		"two":           {yesOrNo, []string{"Yes", "No"}},
		"three":         {more(`,{"label":"Later"}`), []string{"Yes", "No", "Later"}},
		"four":          {more(`,{"label":"Later"},{"label":"Never"}`), nil},
		"a description": {more(`,{"label":"Later","description":"on Monday"}`), nil},
		"a preview":     {more(`,{"label":"Later","preview":{"type":"text","content":"x"}}`), nil},
		"many":          {strings.Replace(yesOrNo, "select_one", "select_many", 1), nil},
		"dangerous":     {`{"questions":[{"header":"Old","question":"Drop it?","type":"confirm_enum","is_dangerous":true}]}`, nil},
		"a text":        {`{"questions":[{"header":"N","question":"Name?","type":"free_text"}]}`, nil},
		"two questions": {`{"questions":[{"header":"A","question":"A?","type":"select_one","options":[{"label":"1"},{"label":"2"}]},{"header":"B","question":"B?","type":"select_one","options":[{"label":"1"},{"label":"2"}]}]}`, nil},
		"a permission":  {`{"tool":"Bash","directory":"/srv/shop","command":"ls"}`, nil},
		"a plan":        {`{"plan":"# Move","modes":[{"label":"Approve","value":"default"}]}`, nil},
	} {
		_, f, err := dialect.Decode("", []byte(test.request))
		must.Do(t, err)
		if got := Replies(&f); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// press presses button n of a push that may answer the question.
func (d *desk) press(id string, n int) (int, string) {
	d.rights = Rights{Reply: id}
	r, err := d.server.Client().Post(fmt.Sprintf("%s/api/reply/%d", d.server.URL, n), "application/json", strings.NewReader("{}"))
	must.Do(d.T, err)
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	must.Do(d.T, err)
	return r.StatusCode, string(body)
}

func TestAnsweredByPush(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	says := func(what, id string, n, status int, want string) {
		t.Helper()
		if got, said := d.press(id, n); got != status || !strings.Contains(said, want) {
			t.Errorf("%s: %d %s, want %d %s", what, got, said, status, want)
		}
	}
	danger := d.ask(`{"questions":[{"header":"Old","question":"Drop it?","type":"confirm_enum","is_dangerous":true}]}`)
	says("dangerous", danger.ID, 1, http.StatusConflict, openIt)
	begun := d.ask(yesOrNo)
	must.Do(t, begun.UpdateDraft(&machine.Draft{}, func(bool) (any, error) {
		return machine.Draft{Answers: []form.Answer{form.Choose(1)}}, nil
	}))
	says("begun elsewhere", begun.ID, 1, http.StatusConflict, openIt)
	says("without a right", "", 1, http.StatusGone, wasOver)
	e := d.ask(yesOrNo)
	says("no such choice", e.ID, 3, http.StatusConflict, "no such choice")
	says("no number", e.ID, 0, http.StatusConflict, "no such choice")
	says("a choice", e.ID, 2, http.StatusOK, "")
	if r, over, err := e.Answer(); !over || err != nil || r.Surface() != "by push" || !slices.Equal(r.Answers[0].Choices, []int{1}) {
		t.Errorf("it is %+v, %t, %v", r, over, err)
	}
	says("another choice", e.ID, 1, http.StatusGone, wasOver)
}
