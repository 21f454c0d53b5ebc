package spool

import (
	"encoding/json"

	"github.com/askpane/askpane/bridge/form"
)

// Record is an entry as somebody reads it, whether it waits or is over.
type Record struct {
	Request Request
	// Result is how it ended; nil where it has not.
	Result *form.Result
	// Draft is what the form held last, where it has no answers; nil where that
	// is not known. It is the popup's own.
	Draft  json.RawMessage
	Status Status
}

// Record reads the entry and takes nothing of it. A draft that cannot be read is
// left out: what counts is the answer.
func (e *Entry) Record() (r Record, err error) {
	r.Status = e.Status()
	if r.Request, err = e.Request(); err != nil {
		return r, err
	}
	result, ok, err := e.Answer()
	if err != nil {
		return r, err
	}
	if ok {
		r.Result = &result
	}
	if len(result.Answers) == 0 && e.decode(draftFile, &r.Draft) != nil {
		r.Draft = nil
	}
	return r, nil
}
