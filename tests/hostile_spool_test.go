package tests

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/tests/hostiletexts"
	"github.com/askpane/askpane/tests/needs"
)

// hostileSpool has a question that waits for each text, which is in every field
// of it; ids are theirs, in the texts' order.
func hostileSpool(t *testing.T, texts []hostiletexts.Text) (dir spoolDir, ids []string) {
	t.Helper()
	dir = newSpool(t)
	sp, err := spool.Open(string(dir))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sp.Close() })
	for _, x := range texts {
		raw := marshal(t, map[string]any{"questions": []map[string]any{{"id": "a", "label": x.Text, "prompt": x.Text}}})
		_, f, err := dialect.Decode("", []byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		e, err := sp.Create(spool.Request{Form: f, Raw: []byte(raw), Origin: spool.Origin{Agent: x.Text, Cwd: "/" + x.Text, Host: x.Text, Pane: x.Text, Ref: x.Text, Start: time.Now()}})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, e.ID)
		e.Close()
	}
	return dir, ids
}

// hostileInbox goes through a list of questions whose every field is a hostile
// text, opens each, filters by each, and is asked what to do with one.
func hostileInbox(t *testing.T, texts []hostiletexts.Text) []*terminal {
	dir, _ := hostileSpool(t, texts)
	v := dir.inbox(t, 120, 40, quiet...)
	v.see(fmt.Sprintf("%d wait", len(texts)))
	for range texts {
		v.press(enter)
		v.see("Esc back to the list") // in the form
		v.press("\x0c")               // Ctrl+L
		v.see("Inbox", "still waits")
		v.press(down)
	}
	for _, x := range texts {
		v.press("/", paste(x.Text))
		v.see("show all")
		v.press(esc)
		v.unsee("show all")
	}
	v.press("d")
	v.see("Dismiss ")
	v.press("n", "\x0f")
	v.see("Inbox") // there is no such pane, which it says
	v.press("q")
	v.see("ended 0")
	return []*terminal{v}
}

// hostileHistory answers such questions with the same texts, and prints and
// shows on a terminal what became of them.
func hostileHistory(t *testing.T, texts []hostiletexts.Text) []*terminal {
	dir, ids := hostileSpool(t, texts)
	run := []string{"history", "history --json"}
	for i, id := range ids {
		said := marshal(t, map[string]any{"a": map[string]string{"mode": "other", "text": texts[i].Text}})
		if out, code := dir.run(t, said, "answer", id); code != 0 {
			t.Fatalf("askpane answer to %s: exit %d, %s", texts[i].Name, code, out)
		}
		if i%2 == 0 { // the rest stays for whoever collects
			dir.run(t, "", "collect", id)
		}
		run = append(run, "show "+id+" </dev/null", "show --json "+id, "history --search="+quote(strings.ReplaceAll(texts[i].Text, "\x00", "")))
	}
	v := newTerminal(t, 120, 40)
	t.Cleanup(v.close)
	v.start(environ(t.TempDir(), "ASKPANE_SPOOL="+string(dir)), "sh", "-c", "for id in "+strings.Join(ids, " ")+"; do "+quote(binary)+" show $id; echo has shown $id; read -r key; done; "+
		quote(binary)+" "+strings.Join(run, "; "+quote(binary)+" ")+"; echo all has run; exec cat")
	for _, id := range ids {
		v.see("Esc/q close")
		v.press("1", "?", " ", "q")
		v.see("has shown " + id) // what is typed before is thrown away with the terminal's old settings
		v.press(enter)
	}
	if !needs.Within(6*patience, func() bool { return strings.Contains(v.screen(), "all has run") }) { // some hundred processes
		t.Errorf("they have not all run; the screen is\n%s", frame(v.rows()))
	}
	return []*terminal{v}
}
