package chat

import (
	"context"
	"errors"
	"reflect"
	"time"
)

// stage says how far a message has come.
type stage string

const (
	unposted stage = "unposted" // the service does not have it
	posting  stage = "posting"
	shown    stage = "shown"   // it shows what was sent last
	doubted  stage = "doubted" // it is there, and may show anything
	editing  stage = "editing"
	left     stage = "left"   // the service takes no more of it
	closed   stage = "closed" // it shows its end, or never will
)

const (
	// Between two tries to reach the service.
	firstPause = time.Second
	mostPause  = time.Minute
)

// delivery has a message show what it should. It knows no clock and no service: its methods
// are told what has happened, and try says what to send.
//
// The rules that must hold here: one thing is under way at a time, a message that was
// deleted by hand is posted again once, and none whose question is over is.
type delivery struct {
	message
	stage   stage
	want    Message // what it should show
	sent    Message // last
	unsure  bool    // posting and editing: it may show something else than sent in the end
	plain   bool    // the service refused it, and it only says that there is something
	final   bool    // want is its end
	pause   time.Duration
	retryAt time.Time // after a failure
}

func newDelivery(m message) delivery {
	d := delivery{message: m, stage: doubted}
	if m.Ref == "" {
		d.stage = unposted
	}
	return d
}

// conclude makes m the message's end.
func (d *delivery) conclude(m Message) {
	d.want, d.final = m, true
	d.close()
}

// close ends the delivery as soon as nothing is left to be sent.
func (d *delivery) close() {
	if d.final && (d.stage == unposted || d.stage == left || d.shows()) {
		d.stage = closed
	}
}

func (d *delivery) shows() bool { return d.stage == shown && reflect.DeepEqual(d.want, d.sent) }

// doubt has the message sent again, though it may show what it should.
func (d *delivery) doubt() {
	if d.unsure = true; d.stage == shown {
		d.stage = doubted
	}
}

// reconnected says that the service is there again: the message may have been deleted meanwhile.
func (d *delivery) reconnected() {
	d.retryAt = time.Time{}
	d.doubt()
}

// try reports whether want is to be sent now, which is under way then; or else after how long
// to try again, where that comes with the time alone.
func (d *delivery) try(now time.Time) (send bool, wait time.Duration) {
	switch wait = d.retryAt.Sub(now); {
	case d.stage != unposted && d.stage != doubted && d.stage != shown || d.shows():
		return false, 0
	case wait > 0:
		return false, wait
	}
	d.sent, d.unsure = d.want, false
	if d.stage = editing; d.Ref == "" {
		d.stage, d.unsure = posting, d.pause > 0 // it may be the message of an earlier try
	}
	return true, 0
}

// returned notes how a post or an edit ended: the service has it as ref, or err says why not.
func (d *delivery) returned(now time.Time, ref string, err error) {
	gone, unfit := errors.Is(err, ErrGone), errors.Is(err, ErrUnfit)
	d.stage = map[stage]stage{posting: unposted, editing: doubted}[d.stage]
	switch {
	case err == nil:
		d.Ref, d.pause = ref, 0
		if d.stage = shown; d.unsure {
			d.stage = doubted
		}
	case errors.Is(err, context.Canceled):
	case gone && !d.final && !d.Again: // by hand, perhaps by mistake
		d.message, d.stage = message{Again: true}, unposted
	case unfit && !d.plain:
		if d.plain = true; d.final {
			d.want = ending(overWords)
		}
	case gone, unfit:
		d.stage = left
	default: // others may have more luck
		d.pause = min(max(firstPause, 2*d.pause), mostPause)
		d.retryAt = now.Add(d.pause)
	}
	d.close()
}
