package render

import (
	"regexp"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/preview"
	"github.com/askpane/askpane/popup/preview/styled"
	"github.com/askpane/askpane/tests/hostiletexts"
)

const picture = "data:image/png;base64,iVBORw0KGgo="

// large is of more bytes than a page shows.
var large = "data:image/png;base64," + strings.Repeat("A", maxPicture)

func TestHTML(t *testing.T) {
	anchored := func(to, said string) string {
		return `<a href="` + to + `" target="_blank" rel="noopener noreferrer">` + said + `</a>`
	}
	for _, c := range []struct {
		name, content string
		said          bool
		want          string
	}{
		{"a paragraph", "a **b** *c* ~~d~~ `e`", false, `<p>a <span class="strong">b</span> <span class="em">c</span> <span class="struck">d</span> <span class="code">e</span></p>` + "\n"},
		{"headings", "# A\n### B\n#", false, "<h2 class=\"level1\">A</h2>\n<h2 class=\"level3\">B</h2>\n"},
		{"lists", "3. a\n4. b\n\n- [x] c\n- [ ] d", false, "<ol start=\"3\">\n<li>a</li>\n<li>b</li>\n</ol>\n<ul>\n<li><span class=\"added\">☑ </span>c</li>\n<li><span class=\"dim\">☐ </span>d</li>\n</ul>\n"},
		{"a table", "|a|b|\n|-|-:|\n|1|2|", false,
			"<div class=\"table\" tabindex=\"0\"><table>\n<thead>\n<tr>\n<th>a</th>\n<th align=\"right\">b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td align=\"right\">2</td>\n</tr>\n</tbody>\n</table></div>\n"},
		{"code", "```go\nx := \"<b>\"\n```", false, "<pre tabindex=\"0\">x := <span class=\"string\">&#34;&lt;b&gt;&#34;</span>\n</pre>\n"},
		{"code without a language", "    <b>", false, "<pre tabindex=\"0\">&lt;b&gt;\n</pre>\n"},
		{"a link", "[here](https://e.com/?a=1&b)", false, "<p>" + anchored("https://e.com/?a=1&amp;b", "here") + `<span class="dim"> (https://e.com/?a=1&amp;b)</span></p>` + "\n"},
		{"a link that says where", "<https://e.com> and https://f.com", false, "<p>" + anchored("https://e.com", "https://e.com") + " and " + anchored("https://f.com", "https://f.com") + "</p>\n"},
		{"a link without words", "[](https://e.com)", false, "<p>" + anchored("https://e.com", `<span class="dim">https://e.com</span>`) + "</p>\n"},
		{"mail", "<a@e.com>", false, "<p>" + anchored("mailto:a@e.com", "a@e.com") + "</p>\n"},
		{"one that lies", "[https://e.com](https://evil.com)", false, "<p>" + anchored("https://evil.com", "https://e.com") + `<span class="dim"> (https://evil.com)</span></p>` + "\n"},
		{"a script", "[a](javascript:alert(1)) [b](JAVASCRIPT&#58;alert(1)) [c](data:text/html,x) [d](vbscript:x) [e](#q=1) [f](//e.com) [g](/api/do) [h](file:///x)", false,
			"<p>a<span class=\"dim\"> (javascript:alert(1))</span> b<span class=\"dim\"> (JAVASCRIPT:alert(1))</span> c<span class=\"dim\"> (data:text/html,x)</span> d<span class=\"dim\"> (vbscript:x)</span> " +
				"e<span class=\"dim\"> (#q=1)</span> f<span class=\"dim\"> (//e.com)</span> g<span class=\"dim\"> (/api/do)</span> h<span class=\"dim\"> (file:///x)</span></p>\n"},
		{"a script as an address", "<javascript:alert(1)>", false, "<p>javascript:alert(1)</p>\n"},
		{"an attribute", `[a](<https://e.com/"onclick="x> "t\" onclick=\"x")`, false, "<p>" + anchored("https://e.com/%22onclick=%22x", "a") + `<span class="dim"> (https://e.com/&#34;onclick=&#34;x)</span><span class="dim"> “t&#34; onclick=&#34;x”</span></p>` + "\n"},
		{"HTML", "a <b onclick=\"x\">c</b><br>d\n\n<script>alert(1)</script>", false, "<p>a <span class=\"dim\">&lt;b onclick=&#34;x&#34;&gt;</span>c<span class=\"dim\">&lt;/b&gt;</span><br>\nd</p>\n<p class=\"text\">&lt;script&gt;alert(1)&lt;/script&gt;</p>\n"},
		{"a picture", "![a \"b](" + picture + ")", false, `<p><img src="` + picture + `" alt="">a &#34;b</p>` + "\n"},
		{"a picture in a question", "![a](" + picture + ")", true, `<p><span class="dim">picture: </span>a<span class="dim"> (` + picture + ")</span></p>\n"},
		{"a picture that is a script", "![a](data:image/svg+xml;base64,PHN2Zz4=)", false, `<p><span class="dim">picture: </span>a<span class="dim"> (data:image/svg+xml;base64,PHN2Zz4=)</span></p>` + "\n"},
		{"a picture that is too large", "![a](" + large + ")", false, `<p><span class="dim">picture: </span>a<span class="dim"> (` + large[:mostData-1] + "…)</span></p>\n"},
		{"a picture from elsewhere", "![a](https://e.com/a.png)", false, `<p><span class="dim">picture: </span>` + anchored("https://e.com/a.png", "a") + `<span class="dim"> (https://e.com/a.png)</span></p>` + "\n"},
		{"entities", "&#27;[2J &lt;b&gt; \\*", false, "<p>␛[2J &lt;b&gt; *</p>\n"},
		{"names in a question", "Move __init__.py,\nrm *tmp* and C:\\.git &lt; **now**?", true, "<p>Move __init__.py,<br>\nrm <span class=\"em\">*</span><span class=\"em\">tmp</span><span class=\"em\">*</span> and C:\\.git &amp;lt; <span class=\"strong\">now</span>?</p>\n"},
		{"what would be hidden in a question", "[note]: https://e.com 'x'", true, "<p>[note]: " + anchored("https://e.com", "https://e.com") + " &#39;x&#39;</p>\n"},
	} {
		kind := map[bool]string{true: preview.Said, false: "markdown"}[c.said]
		if got := HTML(preview.Text{Kind: kind, Content: c.content}, 60); got != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
}

// A preview of each type is a part of a page.
func TestHTMLKinds(t *testing.T) {
	const drawn = `<div class="diagram" tabindex="0"><svg role="img" aria-label="Diagram: A, B" `
	for _, c := range []struct{ kind, content, begins string }{
		{preview.Said, "Here:\n```mermaid\ngraph LR\nA-->B\n```", "<p>Here:</p>\n" + drawn},
		{"mermaid", "graph LR\nA-->B", drawn},
		{"mermaid", "graph LR\nsubgraph x\nA\nend\nA-->B", drawn},
		{"mermaid", "pie <b>", `<p class="dim">This diagram is shown as its source: only flowcharts and sequence diagrams are drawn here, not pie.</p>` + "\n<pre tabindex=\"0\">pie &lt;b&gt;\n</pre>\n"},
		{"code", "// a.go\nx := 1", `<pre tabindex="0"><span class="comment">// a.go`},
		{"svg", "<svg/>", `<pre tabindex="0"><span class="name">&lt;svg`},
		{"html", "<b>x</b>", `<pre tabindex="0">&lt;<span class="name">b`},
		{"text", "a **b** <i>", "<pre tabindex=\"0\" class=\"plain\">a **b** &lt;i&gt;</pre>\n"},
		{"", "[ OK ]\n\n~~~mermaid\ngraph LR\nA-->B\n~~~\nend", "<pre tabindex=\"0\" class=\"plain\">[ OK ]\n</pre>\n" + drawn},
		{"", "```\nopen", "<pre tabindex=\"0\">open\n</pre>\n"},
	} {
		if got := HTML(preview.Text{Kind: c.kind, Content: c.content}, 60); !strings.HasPrefix(got, c.begins) {
			t.Errorf("%s %q:\ngot  %s\nwant %s", c.kind, c.content, got, c.begins)
		}
	}
}

// ours matches all tags that a document has.
var ours = regexp.MustCompile(`^(/?(p|em|strong|del|code|pre|ol|ul|li|h2|blockquote|table|thead|tbody|tr|th|td|div|span|a)>` +
	`|(br|hr)>|p class="text">|h2 class="level[1-6]">|ol start="\d+">|pre tabindex="0">|span class="[a-z ]+">|t[hd] align="(left|right|center)">|div class="table" tabindex="0">` +
	`|a href="(https?|mailto):[^"<>]*" target="_blank" rel="noopener noreferrer">|p class="dim">|pre tabindex="0" class="plain">|div class="diagram" tabindex="0">|/?svg>|svg role="img" aria-label="[^"<>]*" width="\d+" height="\d+" viewBox="0 0 \d+ \d+">` +
	`|path class="[a-z]+" d="[a-zA-Z0-9 -]+"/>|text x="\d+" y="\d+" textLength="\d+" class="[a-z]*">|/text>|img src="data:image/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+" alt="[^"<>]*">)`)

// Nothing of an agent's becomes a tag or an attribute, however it is wrapped, and no table or
// nesting takes the machine.
func TestHTMLHostile(t *testing.T) {
	hostile := hostiletexts.Texts("/tmp/trap")
	for _, said := range []string{
		`<script>alert(1)</script>`, `<img src=x onerror=alert(1)>`, `<svg/onload=alert(1)>`, `<div><p><b onmouseover=alert(1)>x</b></p></div>`, `<iframe srcdoc="<script>alert(1)</script>">`,
		`<a href="javascript:alert(1)">x</a>`, `<style>@import "https://e.com"</style>`, `<base href="https://e.com">`, `<meta http-equiv=refresh content="0;url=https://e.com">`,
		`[x](javascript&colon;alert(1))`, "[x](java\tscript:alert(1))", "[x](<java\nscript:alert(1)>)", `![x](javascript:alert(1))`, `![x](data:image/svg+xml,<svg/onload=alert(1)>)`,
		`![x"onload="alert(1)](data:image/png;base64,AAAA)`, `![x](data:image/png;base64,AAAA"onload="alert(1))`, `[x](https://e.com "a\" onclick=\"b")`, "```\"><script>\nx\n```", "```html onload=x\n<script>\n```",
		"<!-- --><script>alert(1)</script>", "<?php x ?>", "<![CDATA[<script>]]>", "[a]: javascript:alert(1)\n\n[a]", "# <script>", "|<script>|\n|-|\n|<img onerror=x>|",
		"```mermaid\ngraph TD\nA[</text><script>alert(1)</script>] -->|\" onload=x| B\n```",
	} {
		hostile = append(hostile, hostiletexts.Text{Name: said, Text: said})
	}
	hostile = append(hostile,
		hostiletexts.Text{Name: "a huge table", Text: strings.Repeat("|a", 5000) + "|\n" + strings.Repeat("|-", 5000) + "|\n" + strings.Repeat("|\n", 10_000)},
		hostiletexts.Text{Name: "deep quotes", Text: strings.Repeat(">", 5000) + "x"},
		hostiletexts.Text{Name: "deep lists", Text: strings.Repeat("- ", 2000) + "x"},
		hostiletexts.Text{Name: "open brackets", Text: strings.Repeat("[", 5000)},
		hostiletexts.Text{Name: "open stars", Text: strings.Repeat("*a **b ", 2000)})
	for _, h := range hostile {
		for _, around := range []string{"T", "> - T", "**T**", "[T](https://e.com)", "|T|\n|-|\n|T|", "<div>T</div>"} {
			kinds := []string{preview.Said, "markdown"}
			if around == "T" {
				kinds = append(kinds, "code", "mermaid", "svg", "html", "")
			}
			for _, kind := range kinds {
				got := HTML(preview.Text{Kind: kind, Content: text.Visible(strings.ReplaceAll(around, "T", h.Text))}, 60)
				for _, tag := range strings.Split(got, "<")[1:] {
					if !ours.MatchString(tag) {
						t.Errorf("%s in %s: <%.80s", h.Name, around, tag)
					}
				}
				if len(h.Text) > 4000 && len(got) > 2<<20 {
					t.Errorf("%s: %d bytes", h.Name, len(got))
				}
			}
		}
	}
}

// A diagram that is much wider than its place is its source where it is asked, since nothing is beside the window there;
// a preview has all of it as a picture alone, which scrolls.
func TestHTMLOfAWideDiagram(t *testing.T) {
	t.Parallel()
	source := "sequenceDiagram\nparticipant Alpha\nparticipant Beta\nparticipant Gamma\nparticipant Delta\nparticipant Epsilon\nAlpha->>Epsilon: drop it"
	for kind, drawn := range map[string]bool{"markdown": true, preview.Said: false, styled.Document: false} {
		got := HTML(preview.Text{Kind: kind, Content: "```mermaid\n" + source + "\n```"}, 30)
		if strings.Contains(got, "svg") != drawn || strings.Contains(got, "too wide") == drawn || strings.Contains(got, "participant") == drawn {
			t.Errorf("%s: %s", kind, got)
		}
	}
}
