package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/urfave/cli/v2"

	"github.com/askpane/askpane/bridge"
	"github.com/askpane/askpane/bridge/text"
)

// printer prints envelopes as --output says.
func printer(c *cli.Context, indent string) func(bridge.Envelope) error {
	output := c.String("output")
	return func(e bridge.Envelope) error {
		switch {
		case output == "envelope":
			return encodeJSON(os.Stdout, e, indent)
		case e.Note != "": // the others have no place for it
			warn(errors.New(e.Note))
		}
		if output == "details" {
			return printJSON(os.Stdout, e.Details)
		}
		said := e.Text
		if info, err := os.Stdout.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
			said = text.Visible(said) // the labels in it are the agent's
		}
		_, err := fmt.Println(said)
		return err
	}
}

// printJSON prints one line of JSON, with <, > and & as they are.
func printJSON(w io.Writer, v any) error { return encodeJSON(w, v, "") }

// encodeJSON also escapes what JSON itself leaves alone and a terminal does not:
// DEL and the C1 controls, of which U+009B begins an escape sequence, and what
// cannot be seen there.
func encodeJSON(w io.Writer, v any, indent string) error {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := io.WriteString(w, escapeUnseen(b.String()))
	return err
}

// escapeUnseen escapes in JSON text what a terminal should not get.
func escapeUnseen(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x7f }) {
		return s
	}
	var b strings.Builder
	marks, last := 0, rune(0)
	for _, r := range s {
		if marks++; r < 0x300 || !unicode.In(r, unicode.Mn, unicode.Me) {
			marks = 0
		}
		switch {
		case marks <= text.MostMarks && !unseen(r) && !(r == last && (r == 0x200c || r == 0x200d)):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, "\\u%04x\\u%04x", high, low)
		default:
			fmt.Fprintf(&b, "\\u%04x", r)
		}
		last = r
	}
	return b.String()
}

// unseen reports whether text.Visible would show a rune: DEL, C1, the direction of writing,
// zero widths, but no joiners, which emoji are made of.
func unseen(r rune) bool {
	return r >= 0x7f && r != 0x200c && r != 0x200d && text.Visible("x"+string(r)) != "x"+string(r)
}
