package render

import (
	"bytes"
	"encoding/json"
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
	"github.com/askpane/askpane/popup/preview"
	"github.com/askpane/askpane/popup/preview/diagram"
	"github.com/askpane/askpane/popup/preview/styled"
)

// HTML turns a text, which text.Visible has seen, into a part of a page. Every tag in it is
// ours: HTML of the agent's is text, and only what a person clicks leads anywhere. Diagrams are
// pictures, width cells wide where that suffices.
func HTML(t preview.Text, width int) string {
	p, said := page{t.Kind == preview.Said, width, 160}, ""
	if p.said || t.Kind == styled.Document {
		p.widest = width * 3 / 2
	}
	switch t.Kind {
	case styled.Document:
		data, _ := json.Marshal(p.parts(t.Content))
		said = string(data)
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
	return scrolling.Replace(b.String())
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
		goldmark.WithParser(parser.NewParser(blocks, parser.WithInlineParsers(inline...), parser.WithASTTransformers(util.Prioritized(whole{}, 1)))),
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
	said   bool // it is of a question (document.said)
	width  int
	widest int // that a diagram may be: it scrolls in a preview, and is shrunk in what is asked, which is on view whole
}

// RegisterFuncs implements renderer.NodeRenderer.
func (p page) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	instead := func(write func(d document, n ast.Node) string) renderer.NodeRendererFunc {
		return func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
			if entering {
				_, _ = w.WriteString(write(document{source: source, said: p.said}, n))
			}
			return ast.WalkSkipChildren, nil
		}
	}
	for _, kind := range []ast.NodeKind{ast.KindText, ast.KindCodeSpan, ast.KindEmphasis, tables.KindStrikethrough, ast.KindRawHTML, ast.KindAutoLink, ast.KindLink} {
		r.Register(kind, instead(line))
	}
	r.Register(ast.KindHeading, instead(heading))
	r.Register(ast.KindImage, instead(p.picture))
	r.Register(ast.KindFencedCodeBlock, instead(p.code))
	r.Register(ast.KindCodeBlock, instead(p.code))
	r.Register(ast.KindHTMLBlock, instead(markup))
	r.Register(tables.KindTaskCheckBox, instead(ticked))
}

// line writes what stands in one as a terminal has it.
func line(d document, n ast.Node) string { return broken(d.piece(n, styled.Span{})) }

// broken writes text with its line breaks.
func broken(row styled.Row) string { return strings.ReplaceAll(spans(row), "\n", "<br>\n") }

// heading writes all headings in one level, of which a class says more: a page has an order of
// its own, in which an agent's levels would leave some out.
func heading(d document, n ast.Node) string {
	if !n.HasChildren() {
		return ""
	}
	return `<h2 class="level` + strconv.Itoa(n.(*ast.Heading).Level) + `">` + broken(d.inline(n, styled.Span{})) + "</h2>\n"
}

func ticked(_ document, n ast.Node) string {
	return spans(styled.Row{box[n.(*tables.TaskCheckBox).IsChecked]})
}

// scrolling makes each table scroll by itself.
var scrolling = strings.NewReplacer("<table>", `<div class="table" tabindex="0"><table>`, "</table>", "</table></div>")

// leads returns what opens and closes a link to an address, which a new tab follows that knows
// nothing of this page. Where it may not be followed there is none.
func leads(address string) (begin, end string) {
	to := string(util.URLEscape([]byte(address), true))
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "mailto" && (u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		return "", ""
	}
	return `<a href="` + html.EscapeString(to) + `" target="_blank" rel="noopener noreferrer">`, "</a>"
}

// embedded matches the pictures that a document may hold in itself.
var embedded = regexp.MustCompile(`^data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$`)

// maxPicture bounds a picture, in bytes of its address.
const maxPicture = 512 << 10

// picture shows one that a preview brings along, above its name; of others it says where they are.
func (p page) picture(d document, n ast.Node) string {
	image := n.(*ast.Image)
	if address := string(image.Destination); !p.said && len(address) <= maxPicture && embedded.MatchString(address) {
		return `<img src="` + address + `" alt="">` + broken(d.link(n, nil, image.Title, styled.Span{}))
	}
	return line(d, n)
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
	picture, drawn, below, err := diagram.SVG(source, p.width, p.widest)
	if err != nil {
		return `<p class="dim">` + html.EscapeString(undrawn(err)) + "</p>\n" + colours(source, "")
	}
	picture = `<div class="diagram" tabindex="0">` + picture + "</div>\n"
	for _, row := range append(below, unsaid(source, append(drawn, below...), p.width)...) {
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

// spans writes a row with its styles and links.
func spans(row styled.Row) string {
	var b strings.Builder
	to, end := "", ""
	for _, s := range row {
		if s.To != to {
			begin, ends := leads(s.To)
			b.WriteString(end + begin)
			to, end = s.To, ends
		}
		said := html.EscapeString(s.Text)
		if class := s.Class(); class != "" {
			said = `<span class="` + class + `">` + said + "</span>"
		}
		b.WriteString(said)
	}
	return b.String() + end
}

// markup shows a block of HTML as it was written.
func markup(d document, n ast.Node) string {
	return `<p class="text">` + html.EscapeString(d.markup(n.(*ast.HTMLBlock))) + "</p>\n"
}
