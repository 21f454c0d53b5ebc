package chattest

import (
	"io"
	"net/http"
	"testing"
)

func TestANetOfFakes(t *testing.T) {
	t.Parallel()
	n := Start(t, map[string]http.Handler{
		"one.example": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "one"+r.URL.Path) }),
		"two.example": http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "two"+r.URL.Path) }),
	})
	client := n.Client()
	defer client.CloseIdleConnections()
	get := func(url string) string {
		resp, err := client.Get(url)
		if err != nil {
			return "cannot be reached"
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		return string(body)
	}
	for _, step := range []struct {
		down bool
		url  string
		want string
	}{
		{false, "https://one.example/a", "one/a"},
		{false, "https://two.example:443/b", "two/b"},
		{false, "https://three.example/", "cannot be reached"},
		{true, "https://one.example/a", "cannot be reached"},
		{false, "https://one.example/c", "one/c"},
	} {
		n.Down(step.down)
		if got := get(step.url); got != step.want {
			t.Errorf("%s, down %v: %q, want %q", step.url, step.down, got, step.want)
		}
	}
}
