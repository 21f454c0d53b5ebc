package faults

type server struct{ where []string }

func (s *server) end()         {}
func (s *server) quiet()       {}
func (s *server) press(string) {}

var tmuxSteps = []step{{"x", 1, func(w *world) bool { return true }}}
