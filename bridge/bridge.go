// Package bridge serves the agent: it takes a request, sees to it that a person gets
// to answer, and returns the tool's result.
//
// It touches the spool, asks the host it is given for popups and has alerts
// raised. The rule that must hold here: every question ends in exactly one
// envelope that says how, and an answer on disk is never thrown away.
package bridge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/askpane/askpane/bridge/address"
	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/machine"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/settings"
)

// Question is asked by one tool call.
type Question struct {
	Dialect   string // empty: the request's shape decides
	UsualKeys bool   // and not the dialect's (form.UsualKeys)
	Raw       []byte
	Origin    spool.Origin  // who asks, since Start; Host and Pane are filled in
	Timeout   time.Duration // 0 is none
	// Keep is called when the call goes away. True: the question stays open,
	// without an agent, for the person to answer and for a later call to
	// collect; false, or no Keep: it ends as aborted.
	Keep func() bool
	// Asked, if set, gets the entry's id as soon as the question is in the spool, or
	// was found there.
	Asked func(id string)
	// Leave: Ask lets go of the question when Asked has returned (ErrKept). Whoever
	// takes it on calls Stay.
	Leave bool
}

// Envelope is returned to the caller (docs/contracts.md, The envelope).
type Envelope struct {
	ID string `json:"id"`
	dialect.Reply
	// Recovered: the question was asked by an earlier call that went away, and
	// this one has taken it over, or got the answer that was waiting.
	Recovered bool `json:"recovered,omitempty"`
	// Note tells the model how an answer came that is not simply this call's, and which pictures
	// came with it; else it is empty.
	Note string `json:"note,omitempty"`
	// Via names who answered, where the surface knows.
	Via         *form.Via         `json:"via,omitempty"`
	SettledAt   time.Time         `json:"-"` // by the person; zero where nobody answered
	Recoverable bool              `json:"-"` // another call with the same question may get it, while it is young
	Attachments []form.Attachment `json:"-"`
	Given       bool              `json:"-"` // an earlier call was given it, which may not have wanted it any more
	arrived     time.Time         // as we have seen it arrive, where a call waited; else SettledAt
}

// Late reports whether the answer had been given before the call that gets it,
// which began at that time.
func (e Envelope) Late(began time.Time) bool {
	return !e.SettledAt.IsZero() && !e.arrived.IsZero() && e.arrived.Before(began)
}

// Annotate writes the Note for a call that began at that time.
func (e *Envelope) Annotate(began time.Time) {
	var notes []string
	if e.Recovered && !e.SettledAt.IsZero() { // somebody has ended it
		notes = append(notes, "Recovered: the same question was asked by an earlier call, and this is its answer.")
	}
	if e.Late(began) {
		how := "when no call was waiting"
		if e.Given {
			how = "and that call may have brought it already; other words ask the person anew"
		}
		notes = append(notes, fmt.Sprintf("The person answered at %s, %s.", e.SettledAt.Local().Format(time.DateTime), how))
	}
	if len(e.Attachments) > 0 {
		var paths []string
		for _, a := range e.Attachments {
			paths = append(paths, fmt.Sprintf("%s (%s)", a.Path, a.Type))
		}
		notes = append(notes, "The person has attached "+strings.Join(paths, ", ")+".")
	}
	e.Note = strings.Join(notes, " ")
}

// Pending tells that a call returned while its question goes on. No form ends so; it
// stands in envelopes only.
const Pending form.Outcome = "pending"

// Ask and Collect return these errors, and deliver one.
var (
	// ErrKept: the call went away and its question stays open (Question.Keep).
	ErrKept = errors.New("the question stays open")
	// ErrUncollected is for deliver to return where nobody wants the answer now:
	// it stays in the spool for a later call, and that is no failure.
	ErrUncollected = errors.New("nobody collects the answer now")
	// ErrDelivered: the answer has been handed over before, which happens once.
	ErrDelivered = errors.New("this answer has been handed over already")
	// ErrAway: the question is another machine's, and only mirrored here.
	ErrAway = errors.New("this is a question of another machine")
	// ErrElsewhere is the cause by which the context given to Ask ends where the agent's own
	// dialog has ended the question.
	ErrElsewhere = errors.New("the agent's own dialog has ended the question")
	// ErrOutrun and ErrUnconfirmed are for deliver to return of an answer that it has handed
	// over: the agent took its own dialog's, or does not say which it took. They are no failures.
	ErrOutrun      = errors.New("the agent took the answer of its own dialog")
	ErrUnconfirmed = errors.New("the agent does not say whether it took the answer")
)

// Bridge asks questions with the means it is given.
type Bridge struct {
	Spool *spool.Spool
	// Settings returns those in force in the agent's directory, and a channel that is closed
	// when others are. The limit of the wait for a viewer is read when the question is asked;
	// all else counts at once.
	Settings func() (*settings.Loaded, <-chan struct{})
	// Find finds the host where popups can be opened; its error says why there is none.
	Find func(context.Context) (host.Host, error)
	// Popup returns the command, which an upgrade may move, that shows the form whose ID comes after it.
	Popup func() ([]string, error)
	// Size says how large the popup of a question should be on a viewer; zero gives it all.
	Size func(r spool.Request, v host.Viewer) host.Size
	// Lookout looks for viewers, for all questions of the process.
	Lookout *Lookout
	// Raise draws the person's attention to the question id, asked on h, until clear.
	// Neither can fail.
	Raise func(h host.Host, id string, req spool.Request) (clear func())
	// Warn tells the person at the agent's side of something that went wrong
	// beside the question. It may be called from several goroutines.
	Warn func(error)

	closing time.Duration // in place of the constant, for tests
}

// call is one tool call, with its question.
type call struct {
	*Bridge
	question  Question
	deliver   func(Envelope) error
	dialect   *dialect.Dialect
	req       spool.Request
	entry     *spool.Entry  // nil before it is in the spool
	recovered bool          // an earlier call has asked it
	hold      *machine.Hold // of a permission's form; nil of any other
}

// Ask asks q and hands the envelope to deliver. Only when deliver has taken it
// does the entry move to the history; until then the answer waits in the spool.
// The error is an internal failure, deliver's, or ErrKept.
//
// The same question asked again after its call died gets the answer that waits
// for it, within Recover and unless it is dangerous or secret, or takes over the
// form that is still open.
func (b *Bridge) Ask(ctx context.Context, q Question, deliver func(Envelope) error) error {
	c := &call{Bridge: b, question: q, deliver: deliver}
	if err := c.decode(); err != nil {
		return c.reject(err)
	}
	if c.req.Form.Subject() != nil && !c.permit() {
		return c.leave()
	}
	if entry := c.earlier(c.req.Digest, q.Origin); entry != nil {
		defer entry.Close()
		return b.resume(ctx, entry, q, true, deliver)
	}
	endTurn, ok := c.takeTurn()
	if !ok {
		return c.reject(dialect.ErrInFlight)
	}
	defer endTurn()
	h, err := b.Find(ctx) // the form that is open may have the only place
	if err == nil {
		c.locate(h)
		c.entry, err = c.Spool.Create(c.req)
	}
	if err != nil {
		endTurn()
		return c.unavailable(ctx, err)
	}
	defer c.entry.Close()
	if left := c.announce(); left != nil {
		return left
	}
	return c.answer(ctx, h, endTurn)
}

// Ask decodes and delivers in functions of their own: a thousand calls that wait keep
// the stack that they have needed so far.

// decode reads the request into a form.
func (c *call) decode() (err error) {
	c.req.Raw, c.req.Origin = c.question.Raw, c.question.Origin
	if s, _ := c.Settings(); s.Sources["chatWhen"].Rank > settings.Global { // which the desk does not know
		c.req.Origin.Chat = s.ChatWhen
	}
	c.dialect, c.req.Form, err = dialect.Decode(c.question.Dialect, c.question.Raw)
	if c.question.UsualKeys {
		c.req.Form.Shape = form.UsualKeys
	}
	if c.question.Origin.Native != "" && c.req.Form.Dialect != "elicitation" { // whose schema says what may be left out
		c.req.Form.Skip()
	}
	c.req.Digest = spool.Digest(c.req.Form, c.req.Origin)
	return err
}

// reject tells the caller that nobody is asked.
func (c *call) reject(why error) error {
	return c.deliver(Envelope{Reply: c.dialect.Reject(why)})
}

// answer waits for the answer and hands it over.
func (c *call) answer(ctx context.Context, h host.Host, endTurn func()) error {
	r, finish, err := c.wait(ctx, h)
	defer finish()
	endTurn() // whoever gets the result may ask again at once
	if err != nil {
		return err
	}
	return c.handOver(r, time.Now())
}

// announce tells that the question is in the spool. The error is ErrKept where the
// question is to be left there.
func (c *call) announce() error {
	if c.question.Asked != nil {
		c.question.Asked(c.entry.ID)
	}
	if c.question.Leave {
		return fmt.Errorf("%w: %s", ErrKept, c.entry.ID)
	}
	return nil
}

func (q Question) keeps() bool { return q.Keep != nil && q.Keep() }

// takeTurn is not ok where the session has a form of the dialect open already and
// may not have two.
func (c *call) takeTurn() (end func(), ok bool) {
	if !c.dialect.OneAtATime || c.question.Dialect == dialect.AskHuman {
		return func() {}, true
	}
	end, taken := c.Spool.TakeTurn(cmp.Or(c.question.Origin.PID, c.req.Origin.PID))
	return end, taken == nil
}

// unavailable tells the caller that there is no place to ask or to keep the question, and
// what would make one. A question that was asked before stays open, unless the caller has gone.
func (c *call) unavailable(ctx context.Context, why error) error {
	r := form.Result{Outcome: form.Unavailable, Reason: why.Error(), By: form.ByBridge, At: time.Now()}
	var curable interface{ Cure(agent string) string }
	if errors.As(why, &curable) {
		r.Reason += curable.Cure(c.question.Origin.Agent)
	}
	switch { // while a host was looked for
	case context.Cause(ctx) == ErrElsewhere:
		r.Outcome, r.Reason = form.Elsewhere, ""
	case ctx.Err() != nil:
		r.Outcome, r.Reason = form.Aborted, ""
	}
	if c.entry == nil {
		return c.deliver(c.envelope("", c.dialect, &c.req.Form, r))
	}
	if r.Outcome != form.Unavailable {
		if r, why = c.settle(r); why != nil {
			return why
		}
	} else if theirs, answered, _ := c.entry.Answer(); answered && c.check(theirs) == nil { // meanwhile
		r = theirs
	}
	return c.handOver(r, time.Now())
}

// handOver hands the result, which arrived then, to the caller, and after it the entry to the history.
func (c *call) handOver(r form.Result, arrived time.Time) error {
	e := c.envelope(c.entry.ID, c.dialect, &c.req.Form, r)
	e.Recovered, e.arrived = c.recovered, arrived
	e.Annotate(c.question.Origin.Start)
	err := c.deliver(e)
	switch {
	case err == nil:
	case errors.Is(err, ErrUncollected):
		return c.entry.LetGo() // at once: the next call may be there already
	case errors.Is(err, ErrOutrun):
		_ = c.entry.Took(spool.Outrun) // Deliver writes it
	case errors.Is(err, ErrUnconfirmed):
		_ = c.entry.Took(spool.Unconfirmed)
	default:
		if e.Outcome == form.Aborted { // nobody's answer, and nobody to hand it to
			return errors.Join(err, c.entry.Deliver())
		}
		return fmt.Errorf("the answer to %s could not be handed over and stays in the spool: %w", c.entry.ID, err)
	}
	// The caller has its result, and its question cannot fail any more. An entry that has no
	// answer on the disk (it was full, say), or has one by now that the caller was not given,
	// stays in the spool: a popup that is still up can write its own, and a later call gets it.
	if theirs, settled, _ := c.entry.Answer(); !settled || !theirs.At.Equal(r.At) {
		return nil
	}
	if err := c.entry.Deliver(); err != nil {
		c.Warn(err)
	}
	return nil
}

// locate writes into the request where it is asked, and until when.
func (c *call) locate(h host.Host) {
	c.req.Origin.Host = h.Kind().Name
	c.req.Origin.Pane, c.req.Origin.Ref = h.Asker()
	// The caller's limit and the request's own: whichever comes first.
	ours, theirs := c.req.Form.Timeout, c.question.Timeout // 0 is none
	if limit := cmp.Or(min(ours, theirs), max(ours, theirs)); limit > 0 {
		c.req.Deadline = new(c.req.Origin.Start.Add(limit))
	}
}

func (b *Bridge) envelope(id string, d *dialect.Dialect, f *form.Form, r form.Result) Envelope {
	e := Envelope{ID: id, Reply: d.EncodeIn(b.Context(), f, r), Via: r.Via, Attachments: r.Attachments}
	if r.By != form.ByBridge { // nobody answered then
		e.SettledAt = r.At
		e.Recoverable = !f.Bound() && (r.Outcome != form.Cancelled || r.Reason != "")
	}
	return e
}

// Unkept returns the envelope of a request in the named dialect that is put to nobody,
// since the spool cannot be opened because of why.
func Unkept(name string, raw []byte, why error) Envelope {
	d, f, err := dialect.Decode(name, raw)
	if err != nil {
		return Envelope{Reply: d.Reject(err)}
	}
	return Envelope{Reply: d.EncodeIn(dialect.Context{}, &f, form.Result{Outcome: form.Unavailable, Reason: why.Error()})}
}

// Rejected returns the envelope of a request in the named dialect that is refused because of why.
func Rejected(name string, why error) Envelope {
	d, _ := dialect.ByName(name)
	return Envelope{Reply: d.Reject(why)}
}

// Context returns the settings in force that show in results.
func (b *Bridge) Context() dialect.Context {
	s, _ := b.Settings()
	return ResultContext(&s.Settings)
}

// ResultContext picks the settings that show in results, and finds the page.
func ResultContext(s *settings.Settings) dialect.Context {
	return dialect.Context{DebounceMs: s.DebounceMs, DangerCheck: s.DangerCheckEnabled, Page: address.Page}
}

// Prune removes from the history what is older than the person's own setting
// historyDays says, at most once a day and until ctx ends: a project's file has no say in
// what is kept of others.
func Prune(ctx context.Context, sp *spool.Spool, warn func(error)) {
	keep := func() time.Duration { return time.Duration(settings.Load("").HistoryDays) * 24 * time.Hour }
	if _, err := sp.Prune(ctx, keep, time.Now()); err != nil {
		warn(err)
	}
}
