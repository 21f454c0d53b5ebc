package chat

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/scene"
)

// choices shows the options of q: as buttons, as a select, or, where they cannot be told
// apart so, numbered in a text. It returns the button that chooses by number.
func (d *drawing) choices(q *form.Question) (answers []Button) {
	few := q.Style == form.Buttons || q.Style == form.Rows && len(q.Options) <= 3 && !slices.ContainsFunc(q.Options, func(o form.Option) bool { return utf8.RuneCountInString(o.Label) > 30 })
	asButtons := q.Kind == form.One && few
	most, about, many := d.lim.Choice, d.lim.Description, len(q.Options) > d.lim.Choices
	if asButtons { // what they say of themselves stands above them, whole
		most, about, many = d.lim.Label, d.lim.Text, len(q.Options)+3 > d.lim.Controls
	}
	if len(d.s.Choices) < len(q.Options) { // of a question that is over, a popup's filter may hide some
		return nil
	}
	var labels []string
	whole := true // every label can be read where it is pressed
	for i, o := range q.Options {
		labels = append(labels, d.label(o, d.s.Choices[i], most))
		whole = whole && strings.HasPrefix(labels[i], scene.Label(o.Label, 0))
	}
	undescribed := slices.ContainsFunc(q.Options, func(o form.Option) bool { return utf8.RuneCountInString(o.Description) > about })
	switch {
	case len(q.Options) == 0:
		return nil
	case many || len(slices.Compact(slices.Sorted(slices.Values(labels)))) < len(labels):
		d.listed(q, true)
		e := text.If(q.Kind == form.Many, Entry{Label: "The numbers of your choices", Hint: "1, 4"}, Entry{Label: "The number of your choice"})
		return []Button{d.entryButton("Number", true, e, d.number)}
	case !whole, undescribed:
		d.listed(q, false)
	}
	if asButtons {
		d.pressable(q, labels, whole)
	} else {
		d.selected(q, labels)
	}
	return nil
}

// label shortens an option's label, and adds whether it is advised and chosen.
func (d *drawing) label(o form.Option, c scene.Choice, most int) string {
	after := before(" ", c.Advised)
	if c.Chosen && d.s.Question.Kind == form.One {
		after += " ✓"
	}
	return text.OneLine(scene.Label(o.Label, 0), most-utf8.RuneCountInString(emoji(o)+after)-1) + after
}

// emoji returns an option's, or whatever its agent takes for one.
func emoji(o form.Option) string { return text.OneLine(o.Emoji, 16) }

// pressable shows a button for each option, below its description where that is to be said.
func (d *drawing) pressable(q *form.Question, labels []string, says bool) {
	described := says && slices.ContainsFunc(q.Options, func(o form.Option) bool { return o.Description != "" })
	var row []Button
	for i, o := range q.Options {
		b := d.actionButton(labels[i], false, machine.Event{Action: machine.Pick, N: i + 1})
		b.Emoji = emoji(o)
		if !described {
			row = append(row, b)
			continue
		}
		d.Blocks = append(d.Blocks, Block{Separator: true})
		d.say(Plain, before(text.If(d.lim.Apart, d.s.Choices[i].Label+": ", ""), o.Description))
		d.row(b)
	}
	if described {
		d.Blocks = append(d.Blocks, Block{Separator: true})
	}
	d.row(row...)
}

// selected shows the options as a list to choose from.
func (d *drawing) selected(q *form.Question, labels []string) {
	s := &Select{Many: q.Kind == form.Many, Hint: "Choose"}
	if s.Many {
		s.ID, s.Hint = d.control(control{do: func(e Event) string { return d.tick(e.Values, e.Toggled) }}, "tick"), "Choose any"
	} else {
		s.ID = d.control(control{do: d.chosen}, "choose")
	}
	for i, o := range q.Options {
		c := Choice{Value: strconv.Itoa(i + 1), Label: labels[i], Emoji: emoji(o)}
		if c.Chosen = d.s.Choices[i].Chosen; s.Many && c.Chosen {
			c.Value += was
		}
		if d.lim.Description > 0 {
			c.Description = text.OneLine(o.Description, d.lim.Description)
		}
		s.Choices = append(s.Choices, c)
	}
	d.Blocks = append(d.Blocks, Block{Select: s})
}

// listed shows the options with their descriptions, in text.
func (d *drawing) listed(q *form.Question, numbered bool) {
	var all []string
	for i, o := range q.Options {
		c := d.s.Choices[i]
		line := c.Label
		if numbered {
			line = fmt.Sprintf("%d. %s%s%s", i+1, line, before(" ", c.Advised), text.If(c.Chosen, " ✓", ""))
		}
		all = append(all, line+before(": ", text.OneLine(o.Description, 0)))
	}
	d.say(Plain, strings.Join(all, "\n"))
}
