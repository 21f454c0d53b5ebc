package main

import "testing"

func TestQuickStatus(t *testing.T) {
	for _, c := range []struct {
		args   []string
		format string
		ok     bool
	}{
		{[]string{"status"}, "text", true},
		{[]string{"status", "--format", "tmux"}, "tmux", true},
		{[]string{"status", "--format=json"}, "json", true},
		{[]string{"status", "--format"}, "", false},
		{[]string{"status", "--help"}, "", false},
		{[]string{"status", "extra"}, "", false},
		{[]string{"status", "--format", "tmux", "extra"}, "", false},
		{[]string{"list"}, "", false},
		{nil, "", false},
	} {
		if format, ok := quickStatus(c.args); ok != c.ok || ok && format != c.format {
			t.Errorf("quickStatus(%q) = %q, %v", c.args, format, ok)
		}
	}
}
