package hint

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"
)

func TestHint(t *testing.T) {
	t.Parallel()
	full := New("give it to yourself", "write x: %w", fs.ErrPermission)
	for _, c := range []struct {
		name             string
		err              error
		text, what, hint string
	}{
		{"with one", full, "write x: permission denied; give it to yourself", "write x: permission denied", "give it to yourself"},
		{"wrapped", fmt.Errorf("ask: %w", full), "ask: write x: permission denied; give it to yourself", "ask: write x: permission denied", "give it to yourself"},
		{"formatted", New("look", "no %q; none", "a"), `no "a"; none; look`, `no "a"; none`, "look"},
		{"without one", errors.New("a; b"), "a; b", "a; b", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			what, hint := Of(c.err)
			if c.err.Error() != c.text || what != c.what || hint != c.hint {
				t.Errorf("%q is %q and %q", c.err, what, hint)
			}
		})
	}
	if !errors.Is(full, fs.ErrPermission) {
		t.Error("what is wrong is hidden")
	}
}

func TestWord(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"/usr/bin/askpane": "/usr/bin/askpane", "/a b/c": "'/a b/c'", "/it's": `'/it'\''s'`, "": "''"} {
		if got := Word(in); got != want {
			t.Errorf("Word(%q) = %s, want %s", in, got, want)
		}
	}
}
