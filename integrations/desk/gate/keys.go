package gate

import (
	"cmp"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/renameio/v2"

	"github.com/askpane/askpane/bridge/address"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/settings/private"
)

// Keys names the directory of links and devices: a file for each. Of a link it has the hash,
// and the token of a device is on no disk; a browser is led to a link by a file with that in
// it (Open). The person alone may write there, and so make links; the desk uses them up.
type Keys string

// Device describes a browser that was let in.
type Device struct {
	ID string `json:"-"`
	// Key proves each to the other when the desk was away: the device gets in by it, and
	// keeps it in the memory of an open page alone.
	Key   string    `json:"key"`
	Name  string    `json:"name"`
	From  string    `json:"from"` // the address by which it came first, and in Devices last
	Since time.Time `json:"since"`
	Seen  time.Time `json:"-"` // to the minute
}

// The first letters of ids: the hexadecimal digits after them are the beginning of a hash.
const (
	aPage  = "t" // on this machine
	aPhone = address.PairedID
	idSize = 12
)

// Paired reports whether it came by a link of askpane phone; else it is a page on this machine.
func (d Device) Paired() bool { return strings.HasPrefix(d.ID, aPhone) }

// link opens one page, or answers one question (Reply).
type link struct {
	Hash  string    `json:"hash"`
	Pair  bool      `json:"pair"`
	Again bool      `json:"again,omitempty"` // of askpane phone confirm: it lets a device in that was paired before
	Until time.Time `json:"until"`
	// Question names what the page opens at, or what is answered; empty, it opens at the inbox.
	Question string `json:"question,omitempty"`
}

// A link, and a page on this machine that was not seen, can be used so long.
const (
	linkLife = 10 * time.Minute
	pageLife = 7 * 24 * time.Hour
)

const (
	unused   = ".json" // the end of a link's name, and then
	used     = ".used"
	codeSize = 10 // of the code that a device shows
)

var errNoLink = errors.New("there is no such link")

func (k Keys) devices() string { return filepath.Join(string(k), "devices") }
func (k Keys) links() string   { return filepath.Join(string(k), "links") }

// last has the address of each device's last request. It is no part of the device's own file, which
// whoever writes it late would bring back after it was revoked.
func (k Keys) last(id string) string { return filepath.Join(string(k), "last", id) }

// Prepare makes the directories, and removes what is too old.
func (k Keys) Prepare() error {
	for _, dir := range []string{k.links(), k.replies(), k.devices(), k.last("")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	remove(k.links(), func(path string, seen time.Time) bool { return time.Since(seen) > linkLife })
	remove(k.replies(), func(_ string, seen time.Time) bool { return time.Since(seen) > replyLife })
	remove(k.last(""), func(path string, _ time.Time) bool { return !k.has(filepath.Base(path)) })
	remove(k.devices(), func(path string, seen time.Time) bool {
		kind := filepath.Base(path)[:1] // one that is being written has a dot, and one of an older askpane a digit
		return kind != aPhone && (kind != aPage && kind != "." || time.Since(seen) > pageLife)
	})
	return nil
}

// Forget forgets all devices.
func (k Keys) Forget() {
	remove(k.devices(), func(string, time.Time) bool { return true })
}

func remove(dir string, old func(path string, seen time.Time) bool) {
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		info, err := f.Info()
		if path := filepath.Join(dir, f.Name()); err == nil && old(path, info.ModTime()) {
			_ = os.Remove(path)
		}
	}
}

// Awaited reports whether somebody may still come by a link that was made.
func (k Keys) Awaited() bool {
	files, _ := os.ReadDir(k.links())
	return slices.ContainsFunc(files, func(f os.DirEntry) bool {
		l, err := private.Read[link](k.links(), f.Name())
		return err == nil && filepath.Ext(f.Name()) == unused && time.Now().Before(l.Until)
	})
}

// hashed returns what is kept of a word that nobody guesses: an id, and what tells that it was this one.
func hashed(token string) (id, hash string) {
	sum := sha256.Sum256([]byte(token))
	hash = hex.EncodeToString(sum[:])
	return hash[:idSize], hash
}

// mac proves that one has a key.
func mac(key, text string) string {
	m := hmac.New(sha256.New, []byte(key))
	m.Write([]byte(text))
	return hex.EncodeToString(m.Sum(nil))
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// offer has a secret open or answer something for as long as life.
func (k Keys) offer(dir, end, secret string, life time.Duration, l link) error {
	if err := k.Prepare(); err != nil {
		return err
	}
	name, hash := hashed(secret)
	l.Hash, l.Until = hash, time.Now().Add(life)
	return private.Write(dir, name+end, l)
}

// Link makes what opens one page, or pairs one device, at base: it goes into the
// address's fragment, which no browser sends anywhere. The page that it opens is told the
// question, so that the link is short enough for a row of a terminal.
func (k Keys) Link(base string, pair bool, id string) (string, error) {
	secret, kind := rand.Text(), "t" // 130 bits, as a word that no line is broken in
	if pair {
		kind = "p"
	}
	return base + "#" + kind + "=" + secret, k.offer(k.links(), unused, secret, linkLife, link{Pair: pair, Question: id})
}

// Confirm lets in the device that shows the code, if it was paired before.
func (k Keys) Confirm(code string) error {
	code = strings.ToUpper(code)
	if len(code) != codeSize || strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") != "" {
		return fmt.Errorf("%s is no code: a device that is to be confirmed shows one of %d letters and digits", text.Quoted(code, 40), codeSize)
	}
	return k.offer(k.links(), unused, code, linkLife, link{Pair: true, Again: true})
}

// Open makes a file that leads a browser to a link: the command line that opens it
// can be read by everybody on the machine, and the file by the person alone.
func (k Keys) Open(link string) (path string, err error) {
	_, secret, _ := strings.Cut(link, "=")
	name, _ := hashed(secret)
	path = filepath.Join(k.links(), name+".html")
	text := `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>askpane</title>` +
		`<meta http-equiv="refresh" content="0; url=` + html.EscapeString(link) + `"><a href="` + html.EscapeString(link) + `">askpane</a>` + "\n"
	return path, renameio.WriteFile(path, []byte(text), 0o600)
}

// guest says what a browser claims that wants to get in.
type guest struct {
	Token, Pair string // a link's
	Mine        string // a word of the page's own, by which it may ask again where the answer was lost
	Was         string // the id of the device, or of the link, as which it is known
	Key, Nonce  string
	Name, From  string
}

// known reports whether it says that it was let in before.
func (g guest) known() bool {
	return g.Token == "" && g.Pair == "" && strings.IndexAny(g.Was, aPage+aPhone) == 0
}

// exchange lets a browser in that has the key of a device, or by a link, which is used up, and
// returns the question that the link opens.
func (k Keys) exchange(g guest) (id, question string, err error) {
	was, err := k.device(g.Was)
	switch {
	case !g.known():
		return k.byLink(g, was, err == nil && was.Paired())
	case err != nil || !same(was.Key, g.Key):
		return "", "", errNoLink
	}
	return g.Was, "", nil
}

// byLink lets in whoever has a link. One of Confirm lets in the device that it was, which
// was paired.
func (k Keys) byLink(g guest, was Device, paired bool) (id, question string, err error) {
	given, kind := g.Token, aPage
	if g.Pair != "" {
		given, kind = g.Pair, aPhone
	}
	name, hash := hashed(given)
	l, path, err := k.link(name)
	if err != nil || !same(l.Hash, hash) || l.Pair != (kind == aPhone) || time.Now().After(l.Until) {
		return "", "", cmp.Or(err, errNoLink)
	}
	own, _ := hashed(given + cmp.Or(g.Mine, rand.Text()))
	id = kind + own[1:]
	if filepath.Ext(path) == used && k.has(id) {
		return id, l.Question, nil
	}
	d := Device{Key: rand.Text(), Name: cmp.Or(text.OneLine(g.Name, 40), "browser"), From: g.From, Since: time.Now()}
	if l.Again {
		id, d.Key, d.Name, d.Since = g.Was, was.Key, was.Name, was.Since
	}
	spent := filepath.Join(k.links(), name+used)
	if l.Again && !paired || path == spent || os.Rename(path, spent) != nil { // somebody was quicker
		return "", "", errNoLink
	}
	if err := private.Write(k.devices(), id, d); err != nil {
		_ = os.Rename(spent, path)
		return "", "", err
	}
	_ = os.Remove(filepath.Join(k.links(), name+".html"))
	return id, l.Question, nil
}

// key returns the key by which the desk proves itself to a page that was let in, or that has a
// link.
func (k Keys) key(id string) (string, error) {
	if d, err := k.device(id); !errors.Is(err, os.ErrNotExist) {
		return d.Key, err
	}
	l, _, err := k.link(id)
	return l.Hash, err
}

// link finds the link with that id, and its file. One that was used is still known for a while
// to the page that it has let in.
func (k Keys) link(id string) (l link, path string, err error) {
	for _, end := range []string{unused, used} {
		if l, err = private.Read[link](k.links(), id+end); valid(id) && !errors.Is(err, os.ErrNotExist) {
			return l, filepath.Join(k.links(), id+end), err
		}
	}
	return l, "", errNoLink
}

func valid(id string) bool {
	return len(id) == idSize && strings.Trim(id, aPage+aPhone+"0123456789abcdef") == ""
}

// device finds the device with that id.
func (k Keys) device(id string) (d Device, err error) {
	if !valid(id) {
		return d, errNoLink
	}
	d, err = private.Read[Device](k.devices(), id)
	d.ID = id
	return d, err
}

// seen keeps the time at which a device came last, and from where.
func (k Keys) seen(id, from string) {
	path := filepath.Join(k.devices(), id)
	if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > time.Minute {
		_ = os.Chtimes(path, time.Time{}, time.Now())
	}
	if last, _ := os.ReadFile(k.last(id)); string(last) != from {
		_ = renameio.WriteFile(k.last(id), []byte(from), 0o600)
	}
}

func (k Keys) has(id string) bool {
	_, err := os.Stat(filepath.Join(k.devices(), id))
	return err == nil
}

// Devices lists all that were let in and not forgotten, the first one first.
func (k Keys) Devices() (all []Device, err error) {
	files, err := os.ReadDir(k.devices())
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	for _, f := range files {
		d, e := k.device(f.Name())
		info, _ := f.Info()
		if e != nil || info == nil {
			continue // one that is being written
		}
		d.Seen = info.ModTime()
		if last, err := os.ReadFile(k.last(d.ID)); err == nil {
			d.From = string(last)
		}
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b Device) int { return a.Since.Compare(b.Since) })
	return all, err
}

// Revoke forgets the device whose id begins with prefix: what it has open ends, and it
// is not let in again.
func (k Keys) Revoke(prefix string) (Device, error) {
	d, err := k.find(prefix)
	if err != nil {
		return d, err
	}
	_ = os.Remove(k.last(d.ID))
	return d, os.Remove(filepath.Join(k.devices(), d.ID))
}

// Call gives the device whose id begins with prefix a name.
func (k Keys) Call(prefix, name string) (Device, error) {
	if name = text.OneLine(name, 40); name == "" {
		return Device{}, errors.New("the name is missing: askpane phone name ID NAME")
	}
	found, err := k.find(prefix)
	if err != nil {
		return found, err
	}
	d, err := k.device(found.ID)
	if err == nil {
		d.Name = name
		err = private.Write(k.devices(), d.ID, d)
	}
	_ = os.Chtimes(filepath.Join(k.devices(), d.ID), time.Time{}, found.Seen)
	return d, err
}

// find finds the device whose id begins with prefix.
func (k Keys) find(prefix string) (Device, error) {
	all, err := k.Devices()
	if err != nil {
		return Device{}, err
	}
	found := slices.DeleteFunc(all, func(d Device) bool { return prefix == "" || !strings.HasPrefix(d.ID, prefix) })
	if len(found) != 1 {
		return Device{}, fmt.Errorf("%d devices have an id that begins with %s; askpane phone list shows them", len(found), text.Quoted(prefix, 40))
	}
	return found[0], nil
}
