package form

import "slices"

// Subject says what a permission is asked for. Of a form that asks for one the only question has it.
type Subject struct {
	Tool string `json:"tool"` // by its own name
	// Text names it in full: a command, a file's path, a URL, or arguments as JSON.
	Text string `json:"text"`
	Dir  string `json:"dir,omitempty"` // in which it happens; empty where nobody said so
	// Shown has all that the person sees of it.
	Shown Preview `json:"shown"`
	Edits []Edit  `json:"edits,omitempty"` // of which Shown is made; none for what changes no file
}

// Edit changes a file, by replacing parts of it or all of it, or removes it.
type Edit struct {
	Path    string        `json:"path"` // absolute, or in the subject's Dir
	Replace []Replacement `json:"replace,omitempty"`
	Content *string       `json:"content,omitempty"` // the whole file afterwards; nil where parts are replaced
	Remove  bool          `json:"remove,omitempty"`
}

// Replacement puts New in the place of Old, where that is found first or, with All, wherever it is.
type Replacement struct {
	Old string `json:"old"`
	New string `json:"new"`
	All bool   `json:"all,omitempty"`
	// Line, from 1, is the only one where Old may begin, after the replacements before; 0 where
	// it may begin anywhere.
	Line int `json:"line,omitempty"`
}

// Subject returns what f asks to allow; nil where it asks for no permission.
func (f *Form) Subject() *Subject {
	if len(f.Questions) != 1 {
		return nil
	}
	return f.Questions[0].Subject
}

// Decision says what a result means for a permission.
type Decision string

const (
	Undecided Decision = "" // nobody has allowed or denied it here
	Allow     Decision = "allow"
	Deny      Decision = "deny"
)

// Decided returns what r says of the permission that f asks for.
func (f *Form) Decided(r Result) Decision {
	if f.Subject() == nil || r.Outcome == Cancelled && r.Reason == "" || r.Outcome != Cancelled && r.Outcome != Answered || f.Check(r) != nil {
		return Undecided
	}
	q, allows := &f.Questions[0], false
	switch {
	case r.Outcome == Cancelled:
	case len(r.Answers[0].Choices) > 0:
		allows = q.Options[r.Answers[0].Choices[0]].Allows
	case q.Dangerous && q.Expected != "" && *r.Answers[0].Text == q.Expected:
		allows = true
	case q.Other == "":
		return Undecided
	}
	if allows {
		return Allow
	}
	return Deny
}

// Endanger has words typed before the subject is allowed, once or not at all.
func (q *Question) Endanger(typed string) {
	q.Dangerous, q.Expected, q.Other = true, typed, ""
	first := true
	q.Options = slices.DeleteFunc(q.Options, func(o Option) bool {
		later := o.Allows && !first
		first = first && !o.Allows
		return later
	})
}

// Confine lets no answer to q allow its subject, since that cannot be shown.
func (q *Question) Confine() {
	q.Dangerous, q.Expected = false, ""
	q.Options = slices.DeleteFunc(q.Options, func(o Option) bool { return o.Allows })
}
