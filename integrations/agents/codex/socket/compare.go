package socket

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"time"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/integrations/agents/codex"
	"github.com/askpane/askpane/integrations/agents/transcript"
)

// keeping is the longest that Codex takes to write down the answer that it took; it takes some
// milliseconds.
const keeping = 2 * time.Second

// compare finds out whether Codex took our answer: it tells every client alike that a question
// is over, and keeps what its model gets in the thread's file.
func compare(q codex.Question, ours []byte) error {
	ctx, cancel := context.WithTimeout(context.Background(), keeping)
	defer cancel()
	var theirs any
	found := false
	thread := transcript.File{Path: q.Rollout, Take: func(line []byte) {
		var l struct {
			Payload struct {
				Type   string `json:"type"`
				Call   string `json:"call_id"`
				Output string `json:"output"`
			} `json:"payload"`
		}
		if found || !bytes.Contains(line, []byte(`"function_call_output"`)) || json.Unmarshal(line, &l) != nil {
			return
		}
		if found = l.Payload.Type == "function_call_output" && l.Payload.Call == q.Item; found {
			theirs = codex.AnswersOf[any]([]byte(l.Payload.Output))
		}
	}}
	err := thread.Follow(ctx, func() (time.Duration, bool) { return 0, found })
	switch {
	case err != nil:
		return bridge.ErrUnconfirmed
	case reflect.DeepEqual(theirs, codex.AnswersOf[any](ours)):
		return nil
	}
	return bridge.ErrOutrun
}
