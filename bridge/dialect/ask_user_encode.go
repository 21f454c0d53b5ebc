package dialect

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/askpane/askpane/bridge/form"
)

type askUserDetails struct {
	Title     string            `json:"title,omitempty"`
	Intro     string            `json:"intro,omitempty"`
	Questions any               `json:"questions"`
	Outcome   string            `json:"outcome"`
	Comment   string            `json:"comment,omitempty"`
	Responses []askUserResponse `json:"responses"`
}

type askUserResponse struct {
	QuestionID      string `json:"questionId"`
	QuestionComment string `json:"questionComment,omitempty"`
	Answer          any    `json:"answer"`
}

type choiceAnswer struct {
	Kind     string          `json:"kind"`
	Answered bool            `json:"answered"`
	Options  []touchedOption `json:"options"` // those selected or commented on
}

type touchedOption struct {
	Value    string `json:"value"`
	Label    string `json:"label"`
	Selected bool   `json:"selected"`
	Comment  string `json:"comment,omitempty"`
}

type textAnswer struct {
	Kind     string  `json:"kind"`
	Answered bool    `json:"answered"`
	Value    *string `json:"value,omitempty"`
}

type askUserFailure struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
	Reason  string `json:"reason,omitempty"`
}

const interactionCancelled = "The user interaction was cancelled."

func askUserError(text, message, reason string) Reply {
	return Reply{Text: text, Details: mustJSON(askUserFailure{"error", message, reason}), IsError: true}
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
	d := askUserDetails{Title: f.Title, Intro: f.Intro, Questions: echoed(f, "questions"), Outcome: "submitted",
		Comment: strings.TrimSpace(r.Comment), Responses: []askUserResponse{}}
	var head, lines, open []string
	for i, a := range r.Answers {
		q := &f.Questions[i]
		if !a.Given() {
			open = append(open, q.Label)
		}
		response, said := respond(q, a)
		d.Responses = append(d.Responses, response)
		lines = append(lines, said...)
	}
	if r.Outcome == form.NeedsDiscussion {
		d.Outcome = string(form.NeedsDiscussion)
		head = append(head, "User needs discussion before a complete decision.", "Unanswered: "+joined(open))
	}
	if d.Comment != "" {
		head = append(head, "Form comment: "+d.Comment)
	}
	return Reply{Text: limited(strings.Join(append(head, lines...), "\n")), Details: mustJSON(d)}
}

// respond is one answer for the details, and the lines that the model reads of it.
func respond(q *form.Question, a form.Answer) (askUserResponse, []string) {
	response := askUserResponse{QuestionID: q.ID, QuestionComment: strings.TrimSpace(a.Note)}
	var lines, remarks []string
	if q.Kind == form.Text {
		response.Answer = textAnswer{textType, a.Given(), a.Text}
		if a.Text != nil {
			lines = append(lines, fmt.Sprintf("%s: %s", q.Label, *a.Text))
		}
	} else {
		options, selected, unselected := touched(q, a)
		response.Answer = choiceAnswer{choiceType, a.Given(), options}
		if len(selected) > 0 {
			lines = append(lines, fmt.Sprintf("%s: %s", q.Label, strings.Join(selected, "; ")))
		}
		remarks = unselected
	}
	if response.QuestionComment != "" {
		lines = append(lines, fmt.Sprintf("%s question comment: %s", q.Label, response.QuestionComment))
	}
	return response, append(lines, remarks...)
}

// touched lists the options that were selected or commented on, what the model
// reads of the selected ones, and its lines for comments on the others.
func touched(q *form.Question, a form.Answer) (options []touchedOption, selected, unselected []string) {
	chosen := map[int]bool{}
	for _, i := range a.Choices {
		chosen[i] = true
	}
	options = []touchedOption{}
	for i, o := range q.Options {
		comment := strings.TrimSpace(a.OptionNotes[i])
		if !chosen[i] && comment == "" {
			continue
		}
		options = append(options, touchedOption{o.Value, o.Label, chosen[i], comment})
		switch {
		case !chosen[i]:
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
