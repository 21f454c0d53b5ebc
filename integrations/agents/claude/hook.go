// Package claude is the native way of Claude Code: what it tells a hook about its own tool
// AskUserQuestion, what the hook answers, and what its transcript says of the call's end.
//
// It reads that transcript, the file of a plan and whether Claude's settings turn auto mode off, and
// nothing else. The rule that must hold here: where anything is not as it was seen to be (docs/dev/agents.md,
// What was measured), the hook says nothing, and Claude's own dialog counts.
package claude

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"

	"github.com/askpane/askpane/bridge/text"
)

// Tool is Claude's own tool for questions.
const Tool = "AskUserQuestion"

// The events of which a hook is told about a call of the tool. With PermissionRequest Claude's
// dialog stands meanwhile; PreToolUse, which older installations of ours have, comes before it.
const (
	PermissionRequest = "PermissionRequest"
	PreToolUse        = "PreToolUse"
)

// ReadQuestions reads a call of the tool for questions. The error says what it is, if it is none.
func ReadQuestions(data []byte) (Prompt, error) {
	return read(data, "a PermissionRequest or a PreToolUse of "+Tool, func(p Prompt) bool {
		return p.Tool == Tool && (p.Event == PermissionRequest || p.Event == PreToolUse)
	})
}

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

// allow and deny are what a hook PermissionRequest prints; our server's tool returns its decision alone.
func allow(input map[string]json.RawMessage, rules ...json.RawMessage) *Decision {
	return &Decision{output{Event: PermissionRequest, Decision: &decision{Behavior: "allow", UpdatedInput: input, UpdatedPermissions: rules}}}
}

func deny(message string) *Decision {
	return &Decision{output{Event: PermissionRequest, Decision: &decision{Behavior: "deny", Message: message}}}
}

// What the model reads of a question that was skipped, and of all that were declined.
const (
	skipped = "skipped: the person left this question open"
	inChat  = "The person wants to reply in the chat instead of answering these questions. End your turn and wait for what they write."
	because = "The person did not answer these questions, and says: "
)

// answer puts the answer into the words of the event. Claude fails a call whose questions do
// not come back with the answers, and leaves out a question that has neither answer nor note.
func (p Prompt) answer(a Answer) (*Decision, error) {
	input := map[string]json.RawMessage{}
	if err := json.Unmarshal(p.Ask, &input); err != nil {
		return nil, err
	}
	if input["questions"] == nil {
		return nil, errors.New("the hook's input has no questions")
	}
	if a.Declined {
		message := text.If(a.Reason != "", because+a.Reason, inChat)
		if p.Event == PermissionRequest {
			return deny(message), nil
		}
		// There a refusal would be told to the model as an error of the hook.
		a.Answers, a.Annotations, a.Note = map[string]string{}, nil, joined(message, a.Note)
	} else {
		a = p.skips(a)
	}
	answers, err := json.Marshal(a.Answers)
	if err == nil {
		input["answers"] = answers
	}
	if len(a.Annotations) > 0 && err == nil {
		input["annotations"], err = json.Marshal(a.Annotations)
	}
	if p.Event == PreToolUse {
		return &Decision{output{Event: PreToolUse, Permission: "allow", Reason: "asked in askpane", UpdatedInput: input, Context: a.Note}}, err
	}
	return allow(input), err
}

// skips notes which questions have no answer, and where Claude has no other place for it, our
// note beside the first.
func (p Prompt) skips(a Answer) Answer {
	var all asked
	_ = json.Unmarshal(p.Ask, &all) // the answers are by these texts, or by none
	annotations := map[string]Annotation{}
	for i, q := range all.Questions {
		note := a.Annotations[q.Question]
		if _, answered := a.Answers[q.Question]; !answered {
			note.Notes = joined(note.Notes, skipped)
		}
		if i == 0 && p.Event == PermissionRequest {
			note.Notes = joined(note.Notes, a.Note)
		}
		if note != (Annotation{}) {
			annotations[q.Question] = note
		}
	}
	a.Annotations = annotations
	return a
}

func joined(a, b string) string { return strings.TrimSpace(a + " " + b) }

// refused is what the model reads first where the person has stopped a call in the dialog.
const refused = "The user doesn't want to proceed"

// Took reports whether the prompt ended by our decision, and not by Claude's own dialog.
func (p Prompt) Took(d Decision, e End) bool {
	ours := d.Output.Decision
	switch {
	case ours == nil || e.Source != "" && e.Source != "hook":
		return false
	case ours.Behavior == "deny":
		return strings.Contains(e.Said, ours.Message)
	case p.Tool != Tool:
		return !strings.Contains(e.Said, refused)
	}
	var given, taken map[string]any
	if json.Unmarshal(ours.UpdatedInput["answers"], &given) != nil || json.Unmarshal(e.Answers, &taken) != nil {
		return false
	}
	return reflect.DeepEqual(given, taken)
}
