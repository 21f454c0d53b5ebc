package layout

import (
	"regexp"
	"strings"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/preview/styled"
)

// bar stands left of every row of what an agent asks: nothing of ours begins with it,
// so that no such text can pass for a choice, a tab, the review or the form's frame,
// without colours too.
const bar = "▎ "

// Passage is a part of what an agent says. Before one with a gap there is some room.
type Passage struct {
	Style styled.Style
	Text  string
	Gap   bool
}

// Asked is all that the agent says before the answer to the question on view. What it
// asks in the end is strong.
func Asked(m *machine.Machine) (said []Passage) {
	say := func(style styled.Style, text string, gap bool) {
		if text = strings.Trim(text, "\n"); text != "" {
			said = append(said, Passage{style, text, gap && len(said) > 0})
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

// asked adds that, right of one bar.
func (l *layouter) asked(dangerous bool) {
	head := styled.Row{in(styled.Accent, bar)}
	if dangerous {
		head[0] = in(styled.Danger, bar)
	}
	for _, p := range Asked(l.m) {
		if p.Gap && l.roomy {
			l.Body = append(l.Body, head)
		}
		from := len(l.Body)
		if l.marked(head, p.Style, p.Text); p.Style == styled.Strong {
			l.Asked = [2]int{from, len(l.Body)}
		}
	}
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
func Label(name string, most int) string { return ours.Replace(text.OneLine(name, most)) }

// Said is an answer in words, whose only signs are ours.
func Said(q *form.Question, a form.Answer) string {
	return q.Say(a, typedSign, func(text string) string { return Label(text, 0) })
}

// ours are the signs that say something in a row of ours, and those that look much
// like them: what is chosen, ticked, typed, answered or recommended, the bar,
// and lines.
var ours = func() *strings.Replacer {
	var pairs []string
	for _, sign := range []string{
		"❯", "❱", "➤", "✓", "✔", "✅", "🗸", "✎", "☑", "🗹", "☒", "☐", "◉", "●", "○", "◯", "■", "□", "▎", "▍", "▌", "│", "┊", "┆", "▾", "[recommended]", "[Select]",
	} {
		pairs = append(pairs, sign, "⟨"+sign+"⟩")
	}
	return strings.NewReplacer(pairs...)
}()

// framed is a label between brackets of ours, in a tab or a button.
func framed(name string, most int) string { return brackets.Replace(Label(name, most)) }

var brackets = strings.NewReplacer("[", "(", "]", ")")
