package spool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
)

// The files of an entry.
const (
	requestFile    = "request.json"
	bridgeLock     = "bridge.lock"
	popupLock      = "popup.lock"
	draftFile      = "draft.json"
	draftLock      = "draft.lock"
	answerFile     = "answer.json"
	awayFile       = "away.json"  // in every mirrored entry, and in no other
	alertedFile    = "alerted"    // in a mirrored entry to which the person was alerted
	unattendedFile = "unattended" // as long as the bridge finds nobody who could see the form
	maybeFile      = "maybe"      // once the agent's own dialog may have ended the question
	deliveredFile  = "delivered"  // once the answer was handed to the caller
	reserveFile    = "room"       // what the popup is told of settings, and space for the answer; goes when that needs it, and with the delivery
)

const (
	// reserveSize, in bytes, holds an answer of some pages; one block would do for most.
	reserveSize = 8 << 10
	// popupInfoSize, in bytes, lets popup.lock be changed without another block. A
	// viewer's name is short.
	popupInfoSize = 512
)

// making marks an entry that is still being written; it is renamed when whole.
const making = ".making-"

// Request is kept in request.json. It never changes.
type Request struct {
	Version int             `json:"version"`
	ID      string          `json:"id"`
	Form    form.Form       `json:"form"`
	Raw     json.RawMessage `json:"request"` // as the agent sent it
	Origin  Origin          `json:"origin"`
	// Deadline ends the question as timeout; nil where it has none.
	Deadline *time.Time `json:"deadline,omitempty"`
	// Digest lets the same question asked again find this entry; entries of older
	// versions have none.
	Digest string `json:"digest,omitempty"`
}

// Origin says who asks, and from where.
type Origin struct {
	Agent string `json:"agent"`
	Cwd   string `json:"cwd"`
	Host  string `json:"host"`           // name of the host that was chosen
	Pane  string `json:"pane,omitempty"` // the asking pane, in words for a person
	Ref   string `json:"ref,omitempty"`  // the same for the host
	// PID names the process that asks, an MCP server or what has started askpane ask, and
	// stands for one session of the agent's. Of an agent's own tool it is the hook, and stands for none.
	PID int `json:"pid"`
	// Session is the agent's own name for its session, where it tells one; that
	// outlives the process.
	Session string    `json:"session,omitempty"`
	Start   time.Time `json:"start"`
	// Chat has chatWhen where the asker was told less than the person's own file says.
	Chat string `json:"chat,omitempty"`
	// Native says that the agent asks with its own tool, and where its own dialog stands:
	// Beside, Queued or Serial; empty is another tool.
	Native string `json:"native,omitempty"`
	// Surfaces lists where a permission may be decided, in the words of permissionSurfaces; empty
	// is anywhere.
	Surfaces []string `json:"surfaces,omitempty"`
	// Away names the other machine on which it was asked; nil is this one.
	Away *Away `json:"away,omitempty"`
}

// What Origin.Native says. Beside our form, the first answer wins; so it does where answers are
// queued, until the agent's running call is over. In series, no dialog shows until the question
// is handed back.
const (
	Beside = "beside"
	Queued = "queued"
	Serial = "serial"
)

// Guarded reports whether an answer may go to no call but the one that asked. An agent's own
// tool takes it from that call alone.
func (r *Request) Guarded() bool { return r.Origin.Native != "" || r.Form.Bound() }

// Check reports whether res can be the result of the question, by what it says and where it was said.
func (r *Request) Check(res form.Result) error {
	err := r.Form.Check(res)
	if err == nil && r.Form.Subject() != nil && r.Form.Decided(res) != form.Undecided && !r.Admits(res.On()) {
		err = fmt.Errorf("a permission is not decided by %s: the setting permissionSurfaces has %s", res.On(), strings.Join(r.Origin.Surfaces, ", "))
	}
	return err
}

// Admits reports whether the question may be decided on a surface, or on other machines.
func (r *Request) Admits(surface string) bool {
	return len(r.Origin.Surfaces) == 0 || slices.Contains(r.Origin.Surfaces, surface)
}

// Entry is one question's directory in the spool.
type Entry struct {
	folder
	ID        string
	spool     *Spool
	inHistory bool                // as it was opened
	taken     Taken               // what Deliver records
	locks     map[string]*os.File // those that this process holds through e, by the name of their file
}

// create writes a new entry and holds its bridge.lock.
func (s *Spool) create(req Request) (*Entry, error) {
	req.Version = form.Version
	tmp := making + req.ID
	e, err := s.fill(tmp, req)
	if err == nil {
		err = s.root.Rename(tmp, req.ID)
	}
	if err != nil {
		if e != nil {
			e.Close()
		}
		_ = s.root.RemoveAll(tmp) // what is left of it is not a question yet
		return nil, unwritable(s.path, err)
	}
	return e, nil
}

// fill makes the directory of an entry with all that the question needs on the
// disk to be shown and answered: a disk that fills up later keeps nobody from that.
func (s *Spool) fill(dir string, req Request) (*Entry, error) {
	data, err := json.Marshal(req)
	if err == nil {
		err = s.root.Mkdir(dir, 0o700)
	}
	if err != nil {
		return nil, err
	}
	e, err := s.openIn(s.folder, dir)
	if err != nil {
		return nil, err
	}
	e.ID, e.path = req.ID, s.in(req.ID)
	files := map[string][]byte{requestFile: data, popupLock: blank(popupInfoSize), reserveFile: make([]byte, reserveSize)}
	if req.Origin.Away != nil {
		files[awayFile] = []byte("{}") // the zero AwayState
	}
	for name, data := range files {
		if err := e.write(name, data); err != nil {
			return e, err
		}
	}
	return e, e.hold(bridgeLock)
}

func blank(n int) []byte { return bytes.Repeat([]byte{' '}, n) }

// openWaiting opens the entry id, which must wait. It clears away a directory without a
// request, which is no question: a removal that met a draft being written leaves one.
func (s *Spool) openWaiting(id string) (*Entry, error) {
	e, err := s.openIn(s.folder, id)
	if err == nil && missing(e.root.Lstat(requestFile)) {
		e.clear()
		e.Close()
		return nil, ErrNotFound
	}
	return e, err
}

// clear removes what is left of an entry, unless that is an answer. It removes file by
// file: one that was just mirrored under the same id is another, and is not empty.
func (e *Entry) clear() {
	names, err := e.names(".")
	if err != nil || slices.Contains(names, requestFile) || slices.Contains(names, answerFile) {
		return
	}
	for _, name := range names {
		_ = e.root.Remove(name)
	}
	_ = e.spool.root.Remove(e.ID)
}

// openIn opens the entry id in dir, which is the spool or its history.
func (s *Spool) openIn(dir folder, id string) (*Entry, error) {
	f, err := dir.within(id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("open spool entry %s: %w", id, err)
	}
	return &Entry{folder: f, ID: id, spool: s, inHistory: dir != s.folder, locks: map[string]*os.File{}}, nil
}

// Close lets go of the entry and of the locks taken through it.
func (e *Entry) Close() error { return errors.Join(e.LetGo(), e.root.Close()) }

// LetGo releases the locks before Close.
func (e *Entry) LetGo() (err error) {
	for name := range e.locks {
		err = errors.Join(err, e.release(name))
	}
	return err
}

// hold takes a lock of the entry's until release. The error is errHeld where
// another process has it.
func (e *Entry) hold(name string) error {
	f, err := e.lock(name, patience)
	if err == nil {
		e.locks[name] = f
	}
	return err
}

// release lets go of a lock, if it is held.
func (e *Entry) release(name string) error {
	f := e.locks[name]
	if f == nil {
		return nil
	}
	delete(e.locks, name)
	return f.Close()
}

// Request reads request.json. One that no version of ours has written, or that
// belongs to another entry, is an error.
func (e *Entry) Request() (Request, error) {
	var r Request
	if err := e.decode(requestFile, &r); err != nil {
		return r, err
	}
	if r.ID != e.ID {
		return r, fmt.Errorf("read %s of %s: it belongs to another question, %s", requestFile, e.ID, text.OneLine(r.ID, 40))
	}
	return r, wrap(r.Form.Sound(), "read %s of %s", requestFile, e.ID)
}

// RequestFile reads request.json as it was written.
func (e *Entry) RequestFile() ([]byte, error) { return e.read(requestFile) }

// Sync brings the request to the disk, so that it survives the machine. Create does
// not, since that is slow and the person need not wait for it.
func (e *Entry) Sync() error {
	syncing.Lock()
	defer syncing.Unlock()
	return wrap(errors.Join(e.sync(requestFile), e.sync("."), e.spool.sync(".")), "sync spool entry %s", e.ID)
}

// UpdateDraft reads draft.json into old and replaces it by what merge returns, while no
// other surface does. found is false where there is none, or none that can be read,
// which is put out of the way. One of a later format is left alone.
func (e *Entry) UpdateDraft(old any, merge func(found bool) (any, error)) error {
	lock, err := e.lock(draftLock, draftPatience)
	if err == nil {
		defer lock.Close()
		err = e.updateDraft(old, merge)
	}
	return wrap(err, "save the draft of %s", e.ID)
}

func (e *Entry) updateDraft(old any, merge func(found bool) (any, error)) error {
	unread := e.decode(draftFile, old)
	if errors.Is(unread, ErrNewer) {
		return unread
	}
	if unread != nil && !errors.Is(unread, fs.ErrNotExist) {
		if err := e.root.Rename(draftFile, "unread-"+draftFile); err != nil {
			return err
		}
	}
	draft, err := merge(unread == nil)
	if err != nil {
		return err
	}
	data, err := json.Marshal(draft)
	if err != nil {
		return err
	}
	return e.replace(draftFile, data)
}

// Draft reads draft.json into draft; ok is false where there is none.
func (e *Entry) Draft(draft any) (ok bool, err error) {
	err = e.decode(draftFile, draft)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// SetSettings keeps what the question's popup is told of the settings, in space that the entry has already.
func (e *Entry) SetSettings(told any) error {
	data, err := json.Marshal(told)
	if err == nil {
		err = e.overwrite(reserveFile, append(data, blank(max(0, reserveSize-len(data)))...))
	}
	return wrap(err, "keep the settings of %s", e.ID)
}

// Settings reads what SetSettings has kept.
func (e *Entry) Settings(told any) error {
	data, err := e.read(reserveFile)
	if err == nil {
		err = json.NewDecoder(bytes.NewReader(data)).Decode(told) // which reads none of the blanks
	}
	return wrap(err, "read the settings of %s", e.ID)
}

// ErrNewer means that a later askpane wrote a file of the entry. Such an entry is
// left alone.
var ErrNewer = errors.New("install a newer askpane")

// decode decodes one file of the entry. One of a later format is refused and left
// alone.
func (e *Entry) decode(name string, into any) error {
	data, err := e.read(name)
	var head struct {
		Version int `json:"version"`
	}
	if err == nil {
		err = json.Unmarshal(data, &head)
	}
	if err == nil && head.Version > form.Version {
		err = fmt.Errorf("it has format %d and this askpane knows %d; %w", head.Version, form.Version, ErrNewer)
	}
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	return wrap(err, "read %s of %s", name, e.ID)
}
