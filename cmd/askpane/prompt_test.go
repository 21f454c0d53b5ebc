package main

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/tests/must"
)

// printedAnswer returns what printAnswer prints of an envelope, and how that ended. With gone the
// file that it prints to takes nothing.
func printedAnswer(t *testing.T, e bridge.Envelope, left, gone bool) (string, error) {
	out, err := os.CreateTemp(t.TempDir(), "")
	must.Do(t, err)
	stdout := os.Stdout
	defer func() { os.Stdout = stdout }()
	if os.Stdout = out; gone {
		must.Do(t, out.Close())
		return "", printAnswer(e, left)
	}
	defer out.Close()
	err = printAnswer(e, left)
	_, seek := out.Seek(0, io.SeekStart)
	must.Do(t, seek)
	said, read := io.ReadAll(out)
	must.Do(t, read)
	return string(said), err
}

// An answer that could not be printed is an error, since it counts as delivered otherwise.
func TestPrintAnswer(t *testing.T) {
	envelope := bridge.Envelope{ID: "01M", Reply: dialect.Reply{Outcome: form.Answered, Details: []byte(`{"answers":[{"value":["web","the\napi"]}]}`)}}
	if said, err := printedAnswer(t, envelope, false, false); said != "web\nthe\napi\n" || err != nil {
		t.Errorf("printed %q, %v", said, err)
	}
	if _, err := printedAnswer(t, envelope, false, true); err == nil {
		t.Error("an answer that was not printed is no error")
	}
	pending := bridge.Uncollected("01M")
	if said, err := printedAnswer(t, pending, true, false); said != "01M\n" || err != nil {
		t.Errorf("with --detach %q was printed, %v", said, err)
	}
	if said, err := printedAnswer(t, pending, false, false); said != "" || err != nil || !strings.Contains(pending.Text, "01M") {
		t.Errorf("where the terminal has gone %q was printed, %v", said, err)
	}
}
