// Package claude is the native way of Claude Code: what it tells a hook about its own tool
// AskUserQuestion, what the hook answers, and what its transcript says of the call's end.
//
// It reads that transcript, and nothing else. The rule that must hold here: where anything is
// not as it was seen to be (docs/dev/agents.md, What was measured), the hook says nothing, and
// Claude's own dialog counts.
package claude

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// Tool is Claude's own tool for questions.
const Tool = "AskUserQuestion"

// The events of which a hook is told about a call of the tool. With PermissionRequest Claude's
// dialog stands meanwhile; PreToolUse, which older installations of ours have, comes before it.
const (
	PermissionRequest = "PermissionRequest"
	PreToolUse        = "PreToolUse"
)

// ErrNotOurs is of an event that is another hook's, or comes from our own server: there is nothing to say.
var ErrNotOurs = errors.New("it is asked in another way")

// Input is what a hook gets.
type Input struct {
	Event      string          `json:"hook_event_name"`
	Tool       string          `json:"tool_name"`
	Session    string          `json:"session_id"`
	Transcript string          `json:"transcript_path"`
	Subagent   string          `json:"agent_id"` // empty in the main session
	Ask        json.RawMessage `json:"tool_input"`
}

// Read reads it. The error says what it is, if it is no call of the tool.
func Read(data []byte) (in Input, err error) {
	if err := json.Unmarshal(data, &in); err != nil {
		return in, fmt.Errorf("read the hook's input: %w", err)
	}
	if in.Tool != Tool || in.Event != PermissionRequest && in.Event != PreToolUse {
		return in, fmt.Errorf("expected a %s or a %s of %s, got %.40q of %.40q", PermissionRequest, PreToolUse, Tool, in.Event, in.Tool)
	}
	return in, nil
}

// Beside reports whether Claude's own dialog stands beside our form. A sub-agent waits for its
// hooks before its dialog.
func (in Input) Beside() bool { return in.Event == PermissionRequest && in.Subagent == "" }

// Answer is what the person said.
type Answer struct {
	Declined bool
	Reason   string // for declining; empty: they reply in the chat
	Note     string // of ours, for the model
	// Answers and Annotations are by the questions' texts, as Claude has them.
	Answers     map[string]string
	Annotations map[string]Annotation
}

// Annotation stands beside an answer.
type Annotation struct {
	Notes   string `json:"notes,omitempty"`
	Preview string `json:"preview,omitempty"` // of the option that was chosen
}

// Decision is what the hook prints.
type Decision struct {
	Output output `json:"hookSpecificOutput"`
}

type output struct {
	Event    string    `json:"hookEventName"`
	Decision *decision `json:"decision,omitempty"` // PermissionRequest
	// These are of PreToolUse.
	Permission   string                     `json:"permissionDecision,omitempty"`
	Reason       string                     `json:"permissionDecisionReason,omitempty"`
	UpdatedInput map[string]json.RawMessage `json:"updatedInput,omitempty"`
	Context      string                     `json:"additionalContext,omitempty"` // for the model
	// These are of Elicitation.
	Action  string          `json:"action,omitempty"`
	Content json.RawMessage `json:"content,omitempty"`
}

type decision struct {
	Behavior     string                     `json:"behavior"`
	UpdatedInput map[string]json.RawMessage `json:"updatedInput,omitempty"`
	Message      string                     `json:"message,omitempty"`
	// UpdatedPermissions are of Claude's suggestions, verbatim.
	UpdatedPermissions []json.RawMessage `json:"updatedPermissions,omitempty"`
}

// What the model reads of a question that was skipped, and of all that were declined.
const (
	skipped = "skipped: the person left this question open"
	inChat  = "The person wants to reply in the chat instead of answering these questions. End your turn and wait for what they write."
	because = "The person did not answer these questions, and says: "
)

// Decide puts the answer into the words of the event. Claude fails a call whose questions do
// not come back with the answers, and leaves out a question that has neither answer nor note.
func (in Input) Decide(a Answer) (d Decision, err error) {
	input := map[string]json.RawMessage{}
	if err := json.Unmarshal(in.Ask, &input); err != nil {
		return d, err
	}
	if input["questions"] == nil {
		return d, errors.New("the hook's input has no questions")
	}
	d.Output.Event = in.Event
	if a.Declined {
		message := inChat
		if a.Reason != "" {
			message = because + a.Reason
		}
		if in.Event == PermissionRequest {
			d.Output.Decision = &decision{Behavior: "deny", Message: message}
			return d, nil
		}
		// There a refusal would be told to the model as an error of the hook.
		a.Answers, a.Annotations, a.Note = map[string]string{}, nil, joined(message, a.Note)
	} else {
		a = in.skips(a)
	}
	answers, err := json.Marshal(a.Answers)
	if err == nil {
		input["answers"] = answers
	}
	if len(a.Annotations) > 0 && err == nil {
		input["annotations"], err = json.Marshal(a.Annotations)
	}
	if in.Event == PreToolUse {
		d.Output.Permission, d.Output.Reason, d.Output.UpdatedInput, d.Output.Context = "allow", "asked in askpane", input, a.Note
		return d, err
	}
	d.Output.Decision = &decision{Behavior: "allow", UpdatedInput: input}
	return d, err
}

// skips notes which questions have no answer, and where Claude has no other place for it, our
// note beside the first.
func (in Input) skips(a Answer) Answer {
	var all asked
	_ = json.Unmarshal(in.Ask, &all) // the answers are by these texts, or by none
	annotations := map[string]Annotation{}
	for i, q := range all.Questions {
		note := a.Annotations[q.Question]
		if _, answered := a.Answers[q.Question]; !answered {
			note.Notes = joined(note.Notes, skipped)
		}
		if i == 0 && in.Event == PermissionRequest {
			note.Notes = joined(note.Notes, a.Note)
		}
		if note != (Annotation{}) {
			annotations[q.Question] = note
		}
	}
	a.Annotations = annotations
	return a
}

func joined(a, b string) string {
	if a != "" && b != "" {
		a += " "
	}
	return a + b
}

// Names reports whether a call ended by the decision, and not by Claude's own dialog.
func (d Decision) Names(e End) bool {
	ours := d.Output.Decision
	if ours == nil || e.Source != "" && e.Source != "hook" {
		return false
	}
	if ours.Behavior == "deny" {
		return e.Said == ours.Message
	}
	var given, taken map[string]any
	if json.Unmarshal(ours.UpdatedInput["answers"], &given) != nil || json.Unmarshal(e.Answers, &taken) != nil {
		return false
	}
	return reflect.DeepEqual(given, taken)
}
