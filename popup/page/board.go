package page

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/watch"
	"github.com/askpane/askpane/popup/record"
)

// board lists what waits, for all pages together: it reads the spool once for each change,
// and only while a page is open.
type board struct {
	sp      *spool.Spool
	changed <-chan struct{}
	change  func() // tells by changed that an entry on view has changed

	mu      sync.Mutex
	ids     []string // oldest first
	broken  error    // why there may be more
	rows    map[string]*record.Row
	gone    map[string]<-chan struct{} // closed when the question's agent has gone
	watched map[string]func()          // the rows on view, and what ends their watching
	lists   map[wanted]*list           // what pages show; made anew at each change
	subs    map[<-chan struct{}]func() // what tells the pages that are open
	stop    chan struct{}              // nil while nobody looks
	running sync.WaitGroup
}

// scanPause lets changes gather before the spool is read again.
const scanPause = 100 * time.Millisecond

// wanted says which questions a page lists.
type wanted struct {
	search string // is in them
	rows   int    // at most
	past   bool   // those that are over
}

// A page lists someRows questions at first, and mostRows at last.
const someRows, mostRows = 100, 5000

// further returns the address of a page that lists more, by the name of its search.
func (w wanted) further(search string) string {
	return fmt.Sprintf("#%s=%s&n=%d", search, url.QueryEscape(w.search), w.rows+someRows)
}

func newBoard(sp *spool.Spool) *board {
	changed, change := watch.Merged()
	return &board{sp: sp, changed: changed, change: change, gone: map[string]<-chan struct{}{}, subs: map[<-chan struct{}]func(){}}
}

// subscribe tells of changes until stop.
func (b *board) subscribe() (news <-chan struct{}, stop func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c, tell := watch.Merged()
	b.subs[c] = tell
	if b.stop == nil {
		b.stop, b.rows, b.watched = make(chan struct{}), map[string]*record.Row{}, map[string]func(){}
		w, ended := b.sp.Watch(), b.stop
		b.scan()
		b.running.Go(func() { b.run(w, ended) })
	}
	return c, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if delete(b.subs, c); len(b.subs) == 0 && b.stop != nil {
			b.unwatch()
		}
	}
}

// unwatch ends all watching, since no page is open.
func (b *board) unwatch() {
	close(b.stop)
	b.stop = nil
	for _, end := range b.watched {
		end()
	}
}

func (b *board) close() {
	b.mu.Lock()
	if b.stop != nil {
		b.unwatch()
	}
	b.mu.Unlock()
	b.running.Wait()
}

func (b *board) run(w *spool.Watch, ended chan struct{}) {
	defer w.Stop()
	for {
		select {
		case <-ended:
			return
		case <-w.Changed:
		case <-b.changed:
		}
		b.mu.Lock()
		if b.stop == ended {
			b.scan()
			for _, tell := range b.subs {
				tell()
			}
		}
		b.mu.Unlock()
		select {
		case <-ended:
		case <-time.After(scanPause):
		}
	}
}

// scan reads which questions wait.
func (b *board) scan() {
	b.ids, _, b.broken = b.sp.Scan()
	b.lists = map[wanted]*list{}
	for id := range b.rows {
		if _, waits := slices.BinarySearch(b.ids, id); !waits {
			delete(b.rows, id)
			delete(b.gone, id)
			if end := b.watched[id]; end != nil {
				end()
				delete(b.watched, id)
			}
		}
	}
}

// others counts the questions that wait beside one, and returns the one that comes after it.
func (b *board) others(id string) (n int, next string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i, found := slices.BinarySearch(b.ids, id)
	if n = len(b.ids); found {
		n--
	}
	if n == 0 {
		return 0, ""
	}
	if found {
		i++
	}
	return n, b.ids[i%len(b.ids)]
}

// list is drawn once for all pages that want the same.
type list struct {
	once sync.Once
	view view
}

func (b *board) list(w wanted, draw func(wanted) view) view {
	b.mu.Lock()
	l := b.lists[w]
	if l == nil {
		l = &list{}
		b.lists[w] = l
	}
	b.mu.Unlock()
	l.once.Do(func() { l.view = draw(w) })
	return l.view
}

// draw reads what a page shows of the inbox and renders it.
func (b *board) draw(w wanted) view {
	b.mu.Lock()
	defer b.mu.Unlock()
	shown, all, filter := []*record.Row{}, 0, w.search
	for _, id := range b.ids {
		if filter == "" && len(shown) == w.rows {
			all = len(b.ids)
			break
		}
		r := b.read(id, filter == "")
		if filter != "" && !strings.Contains(r.Text, strings.ToLower(filter)) {
			continue
		}
		if all++; len(shown) < w.rows {
			shown = append(shown, b.read(id, true))
		}
	}
	return inboxView(shown, all, len(b.ids), w, b.broken)
}

// read returns a row as it was read last, and one on view as it is now. Once the board is
// closed nothing is watched: nobody would end that.
func (b *board) read(id string, onView bool) *record.Row {
	watches := onView && b.stop != nil && b.watched[id] == nil && b.watch(id) // from before it is read
	if b.rows[id] == nil || watches {
		b.rows[id] = record.ReadRow(b.sp, id)
	}
	return b.rows[id]
}

// watch has a row read again as soon as something happens to its question, once.
func (b *board) watch(id string) bool {
	e, err := b.sp.Open(id)
	if err != nil {
		return false
	}
	defer e.Close()
	w, ended := e.Watch(), make(chan struct{})
	<-w.Changed // there may be something to read, and it is going to be read
	gone := b.gone[id]
	if gone == nil && !e.Status().AgentGone {
		gone = e.AgentGone() // ends by itself, so there is one for each question
		b.gone[id] = gone
	}
	b.watched[id] = sync.OnceFunc(func() { close(ended) })
	b.running.Go(func() {
		defer w.Stop()
		died := false
		select {
		case <-ended:
			return
		case <-w.Changed:
		case <-gone:
			died = true
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		if died {
			delete(b.gone, id)
		}
		delete(b.watched, id)
		delete(b.rows, id)
		b.change()
	})
	return true
}
