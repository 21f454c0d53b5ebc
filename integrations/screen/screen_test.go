package screen

import (
	"strings"
	"testing"

	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/tests/needs"
)

// What screen 4.09.00 printed.
func TestSessionState(t *testing.T) {
	const out = "There are screens on:\n" +
		"\t727.t1\t(11/21/26 14:58:09)\t(Detached)\n" +
		"\t7277.t12\t(11/21/26 14:58:09)\t(Attached)\n" +
		"\t81.two\t(11/21/26 14:58:09)\t(Multi, attached)\n" +
		"\t9.old\t(Detached)\n" +
		"\t31.my work (Dead, Attached)\t(11/21/26 14:58:09)\t(Detached)\n" +
		"\t5.gone\t(Dead ???)\n4 Sockets in /run/screen/S-root.\n"
	for id, want := range map[string]struct {
		name     string
		attached bool
	}{
		"727.": {"727.t1", false}, "7277.": {"7277.t12", true}, "81.": {"81.two", true}, "9.": {"9.old", false}, "31.": {"31.my work (Dead, Attached)", false}, "5.": {}, "72.": {}, "4.": {},
	} {
		if name, attached := sessionState(out, id); attached != want.attached || name != want.name {
			t.Errorf("%s: %s, attached %t; want %v", id, name, attached, want)
		}
	}
}

func TestLiteral(t *testing.T) {
	for in, want := range map[string]string{"plain %t `id`": "plain %t `id`", "$HOME ^a \\": `\$HOME \^a \\`} {
		if got := literal(in); got != want {
			t.Errorf("literal(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestFindOutside(t *testing.T) {
	t.Setenv("STY", "")
	if _, err := find(t.Context()); err == nil || err.Error() != "not inside screen ($STY is not set)" {
		t.Errorf("Find: %v", err)
	}
	needs.Program(t, "screen")
	t.Setenv("STY", "1.nobody")
	if _, err := find(t.Context()); err == nil || !strings.Contains(err.Error(), "$STY names a session that is not there: 1.nobody") {
		t.Errorf("Find of a dead session: %v", err)
	}
}

func TestPane(t *testing.T) {
	needs.Program(t, "screen")
	s := newSession("12.my.work", "3", "")
	p, ok := findPane(ref(s)).(*session)
	if !ok || ref(p) != ref(s) {
		t.Errorf("findPane(%q) = %+v", ref(s), p)
	}
	for _, ref := range []string{"", "3", "3 work", "x 12.work", "3 x.work", "-3 12.work"} {
		if p := findPane(ref); p != nil {
			t.Errorf("findPane(%q) = %v", ref, p)
		}
	}
}

// ref is what a host calls the asking pane.
func ref(h host.Host) string {
	_, ref := h.Asker()
	return ref
}
