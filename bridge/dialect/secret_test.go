package dialect

import (
	"strings"
	"testing"

	"github.com/askpane/askpane/tests/must"
)

func TestSecret(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ dialect, before, after, free, choice, starts string }{
		{"ask_user_question", `{"questions":[{"id":"a","prompt":"?",`, `}]}`, `"type":"text"`, `"type":"radio","options":[{"label":"x"}]`, `"default":"x"`},
		{"ask_user", `{"questions":[{"id":"a","header":"A","prompt":"?",`, `}]}`, `"type":"text"`,
			`"type":"choice","options":[{"value":"x","label":"x"},{"value":"y","label":"y"}]`, `"recommendation":"x"`},
		{"AskUserQuestion", `{"questions":[{"header":"A","question":"?",`, `}]}`, `"type":"free_text","multiline":true`, `"type":"number"`, `"default":"x"`},
	} {
		t.Run(c.dialect, func(t *testing.T) {
			_, f, err := Decode("", []byte(c.before+c.free+`,"secret":true`+c.after))
			must.Do(t, err)
			if q := f.Questions[0]; f.Dialect != c.dialect || !q.Secret || q.Multiline || !strings.Contains(string(f.Echo), `"secret":true`) {
				t.Errorf("%s: %+v, echo %s", f.Dialect, q, f.Echo)
			}
			if _, again, err := Decode("", f.Echo); err != nil || string(again.Echo) != string(f.Echo) {
				t.Errorf("decoded again: %s, %v", again.Echo, err)
			}
			_, f, err = Decode("", []byte(c.before+c.free+`,"secret":false,`+c.starts+c.after))
			if err != nil || f.Questions[0].Secret || strings.Contains(string(f.Echo), "secret") {
				t.Errorf("with secret false: %+v, echo %s, %v", f.Questions, f.Echo, err)
			}
			for more, want := range map[string]string{
				c.choice + `,"secret":true`:           "questions[0].secret: only allowed for type " + strings.Split(c.free, `"`)[3],
				c.free + `,"secret":true,` + c.starts: "a secret starts empty",
				c.free + `,"secret":"yes"`:            "questions[0].secret: expected a boolean, got",
			} {
				if _, _, err := Decode("", []byte(c.before+more+c.after)); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s: %v, want …%s…", more, err, want)
				}
			}
		})
	}
}
