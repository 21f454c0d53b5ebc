package change

import (
	"cmp"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/form"
)

// TestDiffs shows each kind of change with the numbers that its lines will have, and those that go have now.
func TestDiffs(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out := t.TempDir()
	write := func(path, content string) {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(dir, "main.go"), "a\nb\nc\nd\ne\nf\ng\nh\n")
	write(filepath.Join(dir, "twice"), "x\ny\nx\n")
	write(filepath.Join(dir, "make"), "all:\n\tgo test\n")
	write(filepath.Join(dir, "gap"), "a\n\nb\n")
	write(filepath.Join(dir, "crlf"), "one\r\ntwo\r\n")
	write(filepath.Join(dir, "lies"), "x\n\r+ 9  harmless\u202e\n")
	write(filepath.Join(dir, "binary"), "a\x00b")
	write(filepath.Join(dir, "large"), strings.Repeat("x", MostFile+1))
	write(filepath.Join(out, "secret"), "token\n")
	write(filepath.Join(out, "main.go"), "a\nof another file\n")
	if err := cmp.Or(os.Mkdir(filepath.Join(out, "below"), 0o700), os.Symlink(filepath.Join(out, "secret"), filepath.Join(out, "below", "link"))); err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{"link": filepath.Join(out, "secret"), "folder": out, "dangling": filepath.Join(out, "none"), "inside": filepath.Join(dir, "main.go"), "deep": filepath.Join(out, "below"), "../folder": out} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Fatal(err)
		}
	}
	part := func(old, new string) form.Edit { return form.Edit{Replace: []form.Replacement{{Old: old, New: new}}} }
	whole := func(content string) form.Edit { return form.Edit{Content: &content} }
	for name, c := range map[string]struct {
		path string
		edit form.Edit
		want string
	}{
		"a part":              {"main.go", part("e\n", "E\nE2\n"), "  2  b\n  3  c\n  4  d\n- 5  e\n+ 5  E\n+ 6  E2\n  7  f\n  8  g\n  9  h\n"},
		"by its path":         {filepath.Join(dir, "main.go"), part("a\n", ""), "- 1  a\n  1  b\n  2  c\n  3  d\n"},
		"two hunks":           {"main.go", form.Edit{Replace: []form.Replacement{{Old: "a\n", New: "A\n"}, {Old: "h\n", New: "H\n"}}}, "- 1  a\n+ 1  A\n  2  b\n  3  c\n  4  d\n  5  e\n  6  f\n  7  g\n- 8  h\n+ 8  H\n"},
		"a new file":          {"new", whole("x\ny"), "@@ a new file\n+ 1  x\n+ 2  y\n"},
		"all of it":           {"main.go", whole("a\nc\n"), "@@ all of the file is written anew\n  1  a\n- 2  b\n  2  c\n- 4  d\n- 5  e\n- 6  f\n- 7  g\n- 8  h\n"},
		"nothing":             {"main.go", part("a", "a"), "@@ nothing changes but, perhaps, the line break at the end\n"},
		"line ends":           {"crlf", part("two", "2"), "  1  one␍\n- 2  two␍\n+ 2  2␍\n"},
		"lines between":       {"crlf", part("two", "2\n3"), "  1  one␍\n- 2  two␍\n+ 2  2␍\n+ 3  3␍\n"},
		"over line ends":      {"crlf", part("one\ntwo", "one\n2\n3"), "  1  one␍\n- 2  two␍\n+ 2  2␍\n+ 3  3␍\n"},
		"a line that is none": {"lies", part("x", "y"), "- 1  x\n+ 1  y\n  2  ␍+ 9  harmless⟨U+202E⟩\n"},
		"at its line":         {"twice", form.Edit{Replace: []form.Replacement{{Old: "x\n", New: "new\nx\n", Line: 1}, {Old: "x\n", New: "X\n", Line: 4}}}, "+ 1  new\n  2  x\n  3  y\n- 3  x\n+ 4  X\n"},
		"at another line":     {"twice", form.Edit{Replace: []form.Replacement{{Old: "y\n", New: "Y\n", Line: 3}}}, "@@ The text that part 1 of the change replaces is not in the file, not where it should be, or in another part, too.\n@@ 2 bytes in the place of 2\n- y\n+ Y\n"},
		"parts that swap":     {"main.go", form.Edit{Replace: []form.Replacement{{Old: "a", New: "h"}, {Old: "h", New: "a"}}}, "@@ The text that part 2 of the change replaces is not in the file, not where it should be, or in another part, too.\n@@ 1 bytes in the place of 1\n- a\n+ h\n@@ 1 bytes in the place of 1\n- h\n+ a\n"},
		"blanks alone":        {"make", part("\tgo test", "    go test  "), "  1  all:\n- 2  ⇥   go test⏎\n+ 2      go test  ⏎\n"},
		"a sign's form":       {"twice", part("y", "y\n☎\n☎\ufe0f"), "  1  x\n  2  y\n+ 3  ☎⏎\n+ 4  ☎⟨U+FE0F⟩⏎\n  5  x\n"},
		"another blank":       {"make", part("\tgo test", "\tgo\u00a0test"), "  1  all:\n- 2  ⇥   go test⏎\n+ 2  ⇥   go⟨U+00A0⟩test⏎\n"},
		"blanks in an empty":  {"gap", part("a\n", "a\n  "), "  1  a\n- 2  ⏎\n+ 2    ⏎\n  3  b\n"},
		"a twin":              {"twice", part("y", "if раypal == \u0430dmin // это сахар, a Δt, и nginxом"), "  1  x\n- 2  y\n+ 2  if ⟨U+0440⟩⟨U+0430⟩ypal == ⟨U+0430⟩dmin // это сахар, a Δt, и nginxом\n  3  x\n"},
		"blanks, and more":    {"make", part("\tgo test", "    go vet"), "  1  all:\n- 2      go test\n+ 2      go vet\n"},
		"removed":             {"twice", form.Edit{Remove: true}, "@@ the file is removed\n- 1  x\n- 2  y\n- 3  x\n"},
		"a binary removed":    {"binary", form.Edit{Remove: true}, "@@ It is binary, or not UTF-8, of 3 bytes.\n@@ the file is removed\n"},
		"not found":           {"main.go", part("zz", "y"), "@@ The text that part 1 of the change replaces is not in the file, not where it should be, or in another part, too.\n@@ 1 bytes in the place of 2\n- zz\n+ y\n"},
		"gone":                {"gone", part("a", "b"), "@@ There is no such file.\n@@ 1 bytes in the place of 1\n- a\n+ b\n"},
		"binary":              {"binary", whole("c"), "@@ It is binary, or not UTF-8, of 3 bytes.\n@@ 1 bytes are written\n+ c\n"},
		"large":               {"large", whole("c"), "@@ It has more than 1048576 bytes.\n@@ 1 bytes are written\n+ c\n"},
		"a directory":         {".", whole("c"), "@@ It is not a regular file.\n@@ 1 bytes are written\n+ c\n"},
		"a link out":          {"link", part("token", "x"), "@@ It leads out of the directory, to " + filepath.Join(out, "secret") + ".\n@@ 1 bytes in the place of 5\n- token\n+ x\n"},
		"a folder out":        {"folder/deep/new", whole("c"), "@@ It leads out of the directory, to " + filepath.Join(out, "deep/new") + ".\n@@ 1 bytes are written\n+ c\n"},
		"a link to none":      {"dangling", whole("c"), "@@ It leads out of the directory, to " + filepath.Join(out, "none") + ".\n@@ 1 bytes are written\n+ c\n"},
		"a link inside":       {"inside", part("a\n", ""), "- 1  a\n  1  b\n  2  c\n  3  d\n"},
		"back from a link":    {dir + "/deep/../main.go", part("a\n", ""), "- 1  a\n  1  b\n  2  c\n  3  d\n"},
		"a link elsewhere":    {filepath.Join(out, "below", "link"), part("token", "x"), "@@ It leads out of the directory, to " + filepath.Join(out, "secret") + ".\n@@ 1 bytes in the place of 5\n- token\n+ x\n"},
		"a folder elsewhere":  {"../folder/secret", part("token", "x"), "- 1  token\n+ 1  x\n"},
		"openly elsewhere":    {filepath.Join(out, "secret"), part("token", "x"), "- 1  token\n+ 1  x\n"},
	} {
		c.edit.Path, c.want = c.path, "@@ "+c.path+"\n"+c.want
		shown := Of(&form.Subject{Dir: dir, Edits: []form.Edit{c.edit}})
		if shown.Content != c.want || shown.Type != "diff" {
			t.Errorf("%s: %s\n%q\nwant\n%q", name, shown.Type, shown.Content, c.want)
		}
	}
}

// Several files are shown one after the other, and each counts.
func TestSeveral(t *testing.T) {
	t.Parallel()
	dir, b := t.TempDir(), "new\n"
	s := form.Subject{Dir: dir, Edits: []form.Edit{{Path: "a", Remove: true}, {Path: "b", Content: &b}}}
	for _, content := range []string{"one\n", "two\n"} {
		if err := os.WriteFile(filepath.Join(dir, "a"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if Of(&s) == s.Shown {
			t.Error("the change of the first is not seen")
		}
		Renew(&s)
		if want := "@@ a\n@@ the file is removed\n- 1  " + content + "@@ b\n@@ a new file\n+ 1  new\n"; s.Shown.Content != want || Of(&s) != s.Shown {
			t.Errorf("%q, want %q", s.Shown.Content, want)
		}
	}
}

// TestChanged tells a file that is another by now, and that it is gone.
func TestChanged(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "f")
	s := form.Subject{Edits: []form.Edit{{Path: path, Replace: []form.Replacement{{Old: "a", New: "b"}}}}}
	for i, content := range []string{"a\n", "a\nx\n", "", "none"} {
		if content == "none" {
			_ = os.Remove(path)
		} else if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if Of(&s) == s.Shown {
			t.Errorf("%d: the change is not seen", i)
		}
		if Renew(&s); Of(&s) != s.Shown {
			t.Errorf("%d: it has changed once more", i)
		}
	}
	if s := (form.Subject{Shown: form.Preview{Content: "ls"}}); Of(&s) != s.Shown {
		t.Error("a command changes no file")
	}
}

// TestCompareIsTrue finds in what is shown all of both texts and nothing else, however many lines change.
func TestCompareIsTrue(t *testing.T) {
	t.Parallel()
	words := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 7, 300, 3000} {
		text := func() (lines []string) {
			for range n {
				lines = append(lines, strconv.Itoa(words.IntN(n/3+1)))
			}
			return lines
		}
		before, after := text(), text()
		var was, becomes []string
		for _, line := range compare(before, after) {
			if line.sign != '+' {
				was = append(was, line.text)
			}
			if line.sign != '-' {
				becomes = append(becomes, line.text)
			}
			of, at := after, line.n
			if line.sign == '-' {
				of = before
			}
			if of[at-1] != line.text {
				t.Fatalf("line %d is %q, and shown as %c %q", at, of[at-1], line.sign, line.text)
			}
		}
		if !slices.Equal(was, before) || !slices.Equal(becomes, after) {
			t.Errorf("of %d lines others are shown than there are", n)
		}
	}
}

// TestCompareBeyondTheTable counts all lines as changed where the table would be too large.
func TestCompareBeyondTheTable(t *testing.T) {
	t.Parallel()
	var before, after []string
	for i := range 3000 {
		before, after = append(before, strings.Repeat("a", i+1)), append(after, strings.Repeat("b", i+1))
	}
	if all := compare(before, after); len(all) != 6000 || all[0].sign != '-' || all[5999].sign != '+' {
		t.Errorf("%d lines", len(all))
	}
}
