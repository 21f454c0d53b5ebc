package adapter

// Opening is a host.Opening that something of ours waits for: a process, or a connection.
type Opening struct {
	viewer string
	end    func()
	ended  chan struct{}
	err    error
}

// Follow counts the popup on viewer as ended when wait returns; end makes it return.
func Follow(viewer string, end func(), wait func() error) *Opening {
	o := &Opening{viewer: viewer, end: end, ended: make(chan struct{})}
	go func() {
		defer close(o.ended)
		defer end()
		o.err = wait()
	}()
	return o
}

func (o *Opening) Viewer() string         { return o.viewer }
func (o *Opening) Ended() <-chan struct{} { return o.ended }
func (o *Opening) Err() error             { return o.err }

func (o *Opening) Abandon() {
	o.end()
	<-o.ended
}
