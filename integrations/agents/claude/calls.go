package claude

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/askpane/askpane/integrations/agents/transcript"
)

// Call is the call of Claude's by which a prompt came. A hook is not told its id.
type Call struct {
	Prompt
	Began time.Time // the hook
	Rank  int       // hooks of equal calls that ran when it began
	// Equal counts them once more, where it matters: some may have asked since. It may take a while; nil counts none.
	Equal func() int `json:"-"`
}

// Calls follows, through a session's transcript, the calls that ask what a hook's input asks.
//
// The hook's call is among those of the newest message that ask this: several may be equal, whose
// hooks run at the same time or one after the other. An earlier equal call is over by the time that
// the hook starts, but its result, and the hook's own call, may be written a moment later.
type Calls struct {
	Call
	fits    func(input json.RawMessage) bool // a call asks what the hook's input asks
	message string                           // the newest that asks this, or, where none does, that has calls of the tool
	exact   bool                             // it asks this
	ids     []string                         // of its calls
	ends    map[string]End
	end     *End // of its own call, as soon as that is certain: a next call may be equal
}

// End says how a call ended: by the person in the dialog, or by a hook.
type End struct {
	At      time.Time
	Source  string          // "hook", or another word for the dialog; empty where Claude does not say
	Answers json.RawMessage // by the questions' texts; nil where there are none
	Said    string          // to the model
}

const (
	// settling passes from the start of a hook to the time by which its call is in the transcript:
	// that was so after 3 to 48 ms, and on a busy machine after more than 300 (docs/dev/agents.md,
	// What was measured).
	settling = 3 * time.Second
	// startLate bounds the time in which a hook starts after its dialog is up. A result that is
	// older is another call's. One in between may be that of somebody who typed ahead: it counts
	// if no newer call has come by then.
	startLate = time.Second
)

// Calls returns a follower of the call.
func (call Call) Calls() *Calls {
	c := &Calls{Call: call, ends: map[string]End{}}
	if c.fits = fitting(c.Ask, within); c.Tool == Tool {
		c.fits = fitting(c.Ask, func(theirs, ours asked) bool { return reflect.DeepEqual(theirs, ours) })
	}
	return c
}

// fitting compares calls with what the hook's input asks.
func fitting[T any](input json.RawMessage, fit func(theirs, ours T) bool) func(json.RawMessage) bool {
	var ours T
	_ = json.Unmarshal(input, &ours) // what does not fit is like no call
	return func(input json.RawMessage) bool {
		var theirs T
		return json.Unmarshal(input, &theirs) == nil && fit(theirs, ours)
	}
}

// within reports whether all that a call says stands in the hook's input, which has defaults besides, and
// whole paths.
func within(call, hook map[string]any) bool {
	for name, value := range call {
		theirs, path := value.(string)
		ours, _ := hook[name].(string)
		if path = path && strings.HasSuffix(name, "_path") && filepath.Base(theirs) == filepath.Base(ours); !path && !reflect.DeepEqual(value, hook[name]) {
			return false
		}
	}
	return true
}

// asked has what a call asks. The hook's input has defaults that the call may leave out.
type asked struct {
	Questions []struct {
		Question, Header string
		MultiSelect      bool
		Options          []struct {
			Label, Description string
			Preview            any
		}
	}
}

// line has what is read of one of the transcript.
type line struct {
	Type      string
	Timestamp time.Time
	Message   struct {
		ID      string
		Content json.RawMessage
	}
	ToolUseResult      json.RawMessage
	PermissionDecision struct{ Source string }
}

// part is an element of a message's content.
type part struct {
	Type, ID, Name string
	Input          json.RawMessage
	ToolUseID      string `json:"tool_use_id"`
	Content        json.RawMessage
}

// orphaned begins what another Claude, which was resumed from the same transcript, writes as the result of a call that waits.
const orphaned = "[Tool call interrupted: the session ended"

// Line takes note of a line. What is none of ours, or cannot be read, changes nothing.
func (c *Calls) Line(data []byte) {
	if c.end != nil || !bytes.Contains(data, []byte(`"tool_use`)) && !bytes.Contains(data, []byte(`"tool_result"`)) {
		return
	}
	var l line
	var parts []part
	if json.Unmarshal(data, &l) != nil || json.Unmarshal(l.Message.Content, &parts) != nil {
		return
	}
	for _, p := range parts {
		switch {
		case l.Type == "assistant" && p.Type == "tool_use" && p.Name == c.Tool:
			c.call(l, p)
		case l.Type == "user" && p.Type == "tool_result" && !bytes.Contains(p.Content, []byte(orphaned)):
			c.ends[p.ToolUseID] = endOf(l, p)
		}
	}
	if e, ended := c.own(); ended && !e.At.Before(c.Began) {
		c.end = &e
	}
}

// own returns how its own call has ended, as far as that can be told now.
func (c *Calls) own() (e End, ended bool) {
	ids, rank := c.open(), c.Rank
	if len(ids) > 1 && c.Equal != nil && slices.ContainsFunc(ids, func(id string) bool { _, ended := c.ends[id]; return ended }) {
		rank = max(rank, c.Equal())
	}
	if len(ids) > 0 { // one of those before it may be of an earlier message, whose end is not written yet
		e, ended = c.ends[ids[min(rank, len(ids)-1)]]
	}
	return e, ended
}

// open lists the calls of the message that had not ended when the hook began. Permissions of a
// message are asked for one after the other. Where all had ended, somebody typed ahead.
func (c *Calls) open() []string {
	open := slices.DeleteFunc(slices.Clone(c.ids), func(id string) bool {
		e, ended := c.ends[id]
		return ended && e.At.Before(c.Began)
	})
	if len(open) == 0 {
		return c.ids
	}
	return open
}

// call takes note of a call. One that does not fit counts until one does: another hook may have changed what Claude asks.
func (c *Calls) call(l line, p part) {
	fits := c.fits(p.Input)
	if slices.Contains(c.ids, p.ID) || c.exact && !fits || l.Timestamp.After(c.Began.Add(settling)) {
		return
	}
	if l.Message.ID != c.message || fits != c.exact {
		c.message, c.exact, c.ids = l.Message.ID, fits, nil
	}
	c.ids = append(c.ids, p.ID)
}

func endOf(l line, p part) End {
	e := End{At: l.Timestamp, Source: l.PermissionDecision.Source}
	var result struct{ Answers json.RawMessage }
	if json.Unmarshal(l.ToolUseResult, &result) == nil {
		e.Answers = result.Answers
	}
	_ = json.Unmarshal(p.Content, &e.Said) // a list of parts says nothing of ours
	return e
}

// Kept reports whether Claude keeps the transcript that alone tells of answers in its dialog. It polls: the directory may not be there yet.
func (p Prompt) Kept() bool {
	for began := time.Now(); time.Since(began) < settling; time.Sleep(settling / 100) {
		if _, err := os.Stat(p.Transcript); err == nil || p.Transcript == "" {
			return true
		}
	}
	return false
}

// Follow reads the transcript until the call has ended, which it returns, or ctx has.
func (call Call) Follow(ctx context.Context) (end End, err error) {
	c := call.Calls()
	t := transcript.File{Path: c.Transcript, Take: c.Line}
	err = t.Follow(ctx, func() (again time.Duration, over bool) {
		end, again, over = c.End(time.Now())
		return again, over
	})
	return end, err
}

// End returns how the call has ended, or, where that is not certain yet, after how long to look
// again; 0 is when there is another line.
func (c *Calls) End(now time.Time) (e End, again time.Duration, over bool) {
	if c.end != nil {
		return *c.end, 0, true
	}
	e, over = c.own()
	switch before := c.Began.Sub(e.At); {
	case !over || before > startLate:
		return End{}, 0, false
	case before > 0 && now.Sub(c.Began) < settling:
		return End{}, settling - now.Sub(c.Began), false
	}
	return e, 0, true
}
