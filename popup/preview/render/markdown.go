package render

import (
	"bufio"
	"bytes"
	"html"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark/ast"
	tables "github.com/yuin/goldmark/extension/ast"
	goldmarkhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"

	"github.com/askpane/askpane/bridge/text/cells"
	"github.com/askpane/askpane/popup/preview/styled"
)

// rows draws all of d, Markdown as GitHub understands it.
func (d document) rows(width int) []styled.Row {
	root := page{}.goldmark(string(d.source)).Parser().Parse(text.NewReader(d.source))
	return d.blocks(root, width, false, 0)
}

// document holds Markdown that has been parsed; its nodes point into its source.
type document struct {
	source []byte
	starts []int // where its lines start, if the rows are to say from which they come
	said   bool  // those signs stay that Markdown takes for its own: names and paths are among them
}

// So many lists and quotes inside each other are indented.
const deepest = 12

// blocks draws what is in a node below one another, with a blank row between two
// blocks unless they stand tight, as the parts of a short list do.
func (d document) blocks(in ast.Node, width int, tight bool, depth int) []styled.Row {
	var rows []styled.Row
	for n := in.FirstChild(); n != nil; n = n.NextSibling() {
		block := d.block(n, width, depth)
		if len(block) == 0 {
			continue
		}
		if len(rows) > 0 && (!tight || n.Kind() == ast.KindFencedCodeBlock || n.Kind() == ast.KindCodeBlock) {
			rows = append(rows, nil)
		}
		rows = append(rows, block...)
	}
	return rows
}

func (d document) block(n ast.Node, width, depth int) []styled.Row {
	switch n := n.(type) {
	case *ast.Heading:
		return d.heading(n, width)
	case *ast.List:
		return d.list(n, width, depth+1)
	case *ast.Blockquote:
		bar := styled.Span{Text: "│ ", Style: styled.Dim}
		if depth >= deepest || width < 8 {
			return d.blocks(n, width, false, depth+1)
		}
		return styled.Indent(d.blocks(n, width-2, false, depth+1), bar, bar)
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		return d.numbered(n, block(string(n.Lines().Value(d.source)), d.language(n), width))
	case *ast.ThematicBreak:
		return []styled.Row{{{Text: strings.Repeat("─", width), Style: styled.Dim}}}
	case *tables.Table:
		return d.table(n, width)
	case *ast.HTMLBlock:
		return d.numbered(n, remark(d.markup(n), width))
	}
	spans := d.inline(n, styled.Span{})
	if strings.TrimSpace(styled.Row(spans).String()) == "" {
		return nil
	}
	return styled.Wrap(spans, width)
}

func (d document) heading(h *ast.Heading, width int) []styled.Row {
	style := styled.Heading
	if h.Level > 2 {
		style = styled.Strong
	}
	said := d.inline(h, with(styled.Span{}, style))
	rows, widest := styled.Wrap(said, width), min(width, styled.Row(said).Width())
	if sign := map[int]string{1: "═", 2: "─"}[h.Level]; sign != "" {
		rows = append(rows, styled.Row{{Text: strings.Repeat(sign, widest), Style: styled.Dim}})
	}
	return rows
}

func (d document) list(l *ast.List, width, depth int) []styled.Row {
	var rows []styled.Row
	number := max(1, l.Start)
	for item := l.FirstChild(); item != nil; item = item.NextSibling() {
		mark := styled.Span{Text: "• ", Style: styled.Dim}
		if l.IsOrdered() {
			mark.Text = strconv.Itoa(number) + string(l.Marker) + " "
			number++
		}
		if task := taskOf(item); task != nil {
			mark = box[task.IsChecked]
		}
		indent := cells.Width(mark.Text)
		rest := styled.Span{Text: strings.Repeat(" ", indent)}
		if depth > deepest || width < indent+6 {
			rest.Text = ""
		}
		body := d.blocks(item, max(1, width-indent), l.IsTight, depth)
		if len(body) == 0 {
			body = []styled.Row{nil}
		}
		if len(rows) > 0 && !l.IsTight {
			rows = append(rows, nil)
		}
		rows = append(rows, styled.Indent(body, mark, rest)...)
	}
	return rows
}

// taskOf returns the box that an item of a task list begins with, or nil.
func taskOf(item ast.Node) (task *tables.TaskCheckBox) {
	if text := item.FirstChild(); text != nil {
		task, _ = text.FirstChild().(*tables.TaskCheckBox)
	}
	return task
}

// box has the signs of a task that is open, and of one that is done.
var box = map[bool]styled.Span{false: {Text: "☐ ", Style: styled.Dim}, true: {Text: "☑ ", Style: styled.Added}}

// with gives text one more of the styles there are in Markdown. Of several, the
// greatest is its style, and the others are what they add to it.
func with(s styled.Span, style styled.Style) styled.Span {
	s.Style = max(s.Style, style)
	s.Bold = s.Bold || style == styled.Strong
	s.Italic = s.Italic || style == styled.Emphasis
	s.Struck = s.Struck || style == styled.Strike
	return s
}

func saying(s styled.Span, text string) []styled.Span {
	s.Text = text
	return []styled.Span{s}
}

// inline draws the text in a node, in the style of s.
func (d document) inline(in ast.Node, s styled.Span) []styled.Span {
	var spans []styled.Span
	for n := in.FirstChild(); n != nil; n = n.NextSibling() {
		spans = append(spans, d.piece(n, s)...)
	}
	return spans
}

func (d document) piece(n ast.Node, s styled.Span) []styled.Span {
	dim := styled.Span{Style: styled.Dim}
	switch n := n.(type) {
	case *ast.Text:
		s.Line = d.line(n.Segment.Start)
		return saying(s, d.text(n))
	case *ast.CodeSpan:
		s = with(s, styled.Code)
	case *ast.Emphasis:
		if s = with(s, [...]styled.Style{1: styled.Emphasis, 2: styled.Strong}[n.Level]); d.said && n.Level == 1 { // the stars may be meant
			return slices.Concat(saying(s, "*"), d.inline(n, s), saying(s, "*"))
		}
	case *tables.Strikethrough:
		s = with(s, styled.Strike)
	case *ast.RawHTML:
		tag := string(n.Segments.Value(d.source))
		if strings.EqualFold(strings.Trim(tag, "<> /"), "br") {
			return saying(s, "\n")
		}
		return saying(dim, tag)
	case *ast.AutoLink:
		if s.To = string(n.URL(d.source)); n.AutoLinkType == ast.AutoLinkEmail {
			s.To = "mailto:" + strings.TrimPrefix(s.To, "mailto:")
		}
		return saying(with(s, styled.Link), string(n.Label(d.source)))
	case *ast.Link:
		return d.link(n, n.Destination, n.Title, s)
	case *ast.Image:
		return append(saying(dim, "picture: "), d.link(n, n.Destination, n.Title, s)...)
	}
	return d.inline(n, s)
}

// language returns the one that stands in the fence of a block of code.
func (d document) language(block ast.Node) string {
	if fenced, is := block.(*ast.FencedCodeBlock); is {
		return string(fenced.Language(d.source))
	}
	return ""
}

// markup returns the source of a block of HTML.
func (d document) markup(n *ast.HTMLBlock) string {
	markup := string(n.Lines().Value(d.source))
	if n.HasClosure() {
		markup += string(n.ClosureLine.Value(d.source))
	}
	return strings.TrimSpace(markup)
}

// text resolves the escapes and entities in a piece of text.
func (d document) text(n *ast.Text) string {
	value := string(n.Segment.Value(d.source))
	switch {
	case n.Parent().Kind() == ast.KindCodeSpan:
		return strings.ReplaceAll(value, "\n", " ")
	case d.said && (n.HardLineBreak() || n.SoftLineBreak()):
		return value + "\n"
	case d.said:
		return value
	case n.HardLineBreak():
		return unescaped(value) + "\n"
	case n.SoftLineBreak():
		return unescaped(value) + " "
	}
	return unescaped(value)
}

// unescaped resolves what goldmark leaves to the writing of HTML.
func unescaped(markdown string) string {
	var escaped bytes.Buffer
	w := bufio.NewWriter(&escaped)
	goldmarkhtml.DefaultWriter.Write(w, []byte(markdown))
	w.Flush()
	return html.UnescapeString(escaped.String())
}

// link shows the address of every link: a text that says one address and leads to
// another is the oldest of tricks. Its title, which a model reads, is on view, too.
func (d document) link(n ast.Node, destination, title []byte, s styled.Span) []styled.Span {
	s.To = string(destination)
	spans := d.inline(n, with(s, styled.Link))
	dim, said, address := styled.Span{Style: styled.Dim}, strings.TrimSpace(styled.Row(spans).String()), unescaped(s.To)
	if embedded.MatchString(address) {
		address = cells.Shorten(address, mostData)
	}
	switch {
	case address == "" || said == address || "mailto:"+said == address:
	case said == "":
		spans = append(spans, styled.Span{Text: address, Style: styled.Dim, To: s.To})
	default:
		spans = append(spans, saying(dim, " ("+address+")")...)
	}
	if len(title) > 0 {
		spans = append(spans, saying(dim, " “"+unescaped(string(title))+"”")...)
	}
	return spans
}

// Pictures as data, which nobody reads, are cut after so many cells.
const mostData = 200
