// Package gate says who may speak to the desk.
//
// It knows hosts, origins, links, devices and their tokens, and nothing of questions.
// The rule that must hold here: whatever a request says of itself, its host and its
// origin are held against a list of names that were known before it came, and nothing
// about a question goes to anybody without a token.
package gate

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"maps"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/bridge/watch"
	"github.com/askpane/askpane/popup/page"
)

// Gate lets requests through to a handler.
type Gate struct {
	keys  Keys
	hosts []string
	trust bool // that nobody reads along, whatever the way
	next  http.Handler
	watch *watch.Watch
	life  string // the key of the tokens that it gives: they end with it

	mu   sync.Mutex
	open map[*context.CancelFunc]string
}

// loopback lists the names of the machine itself.
var loopback = []string{"localhost", "127.0.0.1", "::1"}

// These bound a request's body, in bytes, and the time that it takes; and both for whoever is
// not known yet.
const (
	maxBody  = 1 << 20
	bodyTime = time.Minute
	maxLink  = 4 << 10
	linkTime = 5 * time.Second
)

// New makes a gate before next. hosts are the names, without port, that the desk goes by
// besides those of the machine itself. withoutTLS lets dangerous and secret questions be
// answered from everywhere. Close must be called.
func New(keys Keys, hosts []string, withoutTLS bool, next http.Handler) *Gate {
	g := &Gate{keys: keys, trust: withoutTLS, next: next, life: rand.Text(), open: map[*context.CancelFunc]string{}}
	for _, h := range append(hosts, loopback...) {
		g.hosts = append(g.hosts, strings.ToLower(strings.Trim(h, "[]")))
	}
	g.watch = watch.Dir(keys.devices(), func(string) { g.revoked() })
	return g
}

// Close ends the watching.
func (g *Gate) Close() { g.watch.Stop() }

// revoked ends what is open of devices that are not known any more.
func (g *Gate) revoked() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for cancel, id := range g.open {
		if !g.keys.has(id) {
			(*cancel)()
		}
	}
}

// way says how a request has come.
type way struct {
	from   string // its address
	direct bool   // from this machine, and handed on by nobody
	secure bool   // nobody can have read it on its way
}

func wayOf(r *http.Request) way {
	from, _, _ := net.SplitHostPort(r.RemoteAddr)
	ip := net.ParseIP(from)
	local, handed := ip != nil && ip.IsLoopback(), slices.ContainsFunc(slices.Collect(maps.Keys(r.Header)), handedOn.MatchString)
	return way{from, local && !handed, local && (!handed || r.Header.Get("X-Forwarded-Proto") == "https")}
}

// handedOn matches the headers by which something before us says that it has handed a request
// on: then that it comes from this machine means nothing.
var handedOn = regexp.MustCompile(`^(X-Forwarded-.*|Tailscale-.*|Cf-.*|Forwarded|Via|X-Real-Ip)$`)

// ServeHTTP is http.Handler's.
func (g *Gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", page.Policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=()")
	h.Set("Cache-Control", "no-store")
	most, limit := int64(maxBody), bodyTime
	if r.URL.Path == enterPath || isReply(r) {
		most, limit = maxLink, linkTime
	}
	if r.ContentLength != 0 { // else it would end a stream
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(limit))
	}
	if status, why := g.refuse(r); status != 0 {
		page.Refuse(w, status, "%s", why)
		return
	}
	r.Body = http.MaxBytesReader(w, r.Body, most)
	from := wayOf(r)
	switch {
	case !strings.HasPrefix(r.URL.Path, "/api/"): // nothing there is about a question, but frames, whose names nobody guesses
		g.next.ServeHTTP(w, r)
	case r.URL.Path == enterPath:
		g.enter(w, r, from)
	case isReply(r):
		g.reply(w, r)
	default:
		g.admit(w, r, from)
	}
}

// refuse says what is wrong with a request whoever it is from, and by which status;
// 0 is nothing.
func (g *Gate) refuse(r *http.Request) (status int, why string) {
	origin := r.Header.Get("Origin")
	change := r.Method != http.MethodGet && r.Method != http.MethodHead
	kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
	site := r.Header.Get("Sec-Fetch-Site")
	switch {
	case !g.named(r.Host):
		return http.StatusMisdirectedRequest, "The desk does not go by this name. If it is yours, put it into the setting pageHosts."
	case change && r.Method != http.MethodPost:
		return http.StatusMethodNotAllowed, "The desk takes GET and POST."
	case change && origin == "" && !isReply(r):
		return http.StatusForbidden, "A change that does not say which page it comes from is not taken."
	case origin != "" && !g.trusted(origin), change && site != "" && site != "same-origin":
		return http.StatusForbidden, "What comes from another site's page is not taken."
	case change && strings.TrimSpace(kind) != "application/json":
		return http.StatusUnsupportedMediaType, "The desk takes JSON alone."
	case r.ContentLength > maxBody:
		return http.StatusRequestEntityTooLarge, "That is too long: at most 1 MiB can be sent at once. It was not saved; it still stands here."
	}
	return 0, ""
}

// named reports whether a host, with or without a port, is one of the desk's names.
func (g *Gate) named(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return slices.Contains(g.hosts, strings.ToLower(strings.Trim(host, "[]")))
}

// trusted reports whether an origin is a page of the desk's, under one of its names.
func (g *Gate) trusted(origin string) bool {
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.User == nil && u.Path == "" && g.named(u.Host)
}

const (
	noToken = "This page is not known to the desk. Open it by o in a popup or by askpane page, or pair this device by askpane phone."
	away    = "The desk was away since this page was opened, and another program may have been in its place. Open it again by o in a popup or by askpane page."
	notHere = "From here only a paired device may look: run askpane phone on the machine, and open its link."
	usedUp  = "This link is used up or too old: each opens one page, within ten minutes. askpane page and askpane phone make a new one."
)

// token makes the token of a device, which ends with this desk: whoever has the port after it
// gets nothing that opens the next one.
func (g *Gate) token(id string) string { return id + "." + mac(g.life, id) }

// admit lets through who has the token of a device that may come that way.
func (g *Gate) admit(w http.ResponseWriter, r *http.Request, from way) {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	id, _, _ := strings.Cut(token, ".")
	ctx, cancel := context.WithCancel(page.WithRights(r.Context(), page.Rights{Guarded: from.secure || g.trust}))
	g.mu.Lock()
	g.open[&cancel] = id // before it is looked up: it may be revoked just then
	g.mu.Unlock()
	defer func() {
		cancel()
		g.mu.Lock()
		delete(g.open, &cancel)
		g.mu.Unlock()
	}()
	d, err := g.keys.device(id)
	switch {
	case errors.As(err, new(*hint.Error)) && same(token, g.token(id)): // others could have read its file
		page.Refuse(w, http.StatusUnauthorized, "The desk cannot let this page in: %v.", err)
		return
	case err != nil:
		page.Refuse(w, http.StatusUnauthorized, noToken)
		return
	case !same(token, g.token(id)):
		page.Refuse(w, http.StatusGone, away)
		return
	case !from.direct && !d.Paired():
		page.Refuse(w, http.StatusForbidden, notHere)
		return
	}
	g.keys.seen(id, from.from)
	if from.secure { // where it can be read on its way, it would open the door once more
		w.Header().Set("Askpane-Key", d.Key)
	}
	g.next.ServeHTTP(w, r.WithContext(ctx))
}

// A browser gets in at enterPath.
const enterPath = "/api/enter"

// enter gives a token for a link's secret, or to a page that is known; or it proves to such a
// page that this is the desk.
func (g *Gate) enter(w http.ResponseWriter, r *http.Request, from way) {
	asks := guest{}
	err := json.NewDecoder(r.Body).Decode(&asks)
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		page.Refuse(w, http.StatusRequestEntityTooLarge, "That is too long for a link.")
		return
	}
	if err != nil || r.Method != http.MethodPost {
		page.Refuse(w, http.StatusBadRequest, "The desk did not understand this page; reload it.")
		return
	}
	asks.From = from.from
	reply := map[string]string{}
	switch {
	case asks.Nonce != "":
		var key string
		key, err = g.keys.key(asks.Was)
		reply["proof"] = mac(key, asks.Nonce)
	case !from.direct && asks.Pair == "" && !strings.HasPrefix(asks.Was, aPhone):
		page.Refuse(w, http.StatusForbidden, notHere)
		return
	default:
		var id string
		id, reply["question"], err = g.keys.exchange(asks)
		reply["bearer"] = g.token(id)
	}
	switch {
	case errors.Is(err, errNoLink) && asks.known():
		page.Refuse(w, http.StatusUnauthorized, noToken)
		return
	case errors.Is(err, errNoLink):
		page.Refuse(w, http.StatusUnauthorized, usedUp)
		return
	case err != nil:
		status := text.If(errors.As(err, new(*hint.Error)), http.StatusUnauthorized, http.StatusInternalServerError)
		page.Refuse(w, status, "The desk cannot remember this device: %v.", err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(reply)
}
