package relay

import "time"

// drain takes what the command has written before it ended. Something that it
// has left running in the background may keep the terminal open: that is not
// waited for.
func (r *relay) drain(over <-chan struct{}) {
	r.ended.Store(true)
	_ = r.inner.SetReadDeadline(time.Now().Add(drainLimit))
	select {
	case <-over:
	case <-time.After(drainAllLimit): // it writes all the time
	}
}

const (
	drainLimit    = 100 * time.Millisecond // without any output
	drainAllLimit = 5 * time.Second
)

// finish gives the terminal back.
func (r *relay) finish(st status) int {
	r.closeBox()
	r.mu.Lock()
	defer r.mu.Unlock()
	if st.Signal != 0 { // it had no time to tidy up
		r.write([]byte(r.screen.Leave()))
	}
	if len(r.marks) > 0 { // whoever asked outlives the command, or is slower to go
		r.write([]byte(r.untitled()))
		r.marks = nil
	}
	return st.code()
}

// guarded runs one of our goroutines. If it panics, the terminal is given back
// before the process dies of it.
func (r *relay) guarded(f func()) {
	defer func() {
		if p := recover(); p != nil {
			r.giveBack()
			_, _ = r.out.WriteString("\x1b[?1049l\x1b[?1000;1002;1003;1006;2004l\x1b[?7;25h\x1b[m\r\n")
			panic(p)
		}
	}()
	f()
}
