package tests

import (
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
)

// Columns are as wide as a terminal draws what is in them.
func TestColumns(t *testing.T) {
	t.Parallel()
	dir := newSpool(t)
	sp, err := spool.Open(string(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer sp.Close()
	for label, agent := range map[string]string{"wide-one": "日本語エージェント", "plain-one": "claude", "joined-one": "e\u0301 a\u0308 x"} {
		raw := []byte(`{"questions":[{"id":"a","label":"` + label + `","prompt":"Which?"}]}`)
		_, f, err := dialect.Decode("", raw)
		if err != nil {
			t.Fatal(err)
		}
		e, err := sp.Create(spool.Request{Form: f, Raw: raw, Origin: spool.Origin{Agent: agent, Cwd: "/srv", Start: time.Now()}})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		if err := e.Settle(form.Result{Outcome: form.Cancelled, By: "popup", At: time.Now()}); err != nil { // in both lists
			t.Fatal(err)
		}
	}
	for command, head := range map[string]string{"list": "QUESTION", "history": "QUESTION: ANSWER"} {
		v := newTerminal(t, 160, 24)
		t.Cleanup(v.close)
		v.start(environ(t.TempDir(), "ASKPANE_SPOOL="+string(dir)), "sh", "-c", quote(binary)+" "+command+"; echo ended $?; exec cat")
		v.see("ended 0")
		want, _ := v.at(head)
		for _, label := range []string{"wide-one", "plain-one", "joined-one"} {
			if x, _ := v.at(label); x != want {
				t.Errorf("askpane %s: %s begins in column %d, and its head in %d:\n%s", command, label, x, want, v.screen())
			}
		}
	}
}
