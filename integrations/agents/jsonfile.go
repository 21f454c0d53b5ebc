package agents

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/settings/edit"
)

// inJSON has our part of a JSON file, which may have comments and commas at the ends of lists
// (JSONC). The rest of the file keeps its layout.
type inJSON []entry

// entry is a member of ours, or an element of a list.
type entry struct {
	path    string // a JSON pointer; of an element, the list's
	value   string // in one line, of the member or the element
	element bool
	gone    bool // another entry of ours has taken its place
	runs    bool // the value has a command, which also tells our element of a list from others
}

// command reads the one in a value: a program and its args, the words in a list, or a hook's
// for a shell.
func (e entry) command(value string) string {
	var v struct {
		Command any
		Args    []string
		Hooks   []struct{ Command string }
		Bash    string // of a hook of Copilot CLI
	}
	_ = json.Unmarshal([]byte(value), &v) // what is not like ours is not ours
	_, name, _ := strings.Cut(e.value, asHook)
	name, _, _ = strings.Cut(name, `"`)
	for _, h := range append(v.Hooks, struct{ Command string }{v.Bash}) {
		if name != "" && strings.HasSuffix(h.Command, asHook+name) && (strings.Contains(h.Command, ServerName) || strings.Contains(e.value, hint.JSON(h.Command))) {
			return h.Command
		}
	}
	var words []string
	switch command := v.Command.(type) {
	case string:
		words = append([]string{command}, v.Args...)
	case []any:
		for _, word := range command {
			words = append(words, fmt.Sprint(word))
		}
	}
	if words == nil && !e.element {
		return "(nothing that can be read)"
	}
	return strings.Join(words, " ")
}

func (j inJSON) with(other kind) kind { return slices.Concat(j, other.(inJSON)) }

// asHook stands in a hook's command line between us and the agent's name.
const asHook = " hook "

func (j inJSON) snippet() string {
	content, err := j.add(nil)
	if err != nil {
		panic(err) // it depends on our own entries only
	}
	return string(content)
}

func (j inJSON) add(content []byte) ([]byte, error) {
	doc, err := edit.Parse(content)
	if err != nil {
		return nil, err
	}
	nothing, _ := edit.Parse(nil)
	for _, e := range j {
		at := e.find(doc)
		switch {
		case e.gone || at != "" && doc.Get(at) == e.value:
			continue
		case strings.Count(at, "/hooks/") > strings.Count(e.path, "/hooks/"): // beside a person's own, which stays
			_ = e.remove(doc, nothing) // no command has been anything else before
			at = e.path + "/-"
		case at == "" && e.element:
			at = e.path + "/-"
		case at == "":
			at = e.path
		}
		if err := doc.Set(at, e.value); err != nil {
			return nil, err
		}
	}
	for _, e := range j { // last: a list that is in use now is not taken for an empty one
		if e.gone {
			if err := e.remove(doc, nothing); err != nil {
				return nil, err
			}
		}
	}
	return doc.Bytes(), nil
}

func (j inJSON) remove(content, before []byte) ([]byte, error) {
	doc, err := edit.Parse(content)
	if err != nil {
		return nil, err
	}
	old, err := edit.Parse(before)
	if err != nil { // somebody spoiled the copy
		old, _ = edit.Parse(nil)
	}
	for _, e := range slices.Backward(j) {
		if err := e.remove(doc, old); err != nil {
			return nil, err
		}
	}
	return doc.Bytes(), nil
}

func (j inJSON) present(content []byte) (commands []string, ours bool, err error) {
	doc, err := edit.Parse(content)
	if err != nil {
		return nil, false, err
	}
	for _, e := range j {
		at := e.find(doc)
		switch {
		case at != "" && e.runs:
			commands, ours = append(commands, e.command(doc.Get(at))), true
		case at != "" && doc.Get(at) == e.value:
			ours = true
		}
	}
	return commands, ours, nil
}

// find returns the pointer to our value; empty where it is not there.
func (e entry) find(doc *edit.Document) string {
	if !e.element {
		if doc.Get(e.path) == "" {
			return ""
		}
		return e.path
	}
	for i := 0; ; i++ {
		at := e.path + "/" + strconv.Itoa(i)
		switch value := doc.Get(at); {
		case value == "":
			return ""
		case value == e.value, e.runs && e.command(value) != "":
			return e.among(doc, at)
		}
	}
}

// among returns the place of our hook in an element, or that of the element where it has no other.
func (e entry) among(doc *edit.Document, at string) string {
	for i := 0; doc.Get(at+"/hooks/1") != "" && doc.Get(at+"/hooks/"+strconv.Itoa(i)) != ""; i++ {
		if hook := at + "/hooks/" + strconv.Itoa(i); e.command(`{"hooks":[`+doc.Get(hook)+`]}`) != "" {
			return hook
		}
	}
	return at
}

// remove takes our value out, and the objects and lists around it that were not there before
// and are empty now. Where something else stood before, that comes back.
func (e entry) remove(doc, before *edit.Document) error {
	for at := e.find(doc); at != ""; at = e.find(doc) { // an older askpane's may stand there, too
		if !e.runs {
			if doc.Get(at) != e.value {
				return nil // changed since: theirs now
			}
			if was := e.find(before); was != "" {
				return doc.Set(at, before.Get(was))
			}
		}
		for empty := true; empty && at != ""; {
			doc.Remove(at)
			at, _ = edit.Above(at)
			empty = before.Get(at) == "" && (doc.Get(at) == "{}" || doc.Get(at) == "[]")
		}
	}
	return nil
}
