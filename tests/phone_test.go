package tests

import (
	"os"
	"strings"
	"testing"
)

// A phone is paired right after it was said how it reaches the page, and on a terminal the person
// is asked once whether the page is to be up from their login on.
func TestPhoneIsPaired(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 220, 60)
	p := newPerson(t, s.spool)
	p.link("") // a desk is up
	for _, first := range []bool{true, false} {
		if first {
			if out, err := p.command(binary, "settings", "set", "pageListen", "127.0.0.2").CombinedOutput(); err != nil {
				t.Fatalf("askpane settings set: %v, %s", err, out)
			}
		}
		words := append(append([]string{"env"}, p.env...), binary, "phone")
		for i, w := range words {
			words[i] = quote(w)
		}
		s.tmux("new-window", "-t", "main:", "--", "sh", "-c", strings.Join(words, " ")+"; exec cat")
		if first {
			v.see("That installs the service askpane-desk. [Y/n]")
			v.press("n" + enter)
		}
		v.see("Open this on the device", "http://127.0.0.2:", "There is no TLS", "tailscale serve ")
		if asked := strings.Contains(v.screen(), "[Y/n]"); asked != first {
			t.Errorf("asked: %v\n%s", asked, v.screen())
		}
		s.tmux("kill-window")
		v.until("left the window", func(screen string) bool { return !strings.Contains(screen, "Open this on the device") })
	}
	if _, err := os.Stat(p.home + "/.config/systemd"); err == nil {
		t.Error("a service was installed")
	}
}
