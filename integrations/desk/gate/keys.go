package gate

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/renameio/v2"

	"github.com/askpane/askpane/bridge/text"
)

// Keys is the directory of links and devices: a file for each, named by the beginning
// of its token's hash. The token itself is on no disk, except where a browser is sent
// there (Open). Who may write there, the person alone, makes links; the desk takes them.
type Keys string

// Device is a browser that was let in.
type Device struct {
	ID     string    `json:"-"` // the beginning of the hash
	Hash   string    `json:"hash"`
	Paired bool      `json:"paired"` // by a link of askpane phone; else a page on this machine
	Name   string    `json:"name"`
	Since  time.Time `json:"since"`
	Seen   time.Time `json:"-"` // to the hour
}

// link is what opens one page.
type link struct {
	Hash  string    `json:"hash"`
	Pair  bool      `json:"pair"`
	Until time.Time `json:"until"`
}

// How long a link can be used, and a page on this machine that was not seen.
const (
	linkLife = 10 * time.Minute
	pageLife = 7 * 24 * time.Hour
)

var errNoLink = errors.New("there is no such link")

func (k Keys) devices() string { return filepath.Join(string(k), "devices") }
func (k Keys) links() string   { return filepath.Join(string(k), "links") }

// Prepare makes the directories, and removes what is too old.
func (k Keys) Prepare() error {
	for _, dir := range []string{k.links(), k.devices()} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
	}
	remove(k.links(), func(path string, seen time.Time) bool { return time.Since(seen) > linkLife })
	remove(k.devices(), func(path string, seen time.Time) bool {
		d, err := read[Device](path)
		return err == nil && !d.Paired && time.Since(seen) > pageLife
	})
	return nil
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

// Awaited is how long somebody may still come by a link that was made.
func (k Keys) Awaited() (longest time.Duration) {
	files, _ := os.ReadDir(k.links())
	for _, f := range files {
		if l, err := read[link](filepath.Join(k.links(), f.Name())); err == nil {
			longest = max(longest, time.Until(l.Until))
		}
	}
	return longest
}

// token is 260 bits that nobody guesses, as a word that no line is broken in, and what is
// kept of them.
func token() (token, id, hash string) {
	token = rand.Text() + rand.Text()
	id, hash = hashed(token)
	return token, id, hash
}

func hashed(token string) (id, hash string) {
	sum := sha256.Sum256([]byte(token))
	hash = hex.EncodeToString(sum[:])
	return hash[:12], hash
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

func read[T any](path string) (v T, err error) {
	data, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(data, &v)
	}
	return v, err
}

func write(path string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return renameio.WriteFile(path, append(data, '\n'), 0o600)
}

// Link makes what opens one page, or pairs one device, at base: it goes into the
// address's fragment, which no browser sends anywhere. A page opens at the question id.
func (k Keys) Link(base string, pair bool, id string) (string, error) {
	if err := k.Prepare(); err != nil {
		return "", err
	}
	token, name, hash := token()
	kind := "t"
	if pair {
		kind = "p"
	}
	address := base + "#" + kind + "=" + token
	if id != "" {
		address += "&q=" + id
	}
	return address, write(filepath.Join(k.links(), name+".json"), link{hash, pair, time.Now().Add(linkLife)})
}

// Open makes a file that leads a browser to a link: the command line that opens it
// can be read by everybody on the machine, and the file by the person alone.
func (k Keys) Open(link string) (path string, err error) {
	_, secret, _ := strings.Cut(link, "=")
	secret, _, _ = strings.Cut(secret, "&")
	name, _ := hashed(secret)
	path = filepath.Join(k.links(), name+".html")
	text := `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>askpane</title>` +
		`<meta http-equiv="refresh" content="0; url=` + html.EscapeString(link) + `"><a href="` + html.EscapeString(link) + `">askpane</a>` + "\n"
	return path, renameio.WriteFile(path, []byte(text), 0o600)
}

// exchange uses a link up, and makes the device that it lets in.
func (k Keys) exchange(once, pair, name string) (bearer string, err error) {
	given, wanted := once, false
	if pair != "" {
		given, wanted = pair, true
	}
	id, hash := hashed(given)
	path := filepath.Join(k.links(), id+".json")
	l, err := read[link](path)
	if err != nil || !same(l.Hash, hash) || l.Pair != wanted || time.Now().After(l.Until) {
		return "", errNoLink
	}
	if os.Remove(path) != nil { // somebody was quicker
		return "", errNoLink
	}
	_ = os.Remove(filepath.Join(k.links(), id+".html"))
	if name = text.OneLine(name, 40); name == "" {
		name = "browser"
	}
	bearer, id, hash = token()
	return bearer, write(filepath.Join(k.devices(), id), Device{Hash: hash, Paired: wanted, Name: name, Since: time.Now()})
}

// device is the one that has the token.
func (k Keys) device(token string) (Device, bool) {
	if token == "" {
		return Device{}, false
	}
	id, hash := hashed(token)
	d, err := read[Device](filepath.Join(k.devices(), id))
	if err != nil || !same(d.Hash, hash) {
		return Device{}, false
	}
	d.ID = id
	path := filepath.Join(k.devices(), id)
	if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > time.Hour {
		_ = os.Chtimes(path, time.Time{}, time.Now())
	}
	return d, true
}

func (k Keys) has(id string) bool {
	_, err := os.Stat(filepath.Join(k.devices(), id))
	return err == nil
}

// Devices are those that were paired, the first one first.
func (k Keys) Devices() (paired []Device, err error) {
	files, err := os.ReadDir(k.devices())
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	for _, f := range files {
		d, e := read[Device](filepath.Join(k.devices(), f.Name()))
		info, _ := f.Info()
		if e != nil || !d.Paired || info == nil {
			continue // one that is being written, or a page on this machine
		}
		d.ID, d.Seen = f.Name(), info.ModTime()
		paired = append(paired, d)
	}
	slices.SortFunc(paired, func(a, b Device) int { return a.Since.Compare(b.Since) })
	return paired, err
}

// Revoke forgets the device whose id begins with prefix: what it has open ends, and it
// is not let in again.
func (k Keys) Revoke(prefix string) (Device, error) {
	all, err := k.Devices()
	if err != nil {
		return Device{}, err
	}
	found := slices.DeleteFunc(all, func(d Device) bool { return prefix == "" || !strings.HasPrefix(d.ID, prefix) })
	if len(found) != 1 {
		return Device{}, fmt.Errorf("%d paired devices have an id that begins with %s; askpane phone list shows them", len(found), text.Quoted(prefix, 40))
	}
	return found[0], os.Remove(filepath.Join(k.devices(), found[0].ID))
}
