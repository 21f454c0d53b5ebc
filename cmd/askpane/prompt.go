package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/cmd/internal/command"
)

// A question that stands on the command line, askpane ask PROMPT CHOICE…, is for
// shell scripts: it becomes a request in the dialect that fits, and what is printed
// is the answer alone.

// prompted makes the request of the command line.
func (q *question) prompted(c *cli.Context) (err error) {
	kind := "" // what the answer is: one of the choices
	for _, k := range []string{"multi", "text", "secret", "number", "confirm"} {
		switch {
		case c.Bool(k) && kind != "":
			return usage("--%s and --%s exclude each other; see askpane ask --help", kind, k)
		case c.Bool(k):
			kind = k
		}
	}
	for _, other := range []string{"file", "dialect"} {
		if c.IsSet(other) {
			return usage("--%s is for a request in JSON, and the question stands on the command line: %q", other, c.Args().First())
		}
	}
	for _, bound := range []string{"min", "max"} {
		if c.IsSet(bound) && kind != "number" {
			return usage("--%s goes with --number alone; see askpane ask --help", bound)
		}
	}
	if said := strings.Join(c.Args().Slice(), " "); strings.ToValidUTF8(said, "") != said { // it would be printed as another text
		return usage("the question is not in UTF-8: %q", said)
	}
	var request map[string]any
	if kind == "number" {
		request, err = numberRequest(c)
	} else {
		q.dialect = "ask_user_question"
		request, err = choiceRequest(c, kind)
	}
	if err == nil {
		q.prompt, err = json.Marshal(request)
	}
	return err
}

func numberRequest(c *cli.Context) (map[string]any, error) {
	prompt := c.Args().First()
	q := map[string]any{"type": "number", "question": prompt, "header": text.OneLine(cmp.Or(c.String("title"), prompt), 20)} // the contract's limit
	for _, name := range []string{"min", "max", "default"} {
		given := c.String(name)
		n, err := strconv.ParseFloat(given, 64)
		switch {
		case !c.IsSet(name):
		case err != nil || n-n != 0: // infinite, or no number
			return nil, usage("--%s is %q; with --number it must be a number", name, given)
		default:
			q[name] = n
		}
	}
	return map[string]any{"questions": []any{q}}, noChoices(c, "number")
}

// choiceRequest makes any other request: one form of radio buttons, boxes or a text.
func choiceRequest(c *cli.Context, kind string) (map[string]any, error) {
	q := map[string]any{"id": "q1", "type": "radio", "prompt": c.Args().First(), "allowOther": c.Bool("other")}
	options := []map[string]string{}
	for _, label := range c.Args().Tail() {
		options = append(options, map[string]string{"label": label})
	}
	var err error
	if c.IsSet("default") {
		q["default"] = c.String("default")
	}
	switch kind {
	case "multi":
		q["type"] = "checkbox"
		if c.IsSet("default") {
			q["default"] = []string{c.String("default")}
		}
	case "text", "secret":
		q["type"], q["secret"] = "text", kind == "secret"
		delete(q, "allowOther")
		err = noChoices(c, kind)
	case "confirm":
		if len(options) == 0 {
			options = []map[string]string{{"label": "Yes"}, {"label": "No"}}
		}
		if len(options) != 2 {
			return nil, usage("--confirm takes two choices, the words for yes and for no, or none; there are %d", len(options))
		}
		options[0]["value"], options[1]["value"] = "yes", "no"
	}
	switch {
	case err != nil:
	case q["type"] != "text" && len(options) == 0:
		err = usage("there is nothing to choose from: askpane ask %s Yes No; or say --text, --number or --confirm; a file with a request is for --file", text.Quoted(c.Args().First(), 40))
	default:
		q["options"] = options
	}
	return map[string]any{"title": c.String("title"), "questions": []any{q}}, err
}

func noChoices(c *cli.Context, kind string) error {
	if more := c.Args().Tail(); len(more) > 0 {
		return usage("unexpected argument %q; the answer to a question with --%s is typed, so it has no choices", more[0], kind)
	}
	return nil
}

// printAnswer prints the answer alone, several one a line. How a question without
// one ended is said on standard error. One that was left to another process has its id printed.
func printAnswer(e bridge.Envelope, left bool) error {
	if e.Note != "" {
		warn(errors.New(e.Note))
	}
	switch e.Outcome {
	case form.Answered:
	case form.Unavailable: // the text of some dialects does not say why
		var said struct{ Reason string }
		_ = json.Unmarshal(e.Details, &said)
		warn(fmt.Errorf("nobody can be asked here: %s; see askpane doctor", cmp.Or(said.Reason, e.Text)))
		return nil
	default:
		if left && e.Outcome == bridge.Pending {
			return say("%s", e.ID)
		}
		warn(errors.New(strings.TrimPrefix(e.Text, "Error: ")))
		return nil
	}
	answers, err := answersOf(e)
	said := strings.Join(append(answers, ""), "\n")
	if command.ScreenOf(os.Stdout).Width > 0 {
		said = text.Visible(said)
	}
	_, lost := fmt.Print(said)
	return cmp.Or(err, lost)
}

// answersOf returns what was answered to a question on the command line.
func answersOf(e bridge.Envelope) (several []string, err error) {
	var said struct{ Answers json.RawMessage }
	var form []struct{ Value json.RawMessage }
	var number map[string]json.RawMessage
	var one string
	err = json.Unmarshal(e.Details, &said)
	if json.Unmarshal(said.Answers, &form) == nil && len(form) == 1 {
		if json.Unmarshal(form[0].Value, &one) == nil {
			several = []string{one}
		} else {
			err = json.Unmarshal(form[0].Value, &several)
		}
	} else if err = json.Unmarshal(said.Answers, &number); err == nil {
		several = []string{string(number["0"])}
	}
	return several, err
}
