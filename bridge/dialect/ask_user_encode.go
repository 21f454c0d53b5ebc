package dialect

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/askpane/askpane/bridge/form"
)

const interactionCancelled = "The user interaction was cancelled."

func askUserError(text, message, reason string) Reply {
	return Reply{Text: text, Details: mustJSON(object{{"kind", "error"}, {"message", message}, {"reason", some(reason)}}), IsError: true}
}

func encodeAskUser(f *form.Form, r form.Result, _ Context) Reply {
	switch r.Outcome {
	case form.Answered, form.NeedsDiscussion:
	case form.Aborted:
		return askUserError(interactionCancelled, interactionCancelled, "")
	default:
		text := notAnswered(interactionCancelled, f, r)
		reply := askUserError(text, strings.TrimPrefix(text, "Error: "), r.Reason)
		reply.IsError = r.Outcome != form.Timeout // the envelope's table
		return reply
	}
	outcome, comment := "submitted", strings.TrimSpace(r.Comment)
	responses := []object{}
	var head, lines, open []string
	for i, a := range r.Answers {
		q := &f.Questions[i]
		if !a.Given() {
			open = append(open, q.Label)
		}
		response, said := respond(q, a)
		responses = append(responses, response)
		lines = append(lines, said...)
	}
	if r.Outcome == form.NeedsDiscussion {
		outcome = string(form.NeedsDiscussion)
		head = append(head, "User needs discussion before a complete decision.", "Unanswered: "+joined(open))
	}
	if comment != "" {
		head = append(head, "Form comment: "+comment)
	}
	return Reply{Text: limited(strings.Join(append(head, lines...), "\n")), Details: mustJSON(object{{"title", some(f.Title)},
		{"intro", some(f.Intro)}, {"questions", echoed(f, "questions")}, {"outcome", outcome}, {"comment", some(comment)}, {"responses", responses}})}
}

// respond is one answer for the details, and the lines that the model reads of it.
func respond(q *form.Question, a form.Answer) (response object, lines []string) {
	comment := strings.TrimSpace(a.Note)
	answer := object{{"kind", textType}, {"answered", a.Given()}}
	var said, remarks []string
	if q.Kind == form.Text {
		if a.Text != nil {
			answer = append(answer, member{"value", *a.Text})
			said = append(said, *a.Text)
		}
	} else {
		var options []object
		options, said, remarks = touched(q, a)
		answer = object{{"kind", choiceType}, {"answered", a.Given()}, {"options", options}}
	}
	if len(said) > 0 {
		lines = append(lines, fmt.Sprintf("%s: %s", q.Label, strings.Join(said, "; ")))
	}
	if comment != "" {
		lines = append(lines, fmt.Sprintf("%s question comment: %s", q.Label, comment))
	}
	return object{{"questionId", q.ID}, {"questionComment", some(comment)}, {"answer", answer}}, append(lines, remarks...)
}

// touched lists the options that were selected or commented on, what the model
// reads of the selected ones, and its lines for comments on the others.
func touched(q *form.Question, a form.Answer) (options []object, selected, unselected []string) {
	options = []object{}
	for i, o := range q.Options {
		chosen, comment := slices.Contains(a.Choices, i), strings.TrimSpace(a.OptionNotes[i])
		if !chosen && comment == "" {
			continue
		}
		options = append(options, object{{"value", o.Value}, {"label", o.Label}, {"selected", chosen}, {"comment", some(comment)}})
		switch {
		case !chosen:
			unselected = append(unselected, fmt.Sprintf("%s option comment (%s): %s", q.Label, o.Label, comment))
		case comment != "":
			selected = append(selected, fmt.Sprintf("%s (comment: %s)", o.Label, comment))
		default:
			selected = append(selected, o.Label)
		}
	}
	return options, selected, unselected
}

// The limits of the text of ask_user; the notice that closes a longer one
// counts towards them.
const (
	maxLines     = 2000
	maxTextBytes = 50 << 10
	truncated    = "[Output truncated: this is not all that the person said; ask a focused follow-up question for the rest.]"
)

// limited cuts a text at the end of a line, or within one that would take half
// of what fits with it.
func limited(text string) string {
	if len(text) <= maxTextBytes && strings.Count(text, "\n") < maxLines {
		return text
	}
	room := min(len(text), maxTextBytes-len(truncated)-1)
	cut, lines := 0, 0
	for i := 0; i < room && lines < maxLines-1; i++ {
		if text[i] == '\n' {
			cut, lines = i, lines+1
		}
	}
	if lines < maxLines-1 && cut < room/2 {
		for cut = room; cut > 0 && !utf8.RuneStart(text[cut]); cut-- {
		}
	}
	return text[:cut] + "\n" + truncated
}
