package nearest

import "testing"

// The nearest name is one or two slips away, and a long one a few.
func TestName(t *testing.T) {
	t.Parallel()
	names := []string{"ask", "answer", "hook", "inbox", "install", "list", "status", "version", "recommendation", "bellOnQuestion"}
	for given, want := range map[string]string{
		"aks": "ask", "inobx": "inbox", "stauts": "status", "sk": "ask", "lst": "list", "versoin": "version", "stat": "status",
		"Ask": "ask", "recommended": "recommendation", "bellonquestoin": "bellOnQuestion",
		"choose": "", "x": "", "": "", "demo": "", "hsi": "", "look": "hook",
	} {
		if got := Name(given, names); got != want {
			t.Errorf("%q: %q, want %q", given, got, want)
		}
	}
}
