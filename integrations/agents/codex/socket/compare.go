package socket

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"time"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/watch"
	"github.com/askpane/askpane/integrations/agents/codex"
)

// keeping is the longest that Codex takes to write down the answer that it took; it takes some
// milliseconds.
const keeping = 2 * time.Second

// sizeOf is the size of a thread's file; 0 where there is none.
func sizeOf(rollout string) int64 {
	info, err := os.Stat(rollout)
	if err != nil {
		return 0
	}
	return info.Size()
}

// compare finds out whether Codex took our answer: it tells every client alike that a question
// is over, and keeps what its model gets in the thread's file, of which the part after from is
// read.
func compare(q codex.Question, from int64, ours []byte) error {
	ctx, cancel := context.WithTimeout(context.Background(), keeping)
	defer cancel()
	changed, tell := watch.Merged()
	w, err := watch.Dir(filepath.Dir(q.Rollout), func(string) { tell() })
	if err != nil {
		return bridge.ErrUnconfirmed
	}
	defer w.Stop()
	for {
		switch theirs, found := kept(q, from); {
		case found && reflect.DeepEqual(theirs, answersOf(ours)):
			return nil
		case found:
			return bridge.ErrOutrun
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return bridge.ErrUnconfirmed
		}
	}
}

// kept reads the answers that the model got to a question.
func kept(q codex.Question, from int64) (answers any, found bool) {
	f, err := os.Open(q.Rollout)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	_, _ = f.Seek(from, io.SeekStart)
	for lines := bufio.NewReader(f); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return nil, false // what is not a whole line comes yet
		}
		if !bytes.Contains(line, []byte(`"function_call_output"`)) {
			continue
		}
		var l struct {
			Payload struct {
				Type   string `json:"type"`
				Call   string `json:"call_id"`
				Output string `json:"output"`
			} `json:"payload"`
		}
		if json.Unmarshal(line, &l) == nil && l.Payload.Type == "function_call_output" && l.Payload.Call == q.Item {
			return answersOf([]byte(l.Payload.Output)), true
		}
	}
}
