package inbox

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/machine"
)

// row is one question as it was read last. It never changes; a newer one takes
// its place.
type row struct {
	id     string
	Origin spool.Origin
	Header string // in one line
	Prompt string
	More   int // questions besides the first
	Branch string
	Draft  bool // something was said or typed already
	Status spool.Status
	err    error  // why it cannot be read
	text   string // what the filter looks in
}

// list is what waits. follow keeps it true; the view asks for what it shows.
type list struct {
	spool    *spool.Spool
	draw     atomic.Pointer[func()] // has the view draw again
	branches branches
	wake     chan struct{}

	mu     sync.Mutex // guards what follows
	err    error      // why the spool cannot be read
	ids    []string   // all that wait, oldest first
	turn   int        // counts the changes of ids and rows
	rows   map[string]*row
	wanted []string // those on view
	whole  bool     // all are wanted, for the filter
	told   []func() // to be run by the view
}

func newList(s *spool.Spool) *list {
	return &list{spool: s, wake: make(chan struct{}, 1), rows: map[string]*row{}}
}

// draws says how the view is told to draw from now on.
func (l *list) draws(draw func()) { l.draw.Store(&draw) }

func (l *list) changed() {
	if draw := l.draw.Load(); draw != nil {
		(*draw)()
	}
}

// tell has f run by the view, before it draws next.
func (l *list) tell(f func()) {
	l.mu.Lock()
	l.told = append(l.told, f)
	l.mu.Unlock()
	l.changed()
}

// want says what is on view: wanted are the ids on view, of which news are
// wanted from now on; whole wants all of them read once.
func (l *list) want(wanted []string, whole bool) {
	l.mu.Lock()
	same := slices.Equal(l.wanted, wanted) && l.whole == whole
	l.wanted, l.whole = slices.Clone(wanted), whole
	l.mu.Unlock()
	if !same {
		select {
		case l.wake <- struct{}{}:
		default:
		}
	}
}

// firstScreen is how many are read before the list is shown at all.
const firstScreen = 30

// begin reads what the first screen will most likely show, so that it is whole.
func (l *list) begin() {
	waiting, _, err := l.spool.Scan()
	l.mu.Lock()
	l.ids, l.err = waiting, err
	l.turn++
	l.mu.Unlock()
	l.load(waiting[:min(firstScreen, len(waiting))])
}

// follow keeps the list as the spool is, until ctx ends. Whether a popup or a
// bridge has died is not told by the file system: the locks of what is on view
// are looked at once a second, which is also when ages change.
func (l *list) follow(ctx context.Context) {
	watch := l.spool.Watch()
	defer func() { watch.Stop() }()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	ages := ""
	ready := make(chan struct{}) // always
	close(ready)
	var more <-chan struct{} // ready while the filter wants more
	for {
		select {
		case <-ctx.Done():
			return
		case <-watch.Changed:
			l.news()
		case <-l.wake:
			wanted, whole := l.asked()
			watch.Stop()
			watch = l.spool.Watch(wanted...)
			l.load(wanted)
			if more = nil; whole {
				more = ready
			}
		case <-more:
			if !l.loadSome() {
				more = nil
			}
		case now := <-tick.C:
			wanted, _ := l.asked()
			fresh := l.glance(wanted)
			if is := l.ages(wanted, now); fresh || is != ages {
				ages = is
				l.changed()
			}
		}
	}
}

func (l *list) asked() (wanted []string, whole bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.wanted, l.whole
}

// news takes in what has changed in the spool.
func (l *list) news() {
	waiting, _, err := l.spool.Scan()
	l.mu.Lock()
	l.turn++
	l.ids, l.err = waiting, err
	for id := range l.rows {
		if _, waits := slices.BinarySearch(waiting, id); !waits {
			delete(l.rows, id)
		}
	}
	wanted := l.wanted
	l.mu.Unlock()
	for _, id := range wanted {
		l.refresh(id)
	}
	l.changed()
}

// refresh looks at one entry again: it may be new, over, or changed inside.
func (l *list) refresh(id string) {
	e, err := l.spool.Open(id)
	waits := err == nil && !e.Status().Over()
	if err != nil && !errors.Is(err, spool.ErrNotFound) {
		waits = true // it is there, and cannot be read
	}
	if err == nil {
		e.Close()
	}
	l.mu.Lock()
	l.turn++
	at, known := slices.BinarySearch(l.ids, id)
	wanted := l.rows[id] != nil || slices.Contains(l.wanted, id) || l.whole
	switch {
	case waits && !known:
		l.ids = slices.Insert(l.ids, at, id)
	case !waits && known:
		l.ids = slices.Delete(l.ids, at, at+1)
		delete(l.rows, id)
	}
	l.mu.Unlock()
	if waits && wanted {
		l.put(read(l.spool, &l.branches, id))
	}
}

// put takes in a row, unless it went away meanwhile.
func (l *list) put(r *row) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, waits := slices.BinarySearch(l.ids, r.id); waits {
		l.rows[r.id] = r
		l.turn++
	}
}

// load reads those that are not read yet.
func (l *list) load(ids []string) {
	for _, id := range ids {
		l.mu.Lock()
		known := l.rows[id] != nil
		l.mu.Unlock()
		if !known {
			l.put(read(l.spool, &l.branches, id))
		}
	}
	l.changed()
}

// batch is how many are read for the filter before anything else has its turn.
const batch = 100

// loadSome reads some of what the filter wants, and reports whether there is more.
func (l *list) loadSome() (more bool) {
	l.mu.Lock()
	var missing []string
	for _, id := range l.ids {
		if !l.whole || len(missing) > batch {
			break
		}
		if l.rows[id] == nil {
			missing = append(missing, id)
		}
	}
	l.mu.Unlock()
	l.load(missing[:min(batch, len(missing))])
	return len(missing) > batch
}

// glance looks at the locks of these, and reports whether something is new.
func (l *list) glance(ids []string) (fresh bool) {
	for _, id := range ids {
		l.mu.Lock()
		was := l.rows[id]
		l.mu.Unlock()
		e, err := l.spool.Open(id)
		if was == nil || err != nil {
			fresh = fresh || err == nil
			l.refresh(id)
			if err == nil {
				e.Close()
			}
			continue
		}
		if s := e.Status(); s != was.Status {
			fresh = true
			if s.Over() {
				l.refresh(id)
			} else {
				now := *was
				now.Status = s
				l.put(&now)
			}
		}
		e.Close()
	}
	return fresh
}

// ages is how old these look.
func (l *list) ages(ids []string, now time.Time) string {
	var b strings.Builder
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range ids {
		if r := l.rows[id]; r != nil {
			b.WriteString(text.Age(now.Sub(r.Origin.Start)) + " ")
		}
	}
	return b.String()
}

// read reads one entry for the list.
func read(s *spool.Spool, branches *branches, id string) *row {
	r := &row{id: id, Header: id}
	e, err := s.Open(id)
	if err != nil {
		r.err = err
		return r
	}
	defer e.Close()
	req, err := e.Request()
	if err != nil {
		r.err = err
		return r
	}
	r.Origin, r.Header = req.Origin, text.OneLine(req.Form.Header(), 120)
	if n := len(req.Form.Questions); n > 0 {
		r.Prompt, r.More = text.OneLine(req.Form.Questions[0].Prompt, 400), n-1
	}
	r.Branch, r.Status = text.OneLine(branches.of(req.Origin.Cwd), 60), e.Status()
	var d machine.Draft
	if ok, err := e.Draft(&d); ok {
		r.Draft = d.Begun(&req.Form)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		r.Draft = true // there is one, of whatever kind
	}
	r.text = strings.ToLower(strings.Join([]string{r.Origin.Agent, r.Header, r.Prompt, r.Origin.Cwd, r.Branch, r.Origin.Pane, r.Origin.Host}, "\n"))
	return r
}
