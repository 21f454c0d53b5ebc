package discord

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/chat"
)

// What Discord takes of a message (its documentation, Component Reference), in characters.
const (
	mostText  = 3900 // of all texts: 4,000, and a few for how it counts emojis
	mostBytes = 9600 // of all texts: from about 10,100 on it fails
	// A notice can give back what was typed.
	mostValue  = 3000
	mostNotice = 900
)

// Limits returns Discord's. Of the 40 components, a control may take three: a row, the button in
// it and the text above.
func (c *Channel) Limits() chat.Limits {
	return chat.Limits{Text: mostText, Length: length, Label: 80, Choice: 100, Description: 100, Choices: 25, Value: mostValue, Controls: 13, Disables: true}
}

// length returns what a text takes of mostText: its characters, or the same share of it as
// its bytes take of mostBytes.
func length(b chat.Block) int {
	s := styled(b.Text, b.Style)
	return max(utf8.RuneCountInString(s), len(s)*mostText/mostBytes) + 1
}

var colours = map[chat.State]int{chat.Waiting: 0x5865F2, chat.Over: 0x4E5058}

// render makes Discord's components of a message. Texts that follow each other become one, as
// a message has 40 components at the most.
func render(m chat.Message, emojis bool) []component {
	box := component{Type: typeContainer}
	if colour, ok := colours[m.State]; ok {
		box.Colour = &colour
	}
	add := func(one component) { box.Components = append(box.Components, one) }
	for _, b := range m.Blocks {
		if says := styled(b.Text, b.Style); says != "" {
			if last := len(box.Components) - 1; last >= 0 && box.Components[last].Type == typeText {
				box.Components[last].Content += "\n" + says
			} else {
				add(component{Type: typeText, Content: says})
			}
		}
		if b.Separator {
			add(component{Type: typeSeparator})
		}
		if b.Select != nil {
			add(component{Type: typeRow, Components: []component{list(*b.Select, m.State, emojis)}})
		}
		for row := range slices.Chunk(buttons(b.Buttons, m.State, emojis), 5) {
			add(component{Type: typeRow, Components: row})
		}
	}
	return []component{box}
}

func buttons(buttons []chat.Button, state chat.State, emojis bool) (all []component) {
	for _, b := range buttons {
		one := component{Type: typeButton, CustomID: b.ID, Style: text.If(b.Primary, primary, secondary), Disabled: state == chat.Over}
		one.Label, one.Emoji = labelled(b.Label, b.Emoji, emojis)
		all = append(all, one)
	}
	return all
}

func list(s chat.Select, state chat.State, emojis bool) component {
	least, most := 1, 1
	if s.Many {
		least, most = 0, len(s.Choices)
	}
	menu := component{Type: typeSelect, CustomID: s.ID, Placeholder: s.Hint, Min: &least, Max: most, Disabled: state == chat.Over}
	for _, o := range s.Choices {
		one := component{Value: o.Value, Description: o.Description, Default: o.Chosen}
		one.Label, one.Emoji = labelled(o.Label, o.Emoji, emojis)
		menu.Options = append(menu.Options, one)
	}
	return menu
}

func labelled(label, emoji string, emojis bool) (string, map[string]string) {
	if emoji == "" || !emojis {
		return strings.TrimSpace(emoji + " " + label), nil
	}
	return label, map[string]string{"name": emoji}
}

// styled writes a text in Discord's Markdown; it is empty where there is nothing to see.
func styled(s string, style chat.Style) string {
	if strings.TrimSpace(s) == "" {
		return ""
	}
	switch style {
	case chat.Address:
		return s
	case chat.Fixed:
		for range 2 { // a run of any length
			s = strings.ReplaceAll(s, "``", "`\u200b`")
		}
		return "```\n" + s + "\n```"
	}
	lines := strings.Split(escaped(s), "\n")
	for i, line := range lines {
		switch line = strings.TrimSpace(line); {
		case line == "":
		case style == chat.Heading:
			lines[i] = "**" + line + "**"
		case style == chat.Dim:
			lines[i] = "-# " + line
		}
	}
	return strings.Join(lines, "\n")
}

// Discord finds addresses as it does Markdown, in what was written and not in what comes of
// it: there is none without its colon. So it is for the names of emojis.
var (
	signs = strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "~", `\~`, "`", "\\`", "|", `\|`,
		"<", `\<`, ">", `\>`, "[", `\[`, "@", `\@`, ":", `\:`)
	begins = regexp.MustCompile(`(?m)^([ \t]*[0-9]*)([-#+.)])`) // headings, lists, small print
)

// escaped writes s so that Discord's Markdown finds nothing in it.
func escaped(s string) string { return begins.ReplaceAllString(signs.Replace(s), `$1\$2`) }

// cut ends s by an ellipsis where it is longer than most.
func cut(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
