package screen

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// lines is output that scrolls by.
func lines(n int, colours bool) []byte {
	var b bytes.Buffer
	for i := range n {
		if colours {
			fmt.Fprintf(&b, "\x1b[32m%8d\x1b[0m the \x1b[1;38;5;%dmquick brown\x1b[0m fox jumps over the lazy dog\r\n", i, i%256)
		} else {
			fmt.Fprintf(&b, "%8d the quick brown fox jumps over the lazy dog, and goes on and on\r\n", i)
		}
	}
	return b.Bytes()
}

// What is skipped leaves nothing behind: the screen is the same as if all of it
// had been drawn.
func TestSkipChangesNothing(t *testing.T) {
	t.Parallel()
	for name, program := range map[string][]byte{
		"plain":                  lines(4000, false),
		"colours":                lines(4000, true),
		"a colour that stays":    append([]byte("\x1b[44mblue\r\n"), lines(4000, false)...),
		"on another screen":      append([]byte("\x1b[?1049h"), lines(4000, true)...),
		"a region before":        append([]byte("\x1b[3;9r\x1b[9;1H"), lines(4000, false)...),
		"a region between":       append(append(lines(2000, false), "\x1b[3;9r\x1b[9;1Hhere\x1b[r\x1b[5;5H"...), lines(2000, true)...),
		"line drawing":           append(append(lines(2000, false), "\x0e"...), lines(2000, false)...),
		"the last line is open":  append(lines(4000, true), "$ \x1b[1mvi"...),
		"only LF":                bytes.ReplaceAll(lines(4000, false), []byte("\r\n"), []byte("\n")),
		"lines that wrap":        bytes.ReplaceAll(lines(4000, true), []byte("lazy dog"), bytes.Repeat([]byte("lazy dog "), 30)),
		"progress in one row":    bytes.ReplaceAll(lines(4000, false), []byte("the "), []byte("the \r\x1b[Kx\x1b[3C\x1b[2Dy")),
		"ends in part of a sign": append(lines(4000, false), "\xe6\xbc"...),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at, all := New(80, 24), New(80, 24)
			for p := program; len(p) > 0; {
				n := min(4096, len(p))
				at.Feed(p[:n])
				p = p[n:]
			}
			at.Flush()
			for len(program) > 0 { // too little at a time to be skipped
				n := min(4096, len(program))
				all.Feed(program[:n])
				all.Flush()
				program = program[n:]
			}
			if have, want := at.vt.Render(), all.vt.Render(); have != want {
				t.Errorf("the screen is\n%s\nwant\n%s", have, want)
			}
			if have, want := at.Snapshot(), all.Snapshot(); !reflect.DeepEqual(have, want) {
				t.Errorf("the state is\n%v\nwant\n%v", have, want)
			}
		})
	}
}

// The same comes out however it is cut.
func TestAnyPieces(t *testing.T) {
	t.Parallel()
	const program = "one\x1b[1;31mtwo\x1b]0;title\x1b\\漢字\x1b(0q\x0e\x0f\x1b[?1049h\x1bP$q\x1b\\\x1b[5;5H👧e\u0301\x1b[3\x18x"
	want := New(40, 12)
	want.Feed([]byte(program))
	want.Flush()
	for size := 1; size < 12; size++ {
		s := New(40, 12)
		for at := 0; at < len(program); at += size {
			s.Feed([]byte(program[at:min(at+size, len(program))]))
			s.Flush()
		}
		if have, want := s.vt.Render(), want.vt.Render(); have != want {
			t.Errorf("in pieces of %d, the screen is\n%s\nwant\n%s", size, have, want)
		}
		if have, want := s.Snapshot(), want.Snapshot(); !reflect.DeepEqual(have, want) {
			t.Errorf("in pieces of %d, the state is\n%v\nwant\n%v", size, have, want)
		}
	}
}

// A program that asks while nobody can answer is answered, and its question is
// not kept for later.
func TestHoldAnswers(t *testing.T) {
	t.Parallel()
	for asked, want := range map[string]string{
		"\x1b[c": "\x1b[?62;22c", "\x1b[0c": "\x1b[?62;22c", "\x1b[>c": "", "\x1b[5n": "\x1b[0n", "\x1b[6n": "\x1b[1;4R", "\x1b[?6n": "\x1b[?1;4R",
		"\x1b[18t": "", "\x1b[?25$p": "", "\x1b[?2004h\x1b[?2004$p": "",
		"\x1b]11;?\x1b\\": "", "\x1b]10;?\a": "", "\x1b[?u": "", "\x1b[>q": "", "\x1bP+q544e\x1b\\": "", "\x1b_Gi=1,a=q;AAAA\x1b\\": "",
	} {
		var answered, kept strings.Builder
		s := New(40, 12)
		for _, b := range []byte("abc" + asked + "d") { // in pieces
			keep, answers := s.Hold([]byte{b})
			kept.Write(keep)
			answered.WriteString(answers)
		}
		if answered.String() != want {
			t.Errorf("%q is answered %q, want %q", asked, answered.String(), want)
		}
		if got := strings.TrimPrefix(kept.String(), "abc"); got != "d" && got != "\x1b[?2004hd" {
			t.Errorf("of %q is kept %q", asked, kept.String())
		}
	}
}

// A title, a notification or a link with a question mark in it asks the terminal nothing.
func TestHoldKeepsWhatAsksNothing(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"\x1b]0;? for shortcuts\a", "\x1b]2;? for shortcuts\x1b\\", "\x1b]9;?\a", "\x1b]777;notify;Agent;? or not\a", "\x1b]8;;https://example.org/a;?b\aa link"} {
		s := New(40, 12)
		if keep, answers := s.Hold([]byte(program)); string(keep) != program || answers != "" {
			t.Errorf("of %q is kept %q, and the answer is %q", program, keep, answers)
		}
		if title, titled := s.Title(); titled && title != "? for shortcuts" {
			t.Errorf("%q gives the title %q", program, title)
		}
		if link := s.Snapshot().link; strings.HasSuffix(program, "link") && link != ";https://example.org/a;?b" {
			t.Errorf("%q leaves the link %q", program, link)
		}
	}
}

// Nothing that a program writes makes it fall over, and it ends as it does when
// it comes in one piece.
func FuzzScreen(f *testing.F) {
	f.Add([]byte("one\x1b[1;31mtwo\x1b]0;title\x1b\\\xe6\xbc\xa2\x1b(0q\x0e"), uint8(3))
	f.Add([]byte("\x1b[3;9r\x1b[?6h\x1b[?69h\x1b[5;20s\x1b7\x1b8\x1b[s\x1b[u\x1b[!p\x1bc"), uint8(1))
	f.Add([]byte("x\x1b[2147483647b\x1b[99999999S\x1b[4habc\x1b[1J\x1b[3J\x1b[99999999b\x1b[-1;H"), uint8(7))
	f.Add([]byte("\x1b[?69h\x1b[5;90s\x1b[2S\x1b[3;0s\x1b[2T\x1b[90;99s\x1b[2@\x1bM"), uint8(30))
	f.Add([]byte("\x1b[99999999\x1b[c\x1b(\x1b[1J\x1b\x1b[5n"), uint8(0x18))
	f.Fuzz(func(t *testing.T, program []byte, size uint8) {
		if len(program) > 4096 {
			return
		}
		s := New(20, 6)
		for n := int(size) + 1; len(program) > 0; {
			piece := program[:min(n, len(program))]
			s.Hold(piece)
			program = program[len(piece):]
		}
		sn := s.Snapshot()
		cover, _ := NewCover(sn, New(20, 6).Snapshot(), size%2 == 0)
		_ = cover.Redraw() + cover.End() + CatchUp(sn, sn) + s.Leave()
	})
}
