package notify

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/settings"
	"github.com/askpane/askpane/tests/hostiletexts"
)

// Every hostile text as header and as agent: the desktop's service, the speaker
// and the person's command get text in one line, and none of it is run, is an
// option, or markup.
func TestHostileTexts(t *testing.T) {
	address := privateBus(t)
	var d daemon
	d.serve(t, address)
	trap := filepath.Join(t.TempDir(), "trap")
	for _, x := range hostiletexts.Texts(trap) {
		t.Run(x.Name, func(t *testing.T) {
			spoken, ran := filepath.Join(t.TempDir(), "spoken"), filepath.Join(t.TempDir(), "ran")
			speaker := program(t, `printf '%s\n' "$#" "$@" > `+spoken+`.new; mv `+spoken+`.new `+spoken)
			c := settings.Settings{NotificationOnQuestion: true, TtsOnQuestion: true, TtsCommand: speaker, OnQuestionCommand: `{ printf '%s\n' "$ASKPANE_AGENT" "$ASKPANE_ID"; cat "$ASKPANE_PAYLOAD_FILE"; echo; } > ` + ran + `.new; mv ` + ran + `.new ` + ran}
			f := &form.Form{Title: x.Text, Questions: []form.Question{{ID: x.Text, Prompt: x.Text}}}
			payload, err := json.Marshal(map[string]string{"q": x.Text})
			if err != nil {
				t.Fatal(err)
			}
			before := func() uint32 { d.mu.Lock(); defer d.mu.Unlock(); return d.last }()
			var p pane
			a := begin(Question{Form: f, ID: x.Text, Agent: x.Text, Payload: payload}, c, p.routes(), p.fail)
			var summary, body string
			eventually(t, "it is shown", func() bool {
				d.mu.Lock()
				defer d.mu.Unlock()
				if d.last == before {
					return false
				}
				summary, body = d.open[d.last][1], d.open[d.last][2]
				return true
			})
			said, command := written(t, spoken), written(t, ran)
			a.Clear()
			p.says(t, nil)
			if want := text.OneLine("askpane: "+text.OneLine(x.Text, 20)+" asks: "+text.OneLine(x.Text, headerRunes), summaryRunes); summary != want || body != waits(1) {
				t.Errorf("the desktop got %q and %q, want %q", summary, body, want)
			}
			count, spoken, _ := strings.Cut(strings.TrimSuffix(said, "\n"), "\n")
			if count != "1" || !regexp.MustCompile(`^[\pL\p{Nd}].* asks: `).MatchString(spoken) || text.OneLine(spoken, 0) != strings.Join(strings.Fields(spoken), " ") || strings.ContainsAny(spoken, "<>\n") || strings.Contains(spoken, "[[") {
				t.Errorf("the speaker got %s arguments: %q", count, spoken)
			}
			if line := text.OneLine(x.Text, headerRunes); !strings.HasPrefix(command, line+"\n"+line+"\n") || !strings.HasSuffix(command, string(payload)) {
				t.Errorf("the command got %q", command)
			}
			for _, osc := range []host.OSC{host.OSC9, host.OSC99, host.OSC777} {
				sequence := notification{summary: summary, body: body}.sequence(osc, "id")
				inside := strings.NewReplacer("\x1b]99;", "", "\x1b]777;", "", "\x1b]9;", "", "\x1b\\", "").Replace(sequence)
				if text.Visible(inside) != inside || strings.Contains(inside, "\n") || len(sequence) > 511 {
					t.Errorf("OSC %d: %q", osc, sequence)
				}
			}
		})
	}
	if _, err := os.Stat(trap); err == nil {
		t.Error("a command of a text was run")
	}
}
