package spool

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/tests/must"
)

// The beginnings of pictures.
var pictures = map[string]string{
	"image/png": "\x89PNG\r\n\x1a\n…", "image/jpeg": "\xff\xd8\xff\xe0…", "image/gif": "GIF89a…", "image/webp": "RIFF\x10\x00\x00\x00WEBPVP8 …",
}

var first = form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Choose(0)}, By: "popup"}

// Pictures are told by their content, go with the answer in their order, and are where the agent was
// told until the entry is removed.
func TestAttachments(t *testing.T) {
	t.Parallel()
	s := openSpool(t)
	e := create(t, s)
	for kind, content := range pictures {
		a, err := e.Attach([]byte(content))
		must.Do(t, err)
		info, err := os.Stat(a.Path)
		must.Do(t, err)
		if a.Type != kind || info.Mode().Perm() != 0o600 || !strings.HasPrefix(a.Path, s.in(attachmentsDir)+"/"+e.ID+"/") {
			t.Errorf("of %s: %+v, mode %v", kind, a, info.Mode())
		}
	}
	had, err := e.Attachments()
	must.Do(t, err)
	gone := filepath.Base(had[1].Path)
	for range 2 { // by two pages, or one that is pressed twice
		must.Do(t, e.Detach(gone))
	}
	if _, err := e.Attachment(gone); err == nil || len(had) != 4 {
		t.Errorf("of %v one was taken away, and is there", had)
	}
	first := first
	first.At = time.Now().Add(-40 * day)
	must.Do(t, e.Settle(first))
	r, _, err := e.Answer()
	if err != nil || len(r.Attachments) != 3 || r.Attachments[0] != had[0] || r.Attachments[1] != had[2] {
		t.Errorf("the answer has %+v, %v; attached were %v", r.Attachments, err, had)
	}
	if _, err := e.Attach([]byte(pictures["image/png"])); !errors.Is(err, ErrAnswered) {
		t.Errorf("after the answer: %v", err)
	}
	if err := e.Detach(filepath.Base(had[0].Path)); !errors.Is(err, ErrAnswered) {
		t.Errorf("taken away after the answer: %v", err)
	}
	must.Do(t, e.Deliver())
	if data, err := os.ReadFile(had[0].Path); err != nil || len(data) == 0 {
		t.Errorf("once it is delivered: %v", err)
	}
	n, err := s.Prune(t.Context(), keep(30*day), time.Now().Add(41*day))
	if _, is := os.Stat(filepath.Dir(had[0].Path)); n != 1 || err != nil || !os.IsNotExist(is) {
		t.Errorf("%d were removed, %v; the pictures: %v", n, err, is)
	}
}

func TestAttachmentsRefused(t *testing.T) {
	t.Parallel()
	s := openSpool(t)
	e := create(t, s)
	for content, want := range map[string]string{
		"\x00\x00\x00\x18ftypheic": "is HEIC; PNG, JPEG, GIF and WebP are taken",
		"<svg onload=alert(1)>":    "is SVG; ",
		"":                         "is of no known format; ",
		"GIF89a" + strings.Repeat("x", MaxAttachment): "has more than 5 MB",
	} {
		if a, err := e.Attach([]byte(content)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%.20q: %+v, %v; want %s", content, a, err, want)
		}
	}
	for range MostAttachments {
		_, err := e.Attach([]byte(pictures["image/gif"]))
		must.Do(t, err)
	}
	if _, err := e.Attach([]byte(pictures["image/gif"])); err == nil || err.Error() != "is one too many: 10 pictures go with an answer" {
		t.Errorf("one more: %v", err)
	}
	for _, name := range []string{"../" + e.ID, "../../" + e.ID + "/" + requestFile, "."} {
		if err := e.Detach(name); err == nil && name != "." || !e.has(requestFile) {
			t.Errorf("%s was taken away: %v", name, err)
		}
	}
	cancelled := form.Result{Outcome: form.Cancelled, Reason: "no", By: "popup", Attachments: []form.Attachment{{Path: "/etc/passwd"}}}
	must.Do(t, e.Settle(cancelled))
	if r, _, err := e.Answer(); err != nil || r.Attachments != nil {
		t.Errorf("cancelled with %v, %v", r.Attachments, err)
	}
}

// An answer that was given on another machine names no files of this one.
func TestNoAttachmentsFromElsewhere(t *testing.T) {
	t.Parallel()
	s := openSpool(t)
	e := create(t, s)
	_, err := e.Attach([]byte(pictures["image/png"]))
	must.Do(t, err)
	r := first
	r.Machine, r.Attachments = "laptop", []form.Attachment{{Path: "/etc/passwd", Type: "image/png"}}
	must.Do(t, e.Settle(r))
	if r, _, err := e.Answer(); err != nil || r.Attachments != nil {
		t.Errorf("it has %v, %v", r.Attachments, err)
	}
}
