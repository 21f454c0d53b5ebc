package main

import (
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/tests/visitor"
)

// eventTarget is how late what happens may be on any page that shows it.
const eventTarget = 500 * time.Millisecond

// looker is a page that is looked at all the time.
type looker struct {
	*visitor.Tab
	mu    sync.Mutex
	shown string
	want  string
	seen  chan time.Time
}

func (l *looker) look() {
	for {
		view, err := l.See()
		if err != nil {
			return // it is closed; who waits for it says so
		}
		l.mu.Lock()
		l.shown = view
		l.found()
		l.mu.Unlock()
	}
}

func (l *looker) found() {
	if l.want != "" && strings.Contains(l.shown, l.want) {
		l.want = ""
		l.seen <- time.Now()
	}
}

// crowd is many open pages and many questions that wait.
type crowd struct {
	stand
	entries       []*spool.Entry
	pages         []*looker
	inbox, past   []*looker
	pairs         [][2]*looker // two pages of one question
	events        map[string][]time.Duration
	waiting, next int
}

// crowd has so many pages open while so many questions wait, a quarter of them the inbox,
// a quarter the history and the others in pairs a question each, and measures how late
// they show what happens. It fails where anything is later than it may be.
func (s stand) crowd(pages, questions int) error {
	c := &crowd{stand: s, events: map[string][]time.Duration{}}
	defer c.close()
	for range questions {
		if err := c.asks(); err != nil {
			return err
		}
	}
	for i := range pages / 4 {
		for _, at := range []string{"", "h", c.entries[i].ID, c.entries[i].ID} {
			if err := c.opens(at); err != nil {
				return err
			}
		}
	}
	for i := range c.pairs {
		if err := c.happens(i); err != nil {
			return err
		}
	}
	var late error
	for _, what := range []string{asked, typed, answered} {
		all := c.events[what]
		report(fmt.Sprintf("%d pages, %d questions: %s", pages, questions, what), all, eventTarget, true)
		if most := slices.Max(all); most > eventTarget {
			late = errors.Join(late, fmt.Errorf("%s: %v late", what, most))
		}
	}
	return late
}

const (
	asked    = "a new question is in every inbox"
	typed    = "what is typed on one page is on the other"
	answered = "an answer is on the other page, in every inbox and history"
)

// asks asks one more question.
func (c *crowd) asks() error {
	c.next++
	request := fmt.Sprintf(`{"questions":[{"id":"t","type":"text","label":"Shed %d","prompt":"What is in shed %[1]d?"}]}`, c.next)
	_, f, err := dialect.Decode("", []byte(request))
	if err != nil {
		return err
	}
	e, err := c.spool.Create(spool.Request{Form: f, Raw: []byte(request), Origin: spool.Origin{Agent: "bench", Start: time.Now()}})
	if err == nil {
		c.entries = append(c.entries, e)
		c.waiting++
	}
	return err
}

// opens opens a page.
func (c *crowd) opens(at string) error {
	link, err := exec.Command(c.askpane, "page", "--link").Output()
	if err != nil {
		return fmt.Errorf("askpane page: %w", err)
	}
	tab, view, err := visitor.Open(strings.TrimSpace(string(link)), at)
	if err != nil {
		return err
	}
	l := &looker{Tab: tab, shown: view, seen: make(chan time.Time, 1)}
	go l.look()
	c.pages = append(c.pages, l)
	last := len(c.pairs) - 1
	switch {
	case at == "":
		c.inbox = append(c.inbox, l)
	case at == "h":
		c.past = append(c.past, l)
	case last >= 0 && c.pairs[last][1] == nil:
		c.pairs[last][1] = l
	default:
		c.pairs = append(c.pairs, [2]*looker{l})
	}
	return nil
}

// happens has one question come, and another typed to and answered.
func (c *crowd) happens(i int) error {
	one, other := c.pairs[i][0], c.pairs[i][1]
	count := func(n int) string { return fmt.Sprintf(">%d waiting<", n) }
	words := fmt.Sprintf("%d spades", i)
	return errors.Join(
		c.measure(asked, c.asks, map[string][]*looker{count(c.waiting + 1): c.inbox}),
		c.measure(typed, func() error { return one.Type(words) }, map[string][]*looker{words: {other}}),
		c.measure(answered, func() error {
			c.waiting--
			return one.Do("accept", 0)
		}, map[string][]*looker{"answered in the browser": {other}, count(c.waiting - 1): c.inbox, fmt.Sprintf("Shed %d<", i+1): c.past}))
}

// measure is how long it takes until all pages show what they are to.
func (c *crowd) measure(what string, do func() error, where map[string][]*looker) error {
	for want, pages := range where {
		for _, l := range pages {
			l.mu.Lock()
			l.want = want
			l.mu.Unlock()
		}
	}
	began := time.Now()
	if err := do(); err != nil {
		return err
	}
	limit := time.After(patience)
	var most time.Duration
	for want, pages := range where {
		for _, l := range pages {
			select {
			case at := <-l.seen:
				most = max(most, at.Sub(began))
			case <-limit:
				return fmt.Errorf("%s: a page never shows %q, but %q", what, want, l.shown)
			}
		}
	}
	c.events[what] = append(c.events[what], most)
	return nil
}

func (c *crowd) close() {
	for _, l := range c.pages {
		l.Close()
	}
	for _, e := range c.entries {
		e.Close()
	}
}
