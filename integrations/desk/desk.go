// Package desk runs the process that serves askpane's pages, one for a person and machine.
//
// It listens, keeps its lock and its port, and ends when nothing waits and nobody looks;
// gate says who may speak to it, and page what is shown. The rule that must hold here:
// a desk is beside the question and never in its way, and one that is killed and started
// again serves on where it was, on the same port.
package desk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/askpane/askpane/bridge/address"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/desk/gate"
	"github.com/askpane/askpane/popup/page"
	"github.com/askpane/askpane/popup/preview"
	"github.com/askpane/askpane/settings"
)

// Config configures a desk.
type Config struct {
	Version string
	Spool   *spool.Spool
	// Settings are the person's own; how other machines reach it follows them.
	Settings *settings.Live
	Stay     bool // it does not end by itself
	Grace    time.Duration
	Preview  preview.Program
	Busy     func() bool           // it is needed beside the pages; nil is that it is not
	Ready    func(address.Address) // it serves; called again when it is reached in another way
}

// reach says how other machines reach a desk.
type reach struct {
	listen     string   // an address, or Everywhere; empty is nowhere
	hosts      []string // names that it goes by besides
	withoutTLS bool     // dangerous and secret questions are answered without TLS, too
}

// reach follows the settings, and returns a channel that is closed when they change.
func (c Config) reach() (reach, <-chan struct{}) {
	s, changed := c.Settings.Now()
	return reach{s.PageListen, s.PageHosts, s.PageWithoutTLS}, changed
}

// elsewhere reports whether it is reached from other machines.
func (r reach) elsewhere() bool { return r.listen != "" || len(r.hosts) > 0 }

// Everywhere stands for all of the machine's addresses.
const Everywhere = "lan"

// Grace passes between two looks at what waits, and at the files that a desk needs. It ends when
// it has had nothing to do at two of them.
const Grace = 10 * time.Second

// errLost ends a desk whose lock or spool is gone: nobody finds it any more.
var errLost = errors.New("is gone")

// Serve serves until ctx ends or there is nothing to do. The error is address.ErrUp
// where a desk of this version is up already; one of another version is asked to end,
// and so is one that ends by itself where this one stays.
func Serve(ctx context.Context, c Config) (err error) {
	dir, err := address.Dir()
	if err != nil {
		return err
	}
	defer func() {
		if err != nil && !errors.Is(err, address.ErrUp) && !errors.Is(err, errLost) {
			address.Failed(dir, err)
		}
	}()
	lock, err := acquire(ctx, dir, c.Version, &c.Stay)
	if err != nil {
		return err
	}
	defer lock.Close()
	lost := without(lock.Name(), c.Spool.Path())
	keys := gate.Keys(dir)
	if err := keys.Prepare(); err != nil {
		return err
	}
	defer c.Settings.Watch(nil, nil)()
	last, _ := address.Last(dir)
	a := address.Address{Version: c.Version, PID: os.Getpid(), Spool: c.Spool.Path(), Since: time.Now(), Stay: c.Stay}.After(last)
	defer func() {
		if last, e := address.Last(dir); e == nil && last.PID == a.PID {
			last.Ended = true
			_ = last.Write(dir)
		}
	}()
	for again := true; again && err == nil; {
		again, err = c.serve(ctx, dir, keys, a, lost)
	}
	return err
}

// without returns what tells that one of the paths is gone, or leads to another file. It is asked
// by the clock, since the system tells nobody of one that was moved with a directory above it.
func without(paths ...string) (lost func() error) {
	had := map[string]os.FileInfo{}
	for _, path := range paths {
		had[path], _ = os.Stat(path) // what is not there now ends nothing later
	}
	return func() error {
		for path, was := range had {
			now, err := os.Stat(path)
			if was != nil && (errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(was, now)) {
				return hint.New("askpane desk starts another", "the desk ends, since %s %w", path, errLost)
			}
		}
		return nil
	}
}

// serve serves until ctx ends or there is nothing to do. It returns again where other machines
// are to reach the desk in another way now.
func (c Config) serve(ctx context.Context, dir string, keys gate.Keys, a address.Address, lost func() error) (again bool, err error) {
	by, changed := c.reach()
	last, _ := address.Last(dir)
	listeners, hosts, taken, err := by.open(last.Port, &a)
	if err != nil {
		return false, err
	}
	if taken { // by a program that could show pages our proofs as its own
		keys.Forget()
	}
	pages := page.New(page.Config{Spool: c.Spool, Preview: c.Preview})
	g := gate.New(keys, slices.Concat(by.hosts, hosts), by.withoutTLS, pages)
	defer g.Close()
	server := &http.Server{Handler: g, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 32 << 10,
		ErrorLog: log.New(io.Discard, "", 0)} // requests are nobody's business
	failed := make(chan error, len(listeners))
	for _, l := range listeners {
		go func() { failed <- server.Serve(l) }()
	}
	if err := a.Write(dir); err != nil {
		return false, err
	}
	c.Ready(a)
	wanted := func() bool {
		return c.Stay || pages.Streams() > 0 || keys.Awaited() || by.elsewhere() && address.Paired()
	}
	again, err = c.wait(ctx, by, changed, wanted, lost, failed)
	pages.Close() // what was typed is on the disk
	closing, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if server.Shutdown(closing) != nil {
		_ = server.Close()
	}
	return again, err
}

// wait returns when ctx ends, what the desk needs is lost, or at two looks nothing waits and
// nobody wants it; and again where other machines are to reach it in another way now.
func (c Config) wait(ctx context.Context, by reach, changed <-chan struct{}, wanted func() bool, lost func() error, failed <-chan error) (again bool, err error) {
	one := "" // a question that waits
	look := time.NewTicker(cmp.Or(c.Grace, Grace))
	defer look.Stop()
	for was := false; ; {
		select {
		case <-ctx.Done():
			return false, nil
		case err := <-failed:
			return false, err
		case <-changed:
			var now reach
			if now, changed = c.reach(); !reflect.DeepEqual(now, by) {
				return true, nil
			}
		case <-look.C:
			if err := lost(); err != nil {
				return false, err
			}
			is := wanted() || c.busy(&one)
			if !is && !was && (c.Busy == nil || !c.Busy()) {
				return false, nil
			}
			was = is
		}
	}
}

// busy reports whether any question waits. One is the last that did, and is looked at first.
func (c Config) busy(one *string) bool {
	if c.waits(*one) {
		return true
	}
	ids, _, err := c.Spool.Scan()
	i := slices.IndexFunc(ids, c.waits)
	if i >= 0 {
		*one = ids[i]
	}
	return i >= 0 || err != nil
}

// waits reports whether the question with that id waits.
func (c Config) waits(id string) bool {
	e, err := c.Spool.Open(id)
	if err != nil {
		return false
	}
	defer e.Close()
	return !e.Status().Over()
}

// patience bounds the wait for a desk of another version to end.
const patience = 10 * time.Second

// acquire takes the lock, from a desk that has it where that is of another version, or ends by
// itself and this one is to stay. Instead of one that would have stayed this one stays.
func acquire(ctx context.Context, dir, version string, stay *bool) (*os.File, error) {
	asked, until := 0, time.Now().Add(patience)
	for {
		lock, err := address.Hold(dir)
		if !errors.Is(err, address.ErrUp) {
			return lock, err
		}
		a, up := address.Up()
		switch {
		case up && a.Version == version && (a.Stay || !*stay):
			return nil, err
		case up && a.PID != asked: // the kernel says that it has the lock
			asked, *stay = a.PID, *stay || a.Stay
			if err := syscall.Kill(a.PID, syscall.SIGTERM); err != nil {
				return nil, fmt.Errorf("end the desk of version %s (process %d): %w", a.Version, a.PID, err)
			}
		case time.Now().After(until):
			return nil, hint.New(fmt.Sprintf("kill %d", asked), "the desk of another version (process %d) does not end", asked)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// open listens on this machine, on the port that the desk had last, and where else it is told
// to. It notes in a what the person should know, and returns the names that the desk has
// there, and whether another program has taken that port.
func (r reach) open(port int, a *address.Address) (listeners []net.Listener, hosts []string, taken bool, err error) {
	everywhere, own := r.listen == Everywhere, "127.0.0.1"
	if everywhere {
		own = ""
	}
	first, err := net.Listen("tcp", net.JoinHostPort(own, strconv.Itoa(port)))
	if taken = err != nil && port != 0; taken {
		a.Notes = append(a.Notes, fmt.Sprintf("port %d was taken by another program, so that pages which were open have to be opened again, and devices by a new link", port))
		first, err = net.Listen("tcp", net.JoinHostPort(own, "0"))
	}
	if err != nil {
		return nil, nil, taken, fmt.Errorf("listen on this machine: %w", err)
	}
	a.Port = first.Addr().(*net.TCPAddr).Port
	a.URL = fmt.Sprintf("http://127.0.0.1:%d/", a.Port)
	listeners = append(listeners, first)
	switch {
	case everywhere:
		hosts = Addresses()
	case r.listen != "":
		if net.ParseIP(r.listen) == nil {
			a.Notes = append(a.Notes, fmt.Sprintf("pageListen is neither an address of this machine nor %s, and does nothing", Everywhere))
			break
		}
		other, err := net.Listen("tcp", net.JoinHostPort(r.listen, strconv.Itoa(a.Port)))
		if err != nil { // the page on this machine is there all the same
			a.Notes = append(a.Notes, fmt.Sprintf("pageListen: %v", err))
			taken = taken || errors.Is(err, syscall.EADDRINUSE)
			break
		}
		listeners, hosts = append(listeners, other), []string{r.listen}
	}
	for _, h := range hosts {
		a.Hosts = append(a.Hosts, fmt.Sprintf("http://%s/", net.JoinHostPort(h, strconv.Itoa(a.Port))))
	}
	for _, h := range r.hosts { // a proxy's, which has its own port
		a.Hosts = append(a.Hosts, "https://"+strings.Trim(h, "[]")+"/")
	}
	return listeners, hosts, taken, nil
}

// Addresses lists the machine's own, by which others may reach it.
func Addresses() (all []string) {
	found, _ := net.InterfaceAddrs()
	for _, f := range found {
		if n, ok := f.(*net.IPNet); ok && !n.IP.IsLoopback() && !n.IP.IsLinkLocalUnicast() {
			all = append(all, n.IP.String())
		}
	}
	slices.SortStableFunc(all, func(a, b string) int { return strings.Count(a, ":") - strings.Count(b, ":") }) // IPv4 first, which more networks have
	return all
}
