package run

import "testing"

// Reports as Codex and Claude Code send them, and what a hostile one says.
func TestWaits(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]string{
		"": "", "state=working:app=codex": "", "state=clear": "", "state=idle:app=claude-code": "",
		"state=blocked:app=codex:kind=permission":                                                          "codex waits for you: permission",
		"state=blocked:app=claude-code:kind=question:msg=YW5zd2VyOiBXaGljaCBkYXRhYmFzZT8gKFBvc3RncmVzKQ==": "claude-code waits for you: answer: Which database? (Postgres)",
		"state=blocked:app=x:msg=G10yO2V2aWwH":                                                             "x waits for you: ␛]2;evil␇",
		"state=blocked:kind=question:msg=%":                                                                "“” waits for you: question",
	} {
		if got := Waits(status); got != want {
			t.Errorf("%q says %q, want %q", status, got, want)
		}
	}
}
