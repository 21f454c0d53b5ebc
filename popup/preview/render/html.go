package render

import (
	"bytes"
	"cmp"
	"html"
	"net/url"
	"regexp"
	"slices"
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
	case "command", "diff", "json":
		said = colours(t.Content, languages[t.Kind])
	case "svg":
		said = colours(t.Content, "xml")
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
	if err := p.goldmark(content).Convert([]byte(content), &b); err != nil { // a buffer takes all
		return ""
	}
	return b.String()
}

// goldmark reads and writes Markdown.
func (p page) goldmark(content string) goldmark.Markdown {
	blocks := parser.WithBlockParsers(parser.DefaultBlockParsers()...)
	inline, paragraphs := parser.DefaultInlineParsers(), parser.DefaultParagraphTransformers()
	if p.said {
		paragraphs = nil // what defines a link elsewhere is not shown
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
		goldmark.WithParser(parser.NewParser(blocks, parser.WithInlineParsers(inline...), parser.WithParagraphTransformers(paragraphs...))),
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
	around := func(write func(w util.BufWriter, d document, n ast.Node, entering bool)) renderer.NodeRendererFunc {
		return func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
			write(w, document{source: source}, n, entering)
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
func heading(w util.BufWriter, _ document, n ast.Node, entering bool) {
	level := string(rune('0' + n.(*ast.Heading).Level))
	tag := `<h2 class="level` + level + `">`
	if !entering {
		tag = "</h2>\n"
	}
	if n.HasChildren() {
		_, _ = w.WriteString(tag)
	}
}

// table makes a table scroll by itself.
func table(w util.BufWriter, _ document, _ ast.Node, entering bool) {
	tag := "</table></div>\n"
	if entering {
		tag = `<div class="table" tabindex="0"><table>` + "\n"
	}
	_, _ = w.WriteString(tag)
}

// followed returns an address as a browser is led there; empty where it may not be.
func followed(address string) string {
	address = string(util.URLEscape([]byte(address), true))
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "mailto" && (u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		return ""
	}
	return address
}

// link leads to an address and says which, as on a terminal. What may not be followed is text.
func link(w util.BufWriter, d document, n ast.Node, entering bool) {
	destination := string(n.(*ast.Link).Destination)
	to, said := followed(destination), strings.TrimSpace(d.plain(n))
	address := cmp.Or(to, cells.Shorten(unescaped(destination), longestAddress))
	begin, end := "", ""
	if to != "" {
		begin, end = anchor(to), "</a>"
	}
	switch {
	case said == "":
		end = html.EscapeString(address) + end
	case said != address && "mailto:"+said != address:
		end += ` <span class="dim">(` + html.EscapeString(address) + ")</span>"
	}
	if entering {
		end = begin
	}
	_, _ = w.WriteString(end)
}

// plain returns the words in a node.
func (d document) plain(n ast.Node) string { return styled.Row(d.inline(n, styled.Span{})).String() }

// What leads nowhere is cut after so many cells.
const longestAddress = 200

// anchor opens a link, which a new tab follows that knows nothing of this page.
func anchor(to string) string {
	return `<a href="` + html.EscapeString(to) + `" target="_blank" rel="noopener noreferrer">`
}

func autoLink(d document, n ast.Node) string {
	auto := n.(*ast.AutoLink)
	said, to := html.EscapeString(string(auto.Label(d.source))), string(auto.URL(d.source))
	if auto.AutoLinkType == ast.AutoLinkEmail {
		to = "mailto:" + strings.TrimPrefix(to, "mailto:")
	}
	if to = followed(to); to == "" {
		return said
	}
	return anchor(to) + said + "</a>"
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
	where := html.EscapeString(cells.Shorten(unescaped(address), longestAddress))
	if to := followed(address); to != "" {
		where = anchor(to) + html.EscapeString(to) + "</a>"
	}
	return `<span class="dim">picture: ` + name + "</span> (" + where + ")"
}

// code writes a block of a document.
func (p page) code(d document, n ast.Node) string {
	info := ""
	if fenced, is := n.(*ast.FencedCodeBlock); is && fenced.Info != nil {
		info = string(fenced.Info.Value(d.source))
	}
	return p.block(string(n.Lines().Value(d.source)), info)
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
func emphasis(w util.BufWriter, _ document, n ast.Node, entering bool) {
	tag := map[int]map[bool]string{1: {true: "<em>*", false: "*</em>"}, 2: {true: "<strong>", false: "</strong>"}}
	_, _ = w.WriteString(tag[n.(*ast.Emphasis).Level][entering])
}
