package agents

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/askpane/askpane/settings/jsonc"
)

// inJSON is our part of a JSON file, which may have comments and commas at the
// ends of lists (JSONC). The rest of the file keeps its layout.
type inJSON struct {
	edits []edit
}

// edit is one thing of ours: a member, or an element of a list.
type edit struct {
	path jsonc.Path
	// value is what stands at path, or an element of the list that does.
	value   any
	element bool
	// runs takes the command out of the value; nil where it has none. It also
	// tells our element of a list from others.
	runs func(value []byte) string
}

func (j inJSON) snippet() string {
	content, err := j.add(nil)
	if err != nil {
		panic(err) // it depends on our own edits only
	}
	return string(content)
}

func (j inJSON) add(content []byte) ([]byte, error) {
	doc, err := parseJSON(content)
	if err != nil {
		return nil, err
	}
	for _, e := range j.edits {
		if err := e.add(doc); err != nil {
			return nil, err
		}
	}
	return doc.Bytes(), nil
}

// remove gives back the content from before we came, if nothing else was
// changed since. Else it takes out what is ours, and what was only there for it.
func (j inJSON) remove(content, before []byte) ([]byte, error) {
	if installed, err := j.reinstalled(content, before); err == nil && bytes.Equal(installed, content) {
		return before, nil
	}
	doc, err := parseJSON(content)
	if err != nil {
		return nil, err
	}
	old, err := parseJSON(before)
	if err != nil { // somebody spoiled the copy
		old, _ = jsonc.Parse(nil)
	}
	for _, e := range slices.Backward(j.edits) {
		if err := e.remove(doc, old); err != nil {
			return nil, err
		}
	}
	if before == nil && doc.IsBare() {
		return nil, nil
	}
	return doc.Bytes(), nil
}

// reinstalled is what installing into before gives, with the command that is in
// content: it may be another binary's by now.
func (j inJSON) reinstalled(content, before []byte) ([]byte, error) {
	doc, err := parseJSON(content)
	if err != nil {
		return nil, err
	}
	old, err := parseJSON(before)
	if err != nil {
		return nil, err
	}
	for _, e := range j.edits {
		found := e.find(doc)
		if found == nil {
			continue
		}
		e.value = doc.Get(found)
		if err := e.add(old); err != nil {
			return nil, err
		}
	}
	return old.Bytes(), nil
}

func (j inJSON) present(content []byte) (command string, ours bool, err error) {
	doc, err := parseJSON(content)
	if err != nil {
		return "", false, err
	}
	for _, e := range j.edits {
		found := e.find(doc)
		switch {
		case found == nil:
		case e.runs != nil:
			command, ours = e.runs(doc.Get(found)), true
		case e.is(doc.Get(found)):
			ours = true
		}
	}
	return command, ours, nil
}

func parseJSON(content []byte) (*jsonc.Document, error) {
	doc, err := jsonc.Parse(content)
	switch {
	case errors.Is(err, jsonc.ErrNoObject):
		return nil, fmt.Errorf("it is left alone: %w", err)
	case err != nil:
		return nil, fmt.Errorf("it is not JSON, so it is left alone: %w", err)
	}
	return doc, nil
}

// is reports whether a value is the one that we would write.
func (e edit) is(value json.RawMessage) bool { return string(value) == encode(e.value) }

func (e edit) add(doc *jsonc.Document) error {
	at := e.find(doc)
	switch {
	case at != nil && e.is(doc.Get(at)):
		return nil
	case at == nil && e.element:
		at = append(slices.Clone(e.path), jsonc.End)
	case at == nil:
		at = e.path
	}
	return doc.Set(at, e.value)
}

// find is where our value is; nil where it is not there.
func (e edit) find(doc *jsonc.Document) jsonc.Path {
	if !e.element {
		if doc.Get(e.path) == nil {
			return nil
		}
		return e.path
	}
	for i := range doc.Len(e.path) {
		at := e.path.Index(i)
		if value := doc.Get(at); e.runs != nil && e.runs(value) != "" || e.runs == nil && e.is(value) {
			return at
		}
	}
	return nil
}

// remove takes our value out, and the objects and lists around it that were not
// there before and are empty now. Where something else stood before, that comes
// back.
func (e edit) remove(doc, before *jsonc.Document) error {
	at := e.find(doc)
	if at == nil {
		return nil
	}
	if e.runs == nil {
		if !e.is(doc.Get(at)) {
			return nil // changed since: theirs now
		}
		if was := e.find(before); was != nil {
			return doc.Set(at, before.Get(was))
		}
	}
	for doc.Remove(at); len(at) > 1; doc.Remove(at) {
		at = at[:len(at)-1]
		if doc.Len(at) > 0 || before.Get(at) != nil {
			break
		}
	}
	return nil
}
