package host

import "testing"

func TestShellWord(t *testing.T) {
	for in, want := range map[string]string{"/usr/bin/askpane": "/usr/bin/askpane", "/a b/c": "'/a b/c'", "/it's": `'/it'\''s'`, "": "''"} {
		if got := ShellWord(in); got != want {
			t.Errorf("ShellWord(%q) = %s, want %s", in, got, want)
		}
	}
}
