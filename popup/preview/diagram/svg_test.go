package diagram

import (
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

// parsed reads a picture as XML, and returns its elements, the texts in it, and its name.
func parsed(t *testing.T, picture string) (elements, texts []string, name string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(picture)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return elements, texts, name
		}
		if err != nil {
			t.Fatalf("%v in %s", err, picture)
		}
		switch e := token.(type) {
		case xml.StartElement:
			elements = append(elements, e.Name.Local)
			for _, a := range e.Attr {
				if a.Name.Local == "aria-label" {
					name = a.Value
				}
				if !slices.Contains([]string{"role", "aria-label", "width", "height", "viewBox", "class", "d", "x", "y", "textLength"}, a.Name.Local) {
					t.Errorf("%s has the attribute %s", e.Name.Local, a.Name.Local)
				}
			}
		case xml.CharData:
			texts = append(texts, string(e))
		}
	}
}

func TestSVG(t *testing.T) {
	got, _, _, err := SVG("graph LR\nA[a  b] -->|yes| B", 60, 160)
	if err != nil {
		t.Fatal(err)
	}
	const box = `v9m0-9`
	for _, part := range []string{
		`<svg role="img" aria-label="Diagram: a, b, yes, B" width="`,
		`<path class="filled" d="M`, `m-4 0h2m0-5l10 5-10 5z"/>`, `<path class="solid" d="M4 9h4m-4 0` + box,
		`<text x="16" y="31" textLength="8" class="">a</text>`, `class="em">yes</text>`,
	} {
		if !strings.Contains(got, part) {
			t.Errorf("there is no %s in %s", part, got)
		}
	}
	parsed(t, got)
}

// A picture says what the drawing for a terminal says, and has no sign of its lines among the texts.
func TestSVGSaysTheSame(t *testing.T) {
	for file, source := range sources(t) {
		for _, width := range []int{10, 60, 100} { // of 10 it is wider, and scrolls
			picture, _, below, err := SVG(source, width, 160)
			if err != nil {
				t.Fatalf("%s in %d: %v", file, width, err)
			}
			c, want, err := draw(source, width)
			if err != nil {
				c, want, _ = draw(source, 160)
			}
			if plain(below) != plain(want) {
				t.Errorf("%s: below it stands %q", file, plain(below))
			}
			_, texts, name := parsed(t, picture)
			said := strings.Join(texts, "")
			if i := strings.IndexAny(said, "─│┌┐└┘├┤╭╮╰╯╱╲▌▐►◄▲▼║┄┆━┃"); i >= 0 {
				t.Errorf("%s: the line %.3s is a text", file, said[i:])
			}
			if name != "Diagram: "+strings.Join(texts, ", ") {
				t.Errorf("%s: its name is %s", file, name)
			}
			drawn := strings.Map(func(r rune) rune {
				if strings.ContainsRune(" \n─│┌┐└┘├┤┬┴┼╭╮╰╯╱╲▌▐►◄▲▼║┄┆━┃()<>/\\", r) {
					return -1
				}
				return r
			}, plain(c.rows()))
			if got := strings.NewReplacer(" ", "", "(", "", ")", "", "<", "", ">", "", "/", "", `\`, "").Replace(said); got != drawn {
				t.Errorf("%s in %d says\n%s\nand on a terminal\n%s", file, width, got, drawn)
			}
		}
	}
}

// What stands in a label is a text, whatever it is.
func TestSVGHostile(t *testing.T) {
	for _, said := range []string{`</text><script>alert(1)</script>`, `<image href=x onerror=alert(1)>`, `' onload='alert(1)`, `&quot; onload=&quot;alert(1)`, "]]>", "<!--", "&#60;script&#62;"} {
		for _, source := range []string{"graph TD\nA[" + said + "]", "graph TD\nA -->|" + said + "| B", "graph TD\nsubgraph " + said + "\nA\nend", "sequenceDiagram\nA->>B: " + said, "sequenceDiagram\nNote over A: " + said} {
			picture, _, _, err := SVG(source, 60, 160)
			if err != nil {
				continue // it is no diagram
			}
			elements, _, _ := parsed(t, picture)
			for _, e := range elements {
				if e != "svg" && e != "path" && e != "text" {
					t.Errorf("%s: there is an element %s in %s", said, e, picture)
				}
			}
		}
	}
	if _, _, _, err := SVG("pie", 60, 160); err == nil || errors.Is(err, errTooWide) {
		t.Errorf("a pie is drawn, or %v", err)
	}
}
