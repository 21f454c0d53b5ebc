package spool

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
)

// Away names, for the person, where a mirrored question was asked: on another machine,
// whose desk and ours are linked. Nothing here is looked up by it, since a directory or a
// pane of that name is another one.
type Away struct {
	Machine string `json:"machine"`
	Cwd     string `json:"cwd,omitempty"`
	Pane    string `json:"pane,omitempty"`
	Host    string `json:"host,omitempty"`
	// Digest is taken of the request as that machine keeps it, and names what an answer
	// answers.
	Digest string `json:"digest"`
	// Via names the forward by which it came here; empty is the hub.
	Via string `json:"via,omitempty"`
}

// Where says where the question was asked: on which other machine (empty is this one),
// in which directory, and in which pane of which host.
func (o Origin) Where() (machine, cwd, host, pane string) {
	if a := o.Away; a != nil {
		return a.Machine, a.Cwd, a.Host, a.Pane
	}
	return "", o.Cwd, o.Host, o.Pane
}

// Machine names the other machine where it was asked; empty is this one.
func (o Origin) Machine() string {
	machine, _, _, _ := o.Where()
	return machine
}

// AwayState tells of a mirrored entry how the question stands on its own machine.
type AwayState struct {
	Version int `json:"version"` // of the format; SetAway sets it
	// Unreachable tells since when nothing was heard of the machine; zero where it is there.
	Unreachable time.Time `json:"unreachable,omitzero"`
	AgentGone   bool      `json:"agentGone,omitempty"` // nobody waits for the answer there
	Unattended  bool      `json:"unattended,omitempty"`
	// Verdict says why the answer that was given here does not count, as in "too late:
	// answered in the popup on build1"; Won does.
	Verdict string       `json:"verdict,omitempty"`
	Won     *form.Result `json:"won,omitempty"`
}

// Mirror returns these errors, wrapped.
var (
	ErrOver     = errors.New("this question is over here")
	ErrMirrored = errors.New("another process of this machine shows this question")
)

// Mirror makes an entry for a question of another machine under its own id, and holds
// its bridge.lock until Close; one that was left from before is taken over, with its
// answer if it has one. Of the origin it keeps the agent, the time, Chat, and Away.
func (s *Spool) Mirror(req Request) (*Entry, error) {
	away := req.Origin.Away
	if away == nil || !ValidID(req.ID) {
		return nil, fmt.Errorf("mirror the question %s: it has no id of a question, or no machine", text.OneLine(req.ID, 40))
	}
	req.Digest, req.Origin = "", Origin{Agent: req.Origin.Agent, Start: req.Origin.Start, Chat: req.Origin.Chat, Away: away}
	e, err := s.mirror(req)
	return e, wrap(err, "mirror the question %s of %s", req.ID, text.OneLine(away.Machine, 40))
}

func (s *Spool) mirror(req Request) (*Entry, error) {
	if req.Version > form.Version {
		return nil, fmt.Errorf("it has format %d and this askpane knows %d; %w", req.Version, form.Version, ErrNewer)
	}
	if err := req.Form.Sound(); err != nil {
		return nil, err
	}
	creating.Lock()
	defer creating.Unlock()
	e, err := s.Find(req.ID)
	if err == nil {
		if err = e.takeMirror(req.Origin.Away); err == nil {
			return e, nil
		}
		e.Close()
	}
	if errors.Is(err, ErrNotFound) {
		return s.create(req)
	}
	return nil, err
}

// takeMirror takes an entry over that mirrors the same question.
func (e *Entry) takeMirror(away *Away) error {
	had, err := e.Request()
	if err != nil {
		return err
	}
	if was := had.Origin.Away; was == nil || was.Machine != away.Machine || was.Digest != away.Digest {
		return errors.New("another question has its id here")
	}
	if r, _, _ := e.Answer(); e.delivered() && r.Reason == Revoked { // and its machine has joined again
		return cmp.Or(os.RemoveAll(e.path), ErrNotFound)
	} else if e.delivered() {
		return ErrOver
	}
	ours, err := e.TakeOver()
	if err == nil && !ours {
		err = ErrMirrored
	}
	return err
}

const (
	withdrawLimit = 2 * time.Second            // in which a form sees that its question is withdrawn
	Revoked       = "that machine was revoked" // is why a mirrored question ends that waits there still
)

// Withdraw removes a mirrored entry: its question waits on its own machine alone, and
// can be mirrored again. It is settled first, so that nobody answers what goes, and forms
// close. The error wraps ErrAnswered where somebody has: then it stays.
func (e *Entry) Withdraw() error {
	err := e.settle(form.Result{Outcome: form.Aborted, By: form.ByBridge, At: time.Now()})
	if r, _, unread := e.Answer(); errors.Is(err, ErrAnswered) && unread == nil && r.Outcome == form.Aborted {
		err = nil // somebody was ended in the middle of this
	}
	gone := removing + e.ID
	if err == nil {
		select {
		case <-e.PopupGone(): // it sees the end
		case <-time.After(withdrawLimit):
		}
		_ = e.spool.root.RemoveAll(gone) // an earlier removal may have met a draft being written
		err = cmp.Or(e.spool.root.Rename(e.ID, gone), e.spool.root.RemoveAll(gone))
	}
	return wrap(err, "withdraw %s", e.ID)
}

func (e *Entry) mirrored() bool { return e.has(awayFile) }

// Away reads how the question stands on its own machine; what cannot be read is zero.
func (e *Entry) Away() AwayState {
	var a AwayState
	if e.decode(awayFile, &a) != nil {
		return AwayState{}
	}
	return a
}

// SetAway replaces what Away says, in one step. Secrets in it are left out.
func (e *Entry) SetAway(a AwayState) error {
	req, err := e.Request()
	if err == nil && a.Won != nil {
		won := *a.Won
		won.Answers, a.Won = req.Form.Withhold(won.Answers), &won
	}
	a.Version = form.Version
	data, bad := json.Marshal(a)
	if err = errors.Join(err, bad); err == nil {
		err = e.replace(awayFile, data)
	}
	e.touch() // it may be asked again
	return wrap(err, "say of %s how it stands on its machine", e.ID)
}

// FirstAlert returns true once in the life of an entry: a desk that is started again
// does not alert again to what it mirrors still.
func (e *Entry) FirstAlert() bool {
	return !e.has(alertedFile) && e.write(alertedFile, nil) == nil
}
