package render

import (
	"bytes"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/cells"
	"github.com/askpane/askpane/popup/preview"
	"github.com/askpane/askpane/popup/preview/diagram"
	"github.com/askpane/askpane/popup/preview/styled"
)

// HTML turns a text, which text.Visible has seen, into a part of a page. Every tag in it is
// ours: HTML of the agent's is text, and only what a person clicks leads anywhere. Diagrams are
// pictures, width cells wide where that suffices.
func HTML(t preview.Text, width int) string {
	p, said := page{t.Kind == preview.Said, width}, ""
	switch t.Kind {
	case styled.Document:
		said = p.partsOf(t.Content)
	case "markdown", preview.Said:
		said = p.markdown(t.Content)
	case "code":
		said = colours(detect(t.Content))
	case "command", "diff", "json", "svg":
		said = colours(t.Content, languages[t.Kind])
	case "html", "mermaid":
		said = p.block(t.Content, t.Kind)
	default:
		for _, part := range fencedIn(t.Content) {
			if part.fenced {
				said += p.block(part.text, part.info)
			} else {
				said += `<pre tabindex="0" class="plain">` + html.EscapeString(part.text) + "</pre>\n"
			}
		}
	}
	return text.Visible(said) // an entity such as &#27; is a character only now
}

// markdown writes Markdown as a document.
func (p page) markdown(content string) string {
	var b bytes.Buffer
	_ = p.goldmark(content).Convert([]byte(content), &b) // a buffer takes all
	return b.String()
}

// goldmark reads and writes Markdown, in which what defines a link elsewhere is text: nobody would see it.
func (p page) goldmark(content string) goldmark.Markdown {
	blocks := parser.WithBlockParsers(parser.DefaultBlockParsers()...)
	inline := parser.DefaultInlineParsers()
	if p.said {
		for i := range inline {
			if marks, is := inline[i].Value.(parser.InlineParser); is && slices.Contains(marks.Trigger(), '_') {
				inline[i].Value = stars{marks}
			}
		}
	}
	extensions := []goldmark.Extender{extension.Linkify, extension.Strikethrough, extension.TaskList}
	if cellsOf(content) <= mostCells {
		extensions = append(extensions, extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)))
	}
	return goldmark.New(
		goldmark.WithParser(parser.NewParser(blocks, parser.WithInlineParsers(inline...))),
		goldmark.WithExtensions(extensions...),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(p, 1))),
	)
}

// stars takes _ for no mark: __init__ is a name.
type stars struct{ parser.InlineParser }

func (stars) Trigger() []byte { return []byte{'*'} }

// A table of more cells is shown as its source: its rows are filled up to the longest.
const mostCells = 20_000

// cellsOf returns how many cells the tables in content can have at most.
func cellsOf(content string) int {
	most := 0
	for line := range strings.Lines(content) {
		most = max(most, strings.Count(line, "|"))
	}
	return most * strings.Count(content, "\n")
}

// page writes the nodes that are not to be as goldmark writes them.
type page struct {
	said  bool // of what is said, those signs stay that Markdown takes for its own: names and paths are among them
	width int
}

// RegisterFuncs implements renderer.NodeRenderer.
func (p page) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	around := func(write func(d document, n ast.Node) (begin, end string)) renderer.NodeRendererFunc {
		return func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
			said, end := write(document{source: source}, n)
			if !entering {
				said = end
			}
			_, _ = w.WriteString(said)
			return ast.WalkContinue, nil
		}
	}
	instead := func(write func(d document, n ast.Node) string) renderer.NodeRendererFunc {
		return func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
			if entering {
				_, _ = w.WriteString(write(document{source: source}, n))
			}
			return ast.WalkSkipChildren, nil
		}
	}
	r.Register(ast.KindHeading, around(heading))
	r.Register(ast.KindLink, around(link))
	r.Register(tables.KindTable, around(table))
	r.Register(ast.KindAutoLink, instead(autoLink))
	r.Register(ast.KindImage, instead(p.picture))
	r.Register(ast.KindFencedCodeBlock, instead(p.code))
	r.Register(ast.KindCodeBlock, instead(p.code))
	r.Register(ast.KindHTMLBlock, instead(markup))
	r.Register(ast.KindRawHTML, instead(markup))
	r.Register(tables.KindTaskCheckBox, instead(box))
	if p.said {
		r.Register(ast.KindText, instead(words))
		r.Register(ast.KindEmphasis, around(emphasis))
	}
}

// heading writes all headings in one level, of which a class says more: a page has an order of
// its own, in which an agent's levels would leave some out.
func heading(_ document, n ast.Node) (begin, end string) {
	if !n.HasChildren() {
		return "", ""
	}
	return `<h2 class="level` + strconv.Itoa(n.(*ast.Heading).Level) + `">`, "</h2>\n"
}

// table makes a table scroll by itself.
func table(document, ast.Node) (begin, end string) {
	return `<div class="table" tabindex="0"><table>` + "\n", "</table></div>\n"
}

// leads returns what opens and closes a link to an address, which a new tab follows that knows
// nothing of this page, and the address as it is shown. Where it may not be followed there is no link.
func leads(address string) (begin, shown, end string) {
	to := string(util.URLEscape([]byte(address), true))
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "mailto" && (u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		return "", html.EscapeString(cells.Shorten(unescaped(address), longestAddress)), ""
	}
	to = html.EscapeString(to)
	return `<a href="` + to + `" target="_blank" rel="noopener noreferrer">`, to, "</a>"
}

// What leads nowhere is cut after so many cells.
const longestAddress = 200

// link leads to an address and says which, as on a terminal. What may not be followed is text.
func link(d document, n ast.Node) (begin, end string) {
	begin, address, end := leads(string(n.(*ast.Link).Destination))
	switch said := html.EscapeString(strings.TrimSpace(d.plain(n))); {
	case said == "":
		end = address + end
	case said != address && "mailto:"+said != address:
		end += ` <span class="dim">(` + address + ")</span>"
	}
	return begin, end
}

// plain returns the words in a node.
func (d document) plain(n ast.Node) string { return styled.Row(d.inline(n, styled.Span{})).String() }

func autoLink(d document, n ast.Node) string {
	auto := n.(*ast.AutoLink)
	to := string(auto.URL(d.source))
	if auto.AutoLinkType == ast.AutoLinkEmail {
		to = "mailto:" + strings.TrimPrefix(to, "mailto:")
	}
	begin, _, end := leads(to)
	return begin + html.EscapeString(string(auto.Label(d.source))) + end
}

// embedded matches the pictures that a document may hold in itself.
var embedded = regexp.MustCompile(`^data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$`)

// maxPicture bounds a picture, in bytes of its address.
const maxPicture = 512 << 10

// picture shows one that a preview brings along; of others it says where they are.
func (p page) picture(d document, n ast.Node) string {
	address, name := string(n.(*ast.Image).Destination), html.EscapeString(d.plain(n))
	if !p.said && len(address) <= maxPicture && embedded.MatchString(address) {
		return `<img src="` + address + `" alt="` + name + `">`
	}
	begin, where, end := leads(address)
	return `<span class="dim">picture: ` + name + "</span> (" + begin + where + end + ")"
}

// code writes a block of a document.
func (p page) code(d document, n ast.Node) string {
	return p.block(string(n.Lines().Value(d.source)), d.language(n))
}

// block writes code in its colours, and a diagram as a picture.
func (p page) block(source, info string) string {
	source, language := strings.Trim(source, "\n"), languageOf(info)
	if !isMermaid(language) {
		return colours(source, language)
	}
	picture, below, err := diagram.SVG(source, p.width)
	if err != nil {
		return `<p class="dim">` + html.EscapeString(undrawn(err)) + "</p>\n" + colours(source, "")
	}
	picture = `<div class="diagram" tabindex="0">` + picture + "</div>\n"
	for _, row := range below {
		if len(row) > 0 {
			picture += "<p>" + spans(row) + "</p>\n"
		}
	}
	return picture
}

// colours writes source in the colours of its language.
func colours(source, language string) string {
	return `<pre tabindex="0">` + spans(highlighted(strings.TrimRight(source, " \n"), language)) + "\n</pre>\n"
}

func spans(row styled.Row) string {
	var b strings.Builder
	for _, s := range row {
		said := html.EscapeString(s.Text)
		if class := s.Class(); class != "" {
			said = `<span class="` + class + `">` + said + "</span>"
		}
		b.WriteString(said)
	}
	return b.String()
}

// markup shows HTML as it was written; a break is one.
func markup(d document, n ast.Node) string {
	if block, is := n.(*ast.HTMLBlock); is {
		return `<p class="text">` + html.EscapeString(d.markup(block)) + "</p>\n"
	}
	tag := string(n.(*ast.RawHTML).Segments.Value(d.source))
	if isBreak(tag) {
		return "<br>"
	}
	return html.EscapeString(tag)
}

func box(_ document, n ast.Node) string {
	if n.(*tables.TaskCheckBox).IsChecked {
		return "☑ "
	}
	return "☐ "
}

// words writes text of a question as it is, with its line breaks.
func words(d document, n ast.Node) string {
	t := n.(*ast.Text)
	said := html.EscapeString(string(t.Segment.Value(d.source)))
	if t.SoftLineBreak() || t.HardLineBreak() {
		said += "<br>\n"
	}
	return said
}

// emphasis keeps the stars around what is slanted: they may be meant.
func emphasis(_ document, n ast.Node) (begin, end string) {
	if n.(*ast.Emphasis).Level == 1 {
		return "<em>*", "*</em>"
	}
	return "<strong>", "</strong>"
}
