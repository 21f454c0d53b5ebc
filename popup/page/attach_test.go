package page

import (
	"encoding/base64"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/tests/must"
)

// parts are the events by which a page sends a picture.
func parts(data string, size int) (all []event) {
	for len(data) > 0 {
		n := min(size, len(data))
		all = append(all, event{Do: doAttach, N: len(data) - n, Text: base64.StdEncoding.EncodeToString([]byte(data[:n]))})
		data = data[n:]
	}
	return all
}

const aPicture = "\x89PNG\r\n\x1a\n and so on"

// A picture comes in parts, is on every page of the question, can be removed, and goes with the answer.
func TestAttach(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	e := d.ask(colours)
	tab, other := d.open("question", e.ID, "").sees("Add a picture"), d.open("question", e.ID, "")
	for _, part := range parts(aPicture, 7) {
		if problem := tab.does(part); problem != "" {
			t.Fatal(problem)
		}
	}
	tab.sees(`alt="Picture 1"`)
	other.sees(`alt="Picture 1"`)
	_, source, _ := strings.Cut(other.view.HTML, `<img src="`)
	source, _, _ = strings.Cut(source, `"`)
	r, err := d.server.Client().Get(d.server.URL + source)
	must.Do(t, err)
	defer r.Body.Close()
	if got, err := io.ReadAll(r.Body); err != nil || string(got) != aPicture || r.Header.Get("Content-Type") != "image/png" || r.Header.Get("Content-Security-Policy") != framePolicy {
		t.Errorf("%s is %q, %v, %v", source, got, err, r.Header)
	}
	for _, part := range parts("GIF89a and so on", 100) {
		if problem := other.does(part); problem != "" {
			t.Fatal(problem)
		}
	}
	tab.sees(`alt="Picture 2"`).presses("Remove").lacks(`alt="Picture 2"`) // the last
	tab.presses("Green")
	answer := d.answered(e)
	if len(answer.Attachments) != 1 || answer.Attachments[0].Type != "image/png" {
		t.Fatalf("the answer is %+v", answer)
	}
	if got, err := os.ReadFile(answer.Attachments[0].Path); err != nil || string(got) != aPicture {
		t.Errorf("the file has %q, %v", got, err)
	}
	d.open("question", e.ID, "").sees("Attached: " + answer.Attachments[0].Path)
}

func TestAttachRefused(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	e := d.ask(colours)
	tab := d.open("question", e.ID, "")
	for want, events := range map[string][]event{
		"The picture is HEIC; PNG, JPEG, GIF and WebP are taken.": parts("\x00\x00\x00\x18ftypheic", 100),
		"The picture has more than 5 MB.":                         parts("GIF89a"+strings.Repeat("x", spool.MaxAttachment), 3<<17),
		"The desk did not understand this page":                   {{Do: doAttach, Text: "!"}},
		"The picture stays: ":                                     {{Do: doDetach, Text: "../" + e.ID}},
	} {
		problem := ""
		for _, part := range events {
			if problem = tab.does(part); problem != "" {
				break
			}
		}
		if !strings.HasPrefix(problem, want) {
			t.Errorf("%q, want %q", problem, want)
		}
	}
	if all, err := e.Attachments(); len(all) > 0 || err != nil {
		t.Errorf("there are %v, %v", all, err)
	}
	r, err := d.server.Client().Get(d.server.URL + "/frame/none")
	must.Do(t, err)
	if r.Body.Close(); r.StatusCode != http.StatusNotFound {
		t.Errorf("a picture that is not there: %d", r.StatusCode)
	}

	for asked, sees := range map[string]string{`{"tool":"Bash","command":"ls"}`: "Yes, once", `{"plan":"# Tables"}`: "Approve"} {
		d.open("question", d.ask(asked).ID, "").sees(sees).lacks("Add a picture")
	}

	_, f, err := dialect.Decode("", []byte(colours))
	must.Do(t, err)
	m, err := d.spool.Mirror(spool.Request{ID: "01M7YX0STBP1474D78SPT0A4J6", Form: f, Origin: spool.Origin{Agent: "claude", Start: time.Now(), Away: &spool.Away{Machine: "build1"}}})
	must.Do(t, err)
	defer m.Close()
	away := d.open("question", m.ID, "").sees("Which colour?").lacks("Add a picture")
	if problem := away.does(parts(aPicture, 100)...); !strings.HasPrefix(problem, "The picture stays here: this question was asked on another machine") {
		t.Errorf("to another machine's: %q", problem)
	}
}
