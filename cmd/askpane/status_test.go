package main

import (
	"testing"
	"time"
)

func TestShort(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 59999 * time.Millisecond: "59s", time.Minute: "1m", 59*time.Minute + 59*time.Second: "59m",
		time.Hour: "1h", 24*time.Hour - 1: "23h", 24 * time.Hour: "1d", 400 * 24 * time.Hour: "400d",
	} {
		if got := short(d); got != want {
			t.Errorf("short(%v) = %q, want %q", d, got, want)
		}
	}
}

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
