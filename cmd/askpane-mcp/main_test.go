package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/tests/must"
	"github.com/askpane/askpane/tests/scripts"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"askpane-mcp": main})
}

func TestScripts(t *testing.T) { scripts.Run(t, nil, nil) }

// A reason is the person's only where the person has answered or cancelled: why no form could be
// shown is nothing that they said.
func TestPromptsReason(t *testing.T) {
	t.Parallel()
	p, err := promptOfClaude([]byte(`{"tool_name":"AskUserQuestion","input":{"questions":[]}}`), "/")
	must.Do(t, err)
	for outcome, says := range map[form.Outcome]bool{form.Cancelled: true, form.Unavailable: false, form.Timeout: false, form.Aborted: false} {
		got := p.Result(bridge.Envelope{Reply: dialect.Reply{Outcome: outcome, Details: []byte(`{"reason":"REASON"}`), Text: "TEXT"}})
		if strings.Contains(got, "says: REASON") != says || !strings.Contains(got, `"behavior":"deny"`) {
			t.Errorf("%s: Claude is told %s", outcome, got)
		}
	}
}

// Where the spool's directory is removed or moved while the server runs, the next call has one.
func TestSpoolThatIsLost(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "spool")
	t.Setenv("ASKPANE_SPOOL", dir)
	var opened shared
	first, err := opened.spool()
	must.Do(t, err)
	defer first.Close()
	for what, lose := range map[string]func() error{
		"removed": func() error { return os.RemoveAll(dir) },
		"moved":   func() error { return os.Rename(dir, dir+"-before") },
	} {
		if again, err := opened.spool(); err != nil || again.Lost() {
			t.Fatalf("%s: before, %v", what, err)
		}
		must.Do(t, lose())
		sp, err := opened.spool()
		must.Do(t, err)
		defer sp.Close()
		e, err := sp.Create(spool.Request{Origin: spool.Origin{Start: time.Now()}})
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		must.Do(t, e.Close())
	}
}
