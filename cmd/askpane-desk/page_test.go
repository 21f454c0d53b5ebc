package main

import (
	"testing"

	"github.com/askpane/askpane/cmd/internal/command"
)

func TestClickable(t *testing.T) {
	const link = "http://127.0.0.1:4711/#t=abc"
	if got := clickable(command.Screen{}, link); got != link {
		t.Errorf("in a file it is %q", got)
	}
	if got := clickable(command.Screen{Width: 20}, link); got != "\x1b]8;;"+link+"\x1b\\"+link+"\x1b]8;;\x1b\\" {
		t.Errorf("on a terminal it is %q", got)
	}
}
