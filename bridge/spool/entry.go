package spool

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/google/renameio/v2"
	"github.com/oklog/ulid/v2"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
)

// The files of an entry. The last has nothing in it: it is there once the answer
// was handed to the caller.
const (
	requestFile = "request.json"
	bridgeLock  = "bridge.lock"
	popupLock   = "popup.lock"
	draftFile   = "draft.json"
	answerFile  = "answer.json"
	doneFile    = "delivered"
)

// making marks an entry that is still being written; it is renamed when whole.
const making = ".making-"

func isMaking(name string) bool { return strings.HasPrefix(name, making) }

// Request is what request.json holds. It never changes.
type Request struct {
	Version int             `json:"version"`
	ID      string          `json:"id"`
	Form    form.Form       `json:"form"`
	Raw     json.RawMessage `json:"request"` // as the agent sent it
	Origin  Origin          `json:"origin"`
	// Deadline is when the question ends as timeout; nil where it has none.
	Deadline *time.Time `json:"deadline,omitempty"`
	// Digest is by which the same question asked again finds this entry; entries
	// of older versions have none.
	Digest string `json:"digest,omitempty"`
}

// Origin says who asks, and from where.
type Origin struct {
	Agent string `json:"agent"`
	Cwd   string `json:"cwd"`
	Host  string `json:"host"`           // name of the host that was chosen
	Pane  string `json:"pane,omitempty"` // the asking pane, in words for a person
	Ref   string `json:"ref,omitempty"`  // the same for the host
	// PID is the process that asks: an MCP server, or what has started askpane
	// ask. It is one session of the agent's.
	PID int `json:"pid"`
	// Session is the agent's own name for its session, where it tells one; that
	// outlives the process.
	Session string    `json:"session,omitempty"`
	Start   time.Time `json:"start"`
}

// SameSession reports whether both come from one session of an agent's.
func (o Origin) SameSession(other Origin) bool {
	if o.Session != "" || other.Session != "" {
		return o.Session == other.Session
	}
	return o.PID == other.PID
}

// Entry is one form's directory in the spool.
type Entry struct {
	ID    string
	spool *Spool
	root  *os.Root
	locks []*lock
	// waiting is bridge.lock, where this process holds it.
	waiting *lock
	// digest is the request's, where this process made the entry.
	digest   string
	indexing sync.WaitGroup
	// turn is the asking process's, in a dialect where it has one form at a time.
	turn     *lock
	turnName string
	// old: it was found in the history.
	old bool
	// showing: this process has popup.lock.
	showing bool
	// claimed: this process hands the answer over.
	claimed bool
}

// Create writes a new entry and holds its bridge.lock until Close. The entry
// appears under its id only when it is whole. One that has no place in the index
// (a full disk, say) is asked all the same; one that the spool does not take
// goes to the spare (Entry.Spare).
func (s *Spool) Create(req Request) (*Entry, error) {
	e, err := s.create(req)
	if err != nil {
		return s.createSpare(req, err)
	}
	return e, nil
}

func (s *Spool) create(req Request) (*Entry, error) {
	id := ulid.MustNew(ulid.Timestamp(req.Origin.Start), rand.Reader).String()
	req.ID, req.Version = id, form.Version
	tmp := making + id
	if err := s.root.Mkdir(tmp, 0o700); err != nil {
		return nil, fmt.Errorf("make spool entry %s: %w", id, err)
	}
	e, err := s.fill(tmp, req)
	if err == nil {
		err = s.root.Rename(tmp, id)
	}
	if err != nil {
		if e != nil {
			e.Close()
		}
		_ = s.root.RemoveAll(tmp) // what is left of it is not a question yet
		return nil, fmt.Errorf("make spool entry %s: %w", id, err)
	}
	// Beside the way to the first paint: it takes a millisecond where the disk is
	// busy, and dying in that one costs no more than that a retry asks anew.
	e.indexing.Go(func() { _ = s.remember(req.Digest, id) })
	return e, nil
}

func (s *Spool) fill(tmp string, req Request) (*Entry, error) {
	data, err := json.Marshal(req)
	if err != nil {
		return nil, err
	}
	root, err := s.root.OpenRoot(tmp)
	if err != nil {
		return nil, err
	}
	e := &Entry{ID: req.ID, spool: s, root: root, digest: req.Digest}
	if err := root.WriteFile(requestFile, data, 0o600); err != nil {
		return e, err
	}
	if err := e.reserve(); err != nil {
		return e, err
	}
	l := e.lockAt(filepath.Join(s.dir, tmp), bridgeLock)
	if _, err := e.take(l, bridgeLock); err != nil {
		return e, err
	}
	e.locks, e.waiting = append(e.locks, l), l
	return e, nil
}

// Sync brings the request to the disk, so that it survives the machine. It is
// not part of Create because it is slow and the person need not wait for it.
func (e *Entry) Sync() error {
	f, err := e.root.Open(requestFile)
	if err != nil {
		return fmt.Errorf("sync spool entry %s: %w", e.ID, err)
	}
	defer f.Close()
	return errors.Join(f.Sync(), e.syncDir(), syncRoot(e.spool.root))
}

// Open opens the pending entry id. The error wraps ErrNotFound where there is none.
func (s *Spool) Open(id string) (*Entry, error) {
	return s.openAny(id, func(s *Spool) (*Entry, error) { return s.open(s.root, id) })
}

// openAny looks in the spares too.
func (s *Spool) openAny(id string, open func(*Spool) (*Entry, error)) (*Entry, error) {
	if !ValidID(id) {
		return nil, fmt.Errorf("%w: %s is not a question's id", ErrNotFound, text.OneLine(id, 40))
	}
	e, err := open(s)
	if !errors.Is(err, ErrNotFound) {
		return e, err
	}
	for _, spare := range s.others() {
		if e, err := open(spare); !errors.Is(err, ErrNotFound) {
			return e, err
		}
	}
	return nil, err
}

// open opens the entry id in dir, which is the spool or its history.
func (s *Spool) open(dir *os.Root, id string) (*Entry, error) {
	info, err := dir.Lstat(id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%w: nothing waits under %s", ErrNotFound, id)
	}
	if err == nil {
		err = private(info)
	}
	if err != nil {
		return nil, fmt.Errorf("open spool entry %s: %w", id, err)
	}
	root, err := dir.OpenRoot(id)
	if err != nil {
		return nil, fmt.Errorf("open spool entry %s: %w", id, err)
	}
	if opened, err := root.Stat("."); err != nil || !os.SameFile(info, opened) {
		root.Close()
		return nil, fmt.Errorf("open spool entry %s: %w", id, errors.Join(errors.New("it was exchanged while it was opened"), err))
	}
	return &Entry{ID: id, spool: s, root: root}, nil
}

// Close lets go of the entry and of the locks taken through it.
func (e *Entry) Close() error {
	return errors.Join(e.LetGo(), e.root.Close())
}

// LetGo releases the locks before Close.
func (e *Entry) LetGo() error {
	e.indexing.Wait()
	errs := []error{e.leaveTurn()}
	for _, l := range e.locks {
		errs = append(errs, l.release())
	}
	e.locks, e.waiting, e.claimed, e.showing = nil, nil, false, false
	return errors.Join(errs...)
}

// Path is the entry's directory while it waits.
func (e *Entry) Path() string { return filepath.Join(e.spool.dir, e.ID) }

// Request reads request.json. One that no version of ours has written, or that
// belongs to another entry, is an error.
func (e *Entry) Request() (Request, error) {
	var r Request
	err := e.read(requestFile, &r)
	if err == nil && r.ID != e.ID {
		err = fmt.Errorf("read %s of %s: it belongs to another question, %s", requestFile, e.ID, text.OneLine(r.ID, 40))
	}
	if err == nil {
		err = wrap(r.Form.Sound(), "read %s of %s", requestFile, e.ID)
	}
	return r, err
}

// Answer reads answer.json; ok is false while there is none.
func (e *Entry) Answer() (r form.Result, ok bool, err error) {
	err = e.read(answerFile, &r)
	if errors.Is(err, fs.ErrNotExist) {
		return form.Result{}, false, nil
	}
	return r, err == nil, err
}

// ErrAnswered means that the entry has its answer already; the first one wins.
var ErrAnswered = errors.New("this question has been answered already")

// Settle writes answer.json, once: on the disk before it has its name, and
// never over another. The error wraps ErrAnswered where one was there first.
//
// A cancel that no call waits for is a dismissal: the entry is over, and no later
// call gets it for an answer. One that gives a reason is an answer.
func (e *Entry) Settle(r form.Result) error {
	if r.Outcome != form.Cancelled || r.Reason != "" || e.waiting != nil {
		return e.settle(r)
	}
	// So that no call begins to wait in between. By a lock that is none of ours
	// nobody can wait.
	alone, err := e.TakeOver()
	if r.Dismissed = alone || err != nil; !r.Dismissed {
		return e.settle(r)
	}
	if err = e.settle(r); err == nil {
		_ = e.Deliver() // it is over, wherever it lies
	}
	return errors.Join(err, e.StopWaiting())
}

func (e *Entry) settle(r form.Result) error {
	r.Version = form.Version
	data, err := json.Marshal(r)
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("it has %d bytes; at most %d can be read again", len(data), maxFile)
	}
	if err != nil {
		return fmt.Errorf("write the answer of %s: %w", e.ID, err)
	}
	// The name may already be taken: do not fill a disk to find that out.
	if _, err := e.root.Lstat(answerFile); err == nil {
		return fmt.Errorf("write the answer of %s: %w", e.ID, ErrAnswered)
	}
	tmp := "." + answerFile + "-" + rand.Text()
	err = e.withRoom(func() error {
		_ = e.root.Remove(tmp) // left by a first attempt that found the disk full
		err := writeSynced(e.root, tmp, data)
		if err == nil {
			err = e.root.Link(tmp, answerFile)
		}
		return err
	})
	_ = e.root.Remove(tmp) // the answer has its own name by now, or there is none
	if errors.Is(err, fs.ErrExist) {
		err = ErrAnswered
	}
	if err != nil {
		return fmt.Errorf("write the answer of %s: %w", e.ID, err)
	}
	return e.syncDir()
}

// SaveDraft replaces draft.json.
func (e *Entry) SaveDraft(draft any) error {
	data, err := json.Marshal(draft)
	if err == nil {
		err = renameio.WriteFile(draftFile, data, 0o600, renameio.WithRoot(e.root), renameio.IgnoreUmask())
	}
	if err != nil {
		return fmt.Errorf("save the draft of %s: %w", e.ID, err)
	}
	return nil
}

// Draft reads draft.json into draft; ok is false where there is none. One that
// cannot be read is put out of the way of the next, where this process shows the
// form.
func (e *Entry) Draft(draft any) (ok bool, err error) {
	err = e.read(draftFile, draft)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil && e.showing {
		err = errors.Join(err, wrap(e.root.Rename(draftFile, "unread-"+draftFile), "put the draft of %s aside", e.ID))
	}
	return err == nil, err
}

// Withdraw removes an entry that nobody has been asked yet.
func (e *Entry) Withdraw() error {
	e.indexing.Wait()
	e.spool.forget(e.digest, e.ID)
	return wrap(e.spool.root.RemoveAll(e.ID), "withdraw %s", e.ID)
}

// ErrNewer means that a later askpane wrote a file of the entry. Such an entry is
// left alone.
var ErrNewer = errors.New("install a newer askpane")

// read decodes one file of the entry. Only one that we could have written is
// read (see readPlain), and one of a later format is refused and left alone.
func (e *Entry) read(name string, into any) error {
	data, err := e.readPlain(name)
	if err != nil {
		return fmt.Errorf("read %s of %s: %w", name, e.ID, err)
	}
	var head struct {
		Version int `json:"version"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return fmt.Errorf("read %s of %s: %w", name, e.ID, err)
	}
	if head.Version > form.Version {
		return fmt.Errorf("read %s of %s: it has format %d and this askpane knows %d; %w", name, e.ID, head.Version, form.Version, ErrNewer)
	}
	return wrap(json.Unmarshal(data, into), "read %s of %s", name, e.ID)
}

func writeSynced(root *os.Root, name string, data []byte) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}

func (e *Entry) syncDir() error { return syncRoot(e.root) }

func syncRoot(root *os.Root) error {
	d, err := root.Open(".")
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
