package preview

import (
	"html"
	"strings"

	"github.com/gdamore/tcell/v2"
	"github.com/gomarkdown/markdown/ast"
	"github.com/gomarkdown/markdown/parser"

	"github.com/askpane/askpane/bridge/text/cells"
)

// markdown draws markdown as GitHub understands it (tables, strikethrough, task
// lists, bare addresses). What takes too long to understand is shown as it is.
func (pg *page) markdown(content string, width int) []Line {
	doc := pg.parse(relist(content))
	if doc == nil {
		return pg.source("This markdown is too involved to be laid out. Its source:", content, width)
	}
	return pg.blocks(doc.GetChildren(), width, false, 0)
}

// parse reads markdown; nil where the parser gave up or ran out of time, which
// it can only be told by a panic from the calls it makes for every inline sign
// and every block.
func (pg *page) parse(content string) (doc ast.Node) {
	if squared(content) {
		return nil
	}
	defer func() {
		if recover() != nil {
			doc = nil
		}
	}()
	p := parser.NewWithExtensions(parser.NoIntraEmphasis | parser.Tables | parser.FencedCode | parser.Autolink |
		parser.Strikethrough | parser.SpaceHeadings | parser.NoEmptyLineBeforeBlock | parser.BackslashLineBreak)
	check := func() {
		if pg.late() {
			panic(errLate)
		}
	}
	for sign := range 256 {
		if read := p.RegisterInline(byte(sign), nil); read != nil {
			p.RegisterInline(byte(sign), func(p *parser.Parser, data []byte, offset int) (int, ast.Node) {
				check()
				return read(p, data, offset)
			})
		}
	}
	p.Opts.ParserHook = func([]byte) (ast.Node, []byte, int) {
		check()
		return nil, nil, 0
	}
	return p.Parse([]byte(content))
}

// squared reports whether content has so much of what the parser takes the
// square of, without asking in between, that it would take too long: long runs
// in which it looks for a table, and fences and comments that nothing closes.
func squared(content string) bool {
	lines := strings.Count(content, "\n")
	fences := strings.Count(content, "```") + strings.Count(content, "~~~")
	return strings.Contains(content, strings.Repeat("`", 33)) || strings.Contains(content, strings.Repeat(" ", 500)) ||
		fences*lines > 400_000 || strings.Count(content, "<!--") > 300
}

// deepest is how many lists and quotes inside each other are indented.
const deepest = 12

// blocks draws nodes below one another, with a blank row between two of them
// unless they stand tight, as the parts of a short list do.
func (pg *page) blocks(nodes []ast.Node, width int, tight bool, depth int) []Line {
	var rows []Line
	for _, n := range nodes {
		block := pg.block(n, width, depth)
		if len(block) == 0 {
			continue
		}
		_, code := n.(*ast.CodeBlock)
		if len(rows) > 0 && (!tight || code) {
			rows = append(rows, nil)
		}
		if rows = append(rows, block...); len(rows) > maxRows {
			break
		}
	}
	return rows
}

func (pg *page) block(n ast.Node, width, depth int) []Line {
	switch n := n.(type) {
	case *ast.Heading:
		return pg.heading(n, width)
	case *ast.List:
		return pg.list(n, width, depth+1)
	case *ast.BlockQuote:
		bar := Span{"│ ", pg.Dim}
		if depth >= deepest || width < 8 {
			return pg.blocks(n.Children, width, false, depth+1)
		}
		return indent(pg.blocks(n.Children, width-2, false, depth+1), bar, bar)
	case *ast.CodeBlock:
		return pg.fenced(n, width)
	case *ast.HorizontalRule:
		return []Line{{{strings.Repeat("─", width), pg.Dim}}}
	case *ast.Table:
		return pg.table(n, width)
	case *ast.HTMLBlock:
		return wrap([]Span{{strings.TrimSpace(string(n.Literal)), pg.Dim}}, width)
	}
	spans := pg.inline([]ast.Node{n}, look{})
	if blank(spans) {
		return nil
	}
	return wrap(spans, width)
}

func (pg *page) heading(h *ast.Heading, width int) []Line {
	style := look{head: true}
	if h.Level > 2 {
		style = look{strong: true}
	}
	rows := wrap(pg.inline(h.Children, style), width)
	sign := map[int]string{1: "═", 2: "─"}[h.Level]
	if sign == "" {
		return rows
	}
	widest := 0
	for _, row := range rows {
		widest = max(widest, row.width())
	}
	return append(rows, Line{{strings.Repeat(sign, widest), pg.Dim}})
}

// fenced draws a code block: a mermaid one as its diagram, others highlighted.
func (pg *page) fenced(n *ast.CodeBlock, width int) []Line {
	text := strings.Trim(string(n.Literal), "\n")
	name, _, _ := strings.Cut(strings.TrimSpace(string(n.Info)), " ")
	if strings.EqualFold(name, "mermaid") {
		return pg.mermaid(text, width)
	}
	margin := Span{"  ", pg.Text}
	if width < 12 {
		margin.Text, width = "", width+2
	}
	if name == "" {
		name = "text" // a block without a name is as often output as code
	}
	return indent(pg.code(text, name, width-2), margin, margin)
}

func (pg *page) list(l *ast.List, width, depth int) []Line {
	var rows []Line
	number := max(1, l.Start)
	for i, n := range l.Children {
		item, ok := n.(*ast.ListItem)
		if !ok {
			continue
		}
		mark, style := "• ", pg.Dim
		if l.ListFlags&ast.ListTypeOrdered != 0 {
			delimiter := l.Delimiter
			if delimiter == 0 {
				delimiter = '.'
			}
			mark = itoa(number+i) + string(rune(delimiter)) + " "
		}
		if done, ok := takeTask(item); ok {
			mark = "☐ "
			if done {
				mark, style = "☑ ", pg.Added
			}
		}
		first, rest := Span{mark, style}, Span{strings.Repeat(" ", cells.Width(mark)), pg.Text}
		if depth > deepest || width < cells.Width(mark)+6 {
			rest.Text = ""
		}
		body := pg.blocks(item.Children, max(1, width-cells.Width(mark)), l.Tight, depth)
		if len(body) == 0 {
			body = []Line{nil}
		}
		if i > 0 && !l.Tight {
			rows = append(rows, nil)
		}
		if rows = append(rows, indent(body, first, rest)...); len(rows) > maxRows {
			break
		}
	}
	return rows
}

// takeTask takes the [ ] or [x] off the begin of a task list's item.
func takeTask(item *ast.ListItem) (done, ok bool) {
	if len(item.Children) == 0 {
		return false, false
	}
	paragraph, isPara := item.Children[0].(*ast.Paragraph)
	if !isPara || len(paragraph.Children) == 0 {
		return false, false
	}
	text, isText := paragraph.Children[0].(*ast.Text)
	if !isText {
		return false, false
	}
	for box, done := range map[string]bool{"[ ] ": false, "[x] ": true, "[X] ": true} {
		if rest, ok := strings.CutPrefix(string(text.Literal), box); ok {
			text.Literal = []byte(rest)
			return done, true
		}
	}
	return false, false
}

// look is how a piece of text differs from plain text.
type look struct{ strong, emphasis, strike, code, link, head, dim bool }

func (pg *page) style(l look) tcell.Style {
	var s tcell.Style
	switch {
	case l.dim:
		s = pg.Dim
	case l.code:
		s = pg.Code
	case l.link:
		s = pg.Link
	case l.head:
		s = pg.Heading
	case l.strong:
		s = pg.Strong
	case l.emphasis:
		s = pg.Emphasis
	case l.strike:
		return pg.Strike
	default:
		return pg.Text
	}
	// Several at once: the first gives the colour, the others their attribute.
	if l.strong {
		s = s.Bold(true)
	}
	if l.emphasis {
		s = s.Italic(true)
	}
	if l.strike {
		s = s.StrikeThrough(true)
	}
	return s
}

// inline draws what stands in a line of text.
func (pg *page) inline(nodes []ast.Node, l look) []Span {
	var spans []Span
	add := func(text string, l look) {
		if text != "" {
			spans = append(spans, Span{text, pg.style(l)})
		}
	}
	for _, n := range nodes {
		switch n := n.(type) {
		case *ast.Text:
			text := string(n.Literal)
			if strings.HasPrefix(text, "&") && strings.HasSuffix(text, ";") {
				text = html.UnescapeString(text) // the parser leaves an entity for a browser
			}
			add(strings.ReplaceAll(text, "\n", " "), l)
		case *ast.Code:
			l := l
			l.code = true
			add(strings.ReplaceAll(string(n.Literal), "\n", " "), l)
		case *ast.CodeBlock: // inside a list's paragraph
			l := l
			l.code = true
			add("\n"+strings.Trim(string(n.Literal), "\n")+"\n", l)
		case *ast.Hardbreak:
			add("\n", l)
		case *ast.HTMLSpan:
			if isBreak(string(n.Literal)) {
				add("\n", l)
			} else {
				add(string(n.Literal), look{dim: true})
			}
		case *ast.Emph:
			l := l
			l.emphasis = true
			spans = append(spans, pg.inline(n.Children, l)...)
		case *ast.Strong:
			l := l
			l.strong = true
			spans = append(spans, pg.inline(n.Children, l)...)
		case *ast.Del:
			l := l
			l.strike = true
			spans = append(spans, pg.inline(n.Children, l)...)
		case *ast.Link:
			spans = append(spans, pg.link(n.Children, string(n.Destination), l)...)
		case *ast.Image:
			add("picture: ", look{dim: true})
			spans = append(spans, pg.link(n.Children, string(n.Destination), l)...)
		default:
			if leaf := n.AsLeaf(); leaf != nil {
				add(string(leaf.Literal), l)
			}
			spans = append(spans, pg.inline(n.GetChildren(), l)...)
		}
	}
	return spans
}

// link shows the address of every link: a text that says one address and leads
// to another is the oldest of tricks.
func (pg *page) link(text []ast.Node, address string, l look) []Span {
	l.link = true
	spans := pg.inline(text, l)
	var said strings.Builder
	for _, s := range spans {
		said.WriteString(s.Text)
	}
	if address != "" && said.String() != address && "mailto:"+said.String() != address {
		if said.Len() > 0 {
			address = " (" + address + ")"
		}
		spans = append(spans, Span{address, pg.Dim})
	}
	return spans
}

func isBreak(tag string) bool {
	tag = strings.ToLower(strings.Trim(tag, "<> /"))
	return tag == "br"
}

func blank(spans []Span) bool {
	for _, s := range spans {
		if strings.TrimSpace(s.Text) != "" {
			return false
		}
	}
	return true
}
