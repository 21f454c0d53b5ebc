package claude

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/integrations/agents/transcript"
	"github.com/askpane/askpane/tests/must"
)

// A transcript is followed from its end, as lines come, in whatever pieces.
func TestFollow(t *testing.T) {
	t.Parallel()
	for name, makes := range map[string]bool{"one that is there": false, "one that comes": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			follow(t, makes)
		})
	}
}

// in is the call of asking in that transcript.
func in(transcript string) Call {
	p := asking
	p.Transcript = transcript
	return Call{Prompt: p, Began: began}
}

func follow(t *testing.T, makes bool) {
	path := filepath.Join(t.TempDir(), "session.jsonl")
	ends := make(chan End)
	begin := func() {
		end, err := in(path).Follow(t.Context())
		if err != nil {
			t.Error(err)
		}
		ends <- end
	}
	if makes {
		go begin()
	}
	f, err := os.Create(path)
	must.Do(t, err)
	defer f.Close()
	write := func(text string) {
		t.Helper()
		_, err := f.WriteString(text)
		must.Do(t, err)
	}
	write(strings.Repeat(strings.Repeat("x", 1<<16)+"\n", 80)) // more than is read
	if !makes {
		go begin()
	}
	own, result := called("m", ask, "id")+"\n", strings.ReplaceAll(ended("id", time.Second), "\n", "")+"\n"
	for _, piece := range []string{own[:40], own[40:], result[:40], result[40 : len(result)-1], "\n"} {
		select {
		case end := <-ends:
			t.Fatalf("it ended before its result was there: %+v", end)
		default:
		}
		write(piece)
	}
	select {
	case end := <-ends:
		if string(end.Answers) != `{"Which?":"id"}` || end.Source != "user_temporary" || end.Said != "said" {
			t.Errorf("it ended as %+v", end)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("the end was not seen")
	}
}

// A transcript that was cut within a line, or is another file by now, is followed on.
func TestFollowAnother(t *testing.T) {
	t.Parallel()
	own, result := called("m", ask, "id")+"\n", strings.ReplaceAll(ended("id", time.Second), "\n", "")+"\n"
	other := strings.Repeat("y", 9000) + "\n" // which is read, so that what comes then is shorter
	for name, write := range map[string]func(path, text string) error{
		"cut": func(path, text string) error { return os.WriteFile(path, []byte(text), 0o600) },
		"another": func(path, text string) error {
			return errors.Join(os.WriteFile(path+"2", []byte(text), 0o600), os.Rename(path+"2", path))
		},
	} {
		path, calls := filepath.Join(t.TempDir(), "session.jsonl"), in("").Calls()
		read := transcript.File{Path: path, Take: calls.Line}
		for _, text := range []string{own + other + strings.Repeat("x", 9000), own + result[:90], own + result} {
			must.Do(t, write(path, text))
			must.Do(t, read.Read())
		}
		if end, _, over := calls.End(began.Add(time.Minute)); !over {
			t.Errorf("%s: it has not ended: %+v", name, end)
		}
	}
}

func TestFollowEnds(t *testing.T) {
	t.Parallel()
	if _, err := in(t.TempDir()).Follow(t.Context()); err == nil {
		t.Error("a directory is no transcript")
	}
	why := errors.New("over")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if _, err := in(filepath.Join(t.TempDir(), "none")).Follow(ctx); err != why {
		t.Errorf("it ended with %v", err)
	}
}
