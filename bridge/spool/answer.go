package spool

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/askpane/askpane/bridge/form"
)

// ErrAnswered means that the entry has its answer already; the first one wins.
var ErrAnswered = errors.New("this question has been answered already")

// Answer reads answer.json; ok is false while there is none.
func (e *Entry) Answer() (r form.Result, ok bool, err error) {
	switch err = e.decode(answerFile, &r); {
	case errors.Is(err, fs.ErrNotExist):
		return form.Result{}, false, nil
	case err == nil && r.Outcome == "":
		err = fmt.Errorf("read %s of %s: it names no outcome; move it away, and the question can be answered again", answerFile, e.ID)
	}
	return r, err == nil, err
}

// Settle writes answer.json, once: on the disk before it has its name, and
// never over another. The error wraps ErrAnswered where one was there first. What was
// attached on this machine goes with an answer that is given on it.
//
// A cancel, or a handing back, that no call waits for dismisses the question: the entry is over, and no
// later call gets it for an answer. One that gives a reason is an answer, and for a
// mirrored entry its own machine decides.
func (e *Entry) Settle(r form.Result) error {
	if r.Outcome != form.Cancelled && r.Outcome != form.Elsewhere || r.Reason != "" || e.locks[bridgeLock] != nil || e.mirrored() {
		return e.settle(r)
	}
	// No call may begin to wait in between. By a lock that is none of ours none can.
	alone, err := e.lockBridge()
	if r.Dismissed = alone || err != nil; !r.Dismissed {
		return e.settle(r)
	}
	if err = e.settle(r); err == nil {
		_ = e.Deliver() // it is over, wherever it lies
	}
	return errors.Join(err, e.release(bridgeLock))
}

func (e *Entry) settle(r form.Result) (err error) {
	r.Version, r.Attachments = form.Version, nil
	if r.Machine == "" && (r.Outcome == form.Answered || r.Outcome == form.NeedsDiscussion) {
		if r.Attachments, err = e.Attachments(); err != nil {
			return wrap(err, "read the pictures of %s", e.ID)
		}
	}
	data, err := json.Marshal(r)
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("it has %d bytes; at most %d can be read again", len(data), maxFile)
	}
	if err == nil {
		err = e.writeAnswer(data)
	}
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		_ = e.root.Remove(reserveFile)
		err = e.writeAnswer(data)
	}
	return wrap(err, "write the answer of %s", e.ID)
}

func (e *Entry) writeAnswer(data []byte) error {
	if e.has(answerFile) { // a full disk need not be filled to find that out
		return ErrAnswered
	}
	err := e.place(answerFile, data, true, func(from, to string) error {
		turn, err := e.lock(requestFile, patience) // a link would need none, and Android allows no links
		if err != nil {
			return err
		}
		defer turn.Close()
		if !missing(e.root.Lstat(to)) {
			return ErrAnswered
		}
		return e.root.Rename(from, to)
	})
	if err == nil {
		err = e.sync(".")
	}
	return err
}

// TakeOver takes the entry where nobody has it: until Close or StopWaiting this
// process waits for the answer or, where there is one, hands it over. ok is false
// where somebody else does (Free), or has done so.
func (e *Entry) TakeOver() (ok bool, err error) {
	if ok, err = e.lockBridge(); ok && e.has(answerFile) {
		if ok, err = e.lockAnswer(); !ok {
			err = errors.Join(err, e.release(bridgeLock))
		}
	}
	return ok, wrap(err, "take over %s", e.ID)
}

// touch wakes those who watch the spool or the entry. Where the directory cannot be changed they see
// the change later, and nothing else depends on it.
func (e *Entry) touch() {
	now := time.Now()
	_ = e.root.Chtimes(".", now, now)
}

// lockBridge takes bridge.lock, if no bridge waits for the entry and it is still there.
func (e *Entry) lockBridge() (ok bool, err error) {
	if e.held(bridgeLock) {
		return false, nil
	}
	switch err = e.hold(bridgeLock); {
	case err == errHeld, errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err == nil && e.removed(): // it was delivered by whoever had the lock before us
		return false, e.release(bridgeLock)
	case err == nil:
		err = e.mark(bridgeLock, time.Now()) // wakes a popup that shows the entry and says that its agent is gone
		e.touch()
	}
	return err == nil, err
}

// StopWaiting lets go of bridge.lock before Close: nobody waits for the entry any more,
// which wakes a popup that shows it. An answer that is there stays this process's to
// hand over.
func (e *Entry) StopWaiting() error {
	_, err := e.lockAnswer() // first: nobody else may come between
	return errors.Join(wrap(err, "claim the answer of %s", e.ID), e.release(bridgeLock))
}

// lockAnswer reserves the handing over of the answer for this process until Close. The
// lock is on answer.json itself: bridge.lock has to be let go before that, since the
// popup takes its end for the form's. ok is false where somebody else hands it over, or
// has done so, and where there is no answer.
func (e *Entry) lockAnswer() (ok bool, err error) {
	if e.locks[answerFile] != nil {
		return true, nil
	}
	f, err := e.tryLock(answerFile)
	if err == errHeld || errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	e.locks[answerFile] = f
	if e.delivered() || e.removed() {
		return false, e.release(answerFile)
	}
	return true, nil
}

// Free closes the returned channel when nobody waits for the entry or hands its
// answer over any more.
func (e *Entry) Free() <-chan struct{} {
	if e.held(bridgeLock) {
		return e.free(bridgeLock)
	}
	return e.free(answerFile)
}

// Taken says what the agent made of an answer that it was handed.
type Taken string

const (
	Confirmed   Taken = ""            // it took it, or it never says
	Unconfirmed Taken = "unconfirmed" // it has not said so
	Outrun      Taken = "outrun"      // it took the answer of its own dialog
)

// Took says what the agent made of the answer, before Deliver or at any time after it.
func (e *Entry) Took(t Taken) error {
	if e.taken = t; !e.delivered() {
		return nil
	}
	return wrap(e.place(deliveredFile, []byte(t), false, e.root.Rename), "note what the agent made of %s", e.ID)
}

// Deliver records that the answer has reached the agent: first in the entry itself, and
// then by moving it to the history, without what was typed as a secret. Either keeps
// the answer from being given to anybody else. Prune moves what could not be moved.
func (e *Entry) Deliver() error {
	_ = e.root.Remove(reserveFile) // the history may need it
	var said error
	if !e.delivered() { // else Prune has found it
		said = e.place(deliveredFile, []byte(e.taken), false, e.root.Rename)
	}
	req, err := e.Request()
	if err == nil && req.Form.Secrets() {
		err = e.scrub(&req.Form)
	}
	if err == nil {
		err = e.move()
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("deliver %s: %w", e.ID, errors.Join(said, err))
}

// scrub takes secrets out of the answer, in the file itself, which is locked and may
// have a second name from a writer that was killed. This is the one exception to an
// answer being written once: nobody reads it for an agent any more.
func (e *Entry) scrub(f *form.Form) error {
	r, ok, err := e.Answer()
	if err != nil || !ok {
		return err
	}
	r.Answers = f.Withhold(r.Answers)
	data, err := json.Marshal(r)
	if err == nil {
		err = errors.Join(e.overwrite(answerFile, data), e.sync(answerFile))
	}
	names, unread := e.names(".")
	for _, name := range names {
		if strings.HasPrefix(name, "."+answerFile+"-") { // of a writer that was killed
			err = errors.Join(err, e.root.RemoveAll(name))
		}
	}
	return errors.Join(err, unread)
}

// move moves the entry to the history, which is made if it is absent.
func (e *Entry) move() error {
	if err := e.spool.root.Mkdir(historyDir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	history, err := e.spool.history()
	if err != nil {
		return err
	}
	defer history.root.Close()
	err = os.Rename(e.path, history.in(e.ID))
	if errors.Is(err, fs.ErrNotExist) && history.has(e.ID) { // Prune was first
		return nil
	}
	if errors.Is(err, syscall.EXDEV) {
		err = errOtherDisk
	}
	return err
}
