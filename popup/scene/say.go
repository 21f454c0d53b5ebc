package scene

import (
	"regexp"
	"slices"
	"strings"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/keymap"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/preview/styled"
)

// Passage is a part of what an agent says. Before one with a gap there is some room.
type Passage struct {
	Style styled.Style
	Text  string
	Gap   bool
}

// asked is all that the agent says before the answer to the question on view. What it
// asks in the end is strong.
func asked(m *machine.Machine) (said []Passage) {
	say := func(style styled.Style, words string, gap bool) {
		if words = strings.Trim(text.Visible(words), "\n"); words != "" {
			said = append(said, Passage{style, words, gap && len(said) > 0})
		}
	}
	if f := m.Form(); m.Step() == 0 {
		say(styled.Heading, f.Title, false)
		say(styled.Text, f.Intro, false)
	}
	prompt := m.Question().Prompt
	from, to := heart(prompt)
	say(styled.Text, prompt[:from], true)
	say(styled.Strong, prompt[from:to], true)
	say(styled.Text, prompt[to:], true)
	say(styled.Text, m.Question().Description, false)
	return said
}

// question is the end of a sentence that asks.
var question = regexp.MustCompile(`\?[*_)”"]*(\s|$)|？`)

// heart is where the paragraph of a prompt begins and ends that asks: the last with a
// question in it, else the last, and none that has code in a fence.
func heart(prompt string) (from, to int) {
	at, fences, asks := 0, 0, false
	for paragraph := range strings.SplitAfterSeq(prompt, "\n\n") {
		more := strings.Count("\n"+paragraph, "\n```")
		found := question.MatchString(paragraph)
		if fences%2+more == 0 && strings.TrimSpace(paragraph) != "" && (found || !asks) {
			from, to, asks = at, at+len(paragraph), found
		}
		fences += more
		at += len(paragraph)
	}
	return from, to
}

// Label is an agent's short name for something, which stands in a row with signs
// of ours: one line, in which those signs show as text. most is in runes; 0 is
// no limit.
func Label(name string, most int) string { return Signless(text.OneLine(name, most)) }

// Signless is an agent's text in which the signs of ours show as text.
func Signless(said string) string { return ours.Replace(said) }

// ours are the signs that say something in a row of ours, and those that look much
// like them: what is chosen, ticked, typed, answered or recommended, the bar,
// and lines.
var ours = func() *strings.Replacer {
	var pairs []string
	for _, sign := range []string{
		"❯", "❱", "➤", "✓", "✔", "✅", "🗸", "✎", "☑", "🗹", "☒", "☐", "◉", "●", "○", "◯", "■", "□", "▎", "▍", "▌", "│", "┊", "┆", "▾", Advised, "[Select]",
	} {
		pairs = append(pairs, sign, "⟨"+sign+"⟩")
	}
	return strings.NewReplacer(pairs...)
}()

// Said is an answer in words, whose only signs are ours: one stands before what the person
// has typed.
func Said(q *form.Question, a form.Answer) string {
	return q.Say(a, "✎ ", func(text string) string { return Label(text, 0) })
}

// Name is what choice c of a question is called.
func Name(q *form.Question, c int) string {
	switch {
	case c >= len(q.Options):
		return q.Other
	case q.Options[c].Emoji != "":
		return q.Options[c].Emoji + " " + q.Options[c].Label
	}
	return q.Options[c].Label
}

// FocusedPreview is what the choice under the cursor has to show; nil for nothing.
func FocusedPreview(m *machine.Machine) *form.Preview {
	q := m.Question()
	if q == nil || m.Cursor() >= len(q.Options) {
		return nil
	}
	return q.Options[m.Cursor()].Preview
}

// mark reports whether choice c of the question on view is chosen, and the sign that
// says so in the form's dialect; empty where it has none.
func mark(m *machine.Machine, c int) (chosen bool, sign string) {
	radio, q := keymap.Of(m.Form()).Look.Radio, m.Question()
	if q.Kind == form.Many {
		chosen = m.Ticked(m.Step(), c)
		return chosen, map[bool]string{true: "☑", false: "☐"}[chosen]
	}
	a := m.Answer(m.Step())
	chosen = slices.Contains(a.Choices, c) || c == len(q.Options) && a.Text != nil
	switch {
	case radio:
		return chosen, map[bool]string{true: "◉", false: "○"}[chosen]
	case chosen:
		return chosen, "✓"
	}
	return chosen, ""
}

// other is what was typed in place of the options of the question on view: what is
// meant, and what is in the entry and is not meant yet.
func other(m *machine.Machine) (meant, entered string) {
	q, said := m.Question(), m.Answer(m.Step()).Text
	switch entered = m.EntryText(m.Step()); {
	case said != nil:
		meant = *said
	case q.Kind == form.Many && m.Ticked(m.Step(), len(q.Options)):
		meant = entered // the select row is still to come
	}
	if strings.TrimSpace(entered) == "" || meant == entered {
		entered = ""
	}
	return text.Visible(meant), before(NotYet, entered)
}
