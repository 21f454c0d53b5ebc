package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/machines/hub"
	"github.com/askpane/askpane/integrations/machines/trust"
	"github.com/askpane/askpane/settings"
)

// patience is how long anything may take before the run is given up.
const patience = time.Minute

// question is when something happened to one.
type question struct {
	asked, last, answered, got time.Time
	shown                      int // on how many machines; last was the last
}

func (q question) popup() time.Duration { return q.last.Sub(q.asked) }
func (q question) back() time.Duration  { return q.got.Sub(q.answered) }

// team is a hub, its machines, and all that was asked.
type team struct {
	options
	dir     string
	watched []*process // the hub, the desks, each person's machine
	agents  []*process
	spools  []*spool.Spool // the persons'
	waiting []string       // who waits, by id
	next    int            // how many have asked
	replies chan string    // of a process, to what was asked of it
	shown   chan string    // who was shown to all persons
	again   chan string    // who was shown once more, by a desk that has started again
	got     chan string    // who got an answer

	mu        sync.Mutex
	questions map[string]question
}

func newTeam(o options, dir string) *team {
	most := o.machines*o.each + (o.probes+1)*len(o.levels)
	return &team{options: o, dir: dir, replies: make(chan string, 1), shown: make(chan string, most), again: make(chan string, most), got: make(chan string, most), questions: map[string]question{}}
}

// process is one that plays a role.
type process struct {
	name string
	cmd  *exec.Cmd
	in   io.WriteCloser
	read chan struct{} // closed when it says no more
}

func (t *team) start(name, role string, args ...string) (*process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := &process{name: name, cmd: exec.Command(self, append([]string{role}, args...)...), read: make(chan struct{})}
	p.cmd.Stderr = os.Stderr
	p.cmd.Env = append(os.Environ(), "HOME="+t.dir, "XDG_STATE_HOME="+t.dir)
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	go func() {
		defer close(p.read)
		for in := bufio.NewScanner(out); in.Scan(); {
			t.hear(in.Text())
		}
	}()
	return p, nil
}

func (p *process) say(what, arg string) error {
	_, err := fmt.Fprintln(p.in, what, arg)
	return err
}

func (p *process) end() error {
	p.in.Close()
	<-p.read
	return p.cmd.Wait()
}

// end ends all processes, the hub last.
func (t *team) end() (err error) {
	for _, p := range slices.Backward(slices.Concat(t.watched, t.agents)) {
		err = errors.Join(err, p.end())
	}
	return err
}

// hear takes a line of a process.
func (t *team) hear(line string) {
	what, rest, _ := strings.Cut(line, " ")
	id, nanos, _ := strings.Cut(rest, " ")
	n, _ := strconv.ParseInt(nanos, 10, 64)
	at := time.Unix(0, n)
	switch what {
	case "asked":
		t.note(id, func(q *question) { q.asked = at })
	case "shown":
		t.note(id, func(q *question) {
			switch q.shown++; {
			case q.shown == t.sits:
				q.last = at
				t.shown <- id
			case q.shown > t.sits:
				t.again <- id
			}
		})
	case "got":
		t.note(id, func(q *question) { q.got = at })
		t.got <- id
	default:
		t.replies <- rest
	}
}

func (t *team) note(id string, change func(q *question)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	q := t.questions[id]
	change(&q)
	t.questions[id] = q
}

func (t *team) times(ids []string, of func(question) time.Duration) (all []time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, id := range ids {
		all = append(all, of(t.questions[id]))
	}
	return all
}

// reply is what a process says next.
func (t *team) reply() (string, error) {
	select {
	case r := <-t.replies:
		return r, nil
	case <-time.After(patience):
		return "", errors.New("a process does not answer")
	}
}

// take takes so many questions from shown or got.
func (t *team) take(from chan string, n int, into *[]string) error {
	for i := range n {
		select {
		case id := <-from:
			if into != nil {
				*into = append(*into, id)
			}
		case <-time.After(patience):
			return fmt.Errorf("of %d questions, %d are shown or answered, and then for a minute none", n, i)
		}
	}
	return nil
}

func machine(i int) string { return fmt.Sprintf("build%d", i) }
func person(i int) string  { return fmt.Sprintf("person%d", i) }
func desk(i int) string    { return fmt.Sprintf("the person's desk %d", i+1) }

func (t *team) of(name string) string { return filepath.Join(t.dir, name) }

// begin has the hub up, all machines join it by invites of the owner's, which is the
// person's first, and their links served.
func (t *team) begin() error {
	served, err := t.start("the hub", "hub", t.of("hub"))
	if err != nil {
		return err
	}
	t.watched = append(t.watched, served)
	line, err := t.reply()
	if err != nil {
		return err
	}
	desks, persons, err := t.join(line)
	if err != nil {
		return err
	}
	p, err := t.start(fmt.Sprintf("%d desks", t.machines), "desks", desks...)
	if err != nil {
		return err
	}
	t.watched = append(t.watched, p)
	for i, dir := range persons {
		if p, err = t.start(desk(i), "desks", dir); err != nil {
			return err
		}
		t.watched = append(t.watched, p)
		s, err := spool.Open(filepath.Join(dir, spoolDir))
		if err != nil {
			return err
		}
		t.spools = append(t.spools, s)
	}
	for range t.processes {
		if p, err = t.start("agents", "agents", t.dir); err != nil {
			return err
		}
		t.agents = append(t.agents, p)
	}
	return nil
}

func (t *team) join(line string) (desks, persons []string, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience+time.Duration(t.machines)*time.Second)
	defer cancel()
	inv, err := trust.ParseInvite(line)
	if err != nil {
		return nil, nil, err
	}
	owner := t.of(person(0))
	if _, err = hub.Join(ctx, filepath.Join(owner, linkDir), inv); err != nil {
		return nil, nil, err
	}
	admin, err := hub.Administer(ctx, filepath.Join(owner, linkDir), settings.Settings{})
	if err != nil {
		return nil, nil, err
	}
	defer admin.Close()
	joins := func(name string, person bool) string {
		if err == nil {
			inv, err = admin.Invite(ctx, name, person)
		}
		if err == nil {
			_, err = hub.Join(ctx, filepath.Join(t.of(name), linkDir), inv)
		}
		return t.of(name)
	}
	began := time.Now()
	for i := range t.machines {
		desks = append(desks, joins(machine(i), false))
	}
	fmt.Printf("%d machines have been invited and have joined in %.1f s\n", t.machines, time.Since(began).Seconds())
	persons = []string{owner}
	for i := 1; i < t.sits; i++ {
		persons = append(persons, joins(person(i), true))
	}
	return desks, persons, err
}

// restart has the person's last desk end, and start again: it shows all that wait.
func (t *team) restart() (took time.Duration, err error) {
	last := len(t.watched) - 1
	if err := t.watched[last].end(); err != nil {
		return 0, err
	}
	began := time.Now()
	if t.watched[last], err = t.start(desk(t.sits-1), "desks", t.of(person(t.sits-1))); err != nil {
		return 0, err
	}
	err = t.take(t.again, len(t.waiting), nil)
	return time.Since(began), err
}

// ask has the next machine ask.
func (t *team) ask() error {
	i := t.next
	t.next++
	return t.agents[i%len(t.agents)].say("ask", machine(i%t.machines))
}

func (t *team) ticker() *time.Ticker {
	return time.NewTicker(time.Duration(float64(time.Second) / t.rate))
}

// fill has so many questions more asked, and waits until they are shown.
func (t *team) fill(n int) error {
	tick := t.ticker()
	defer tick.Stop()
	for range n {
		<-tick.C
		if err := t.ask(); err != nil {
			return err
		}
	}
	return t.take(t.shown, n, &t.waiting)
}

// answer answers a question at one of the person's machines.
func (t *team) answer(id string) error {
	e, err := t.spools[t.next%len(t.spools)].Open(id)
	if err != nil {
		return err
	}
	defer e.Close()
	t.note(id, func(q *question) { q.answered = time.Now() })
	return e.Settle(form.Result{Outcome: form.Answered, Answers: []form.Answer{form.Choose(0)}, By: form.ByPopup, At: time.Now()})
}

// profiles begins profiles of that name in every process that is watched, and ends those
// that were begun.
func (t *team) profiles(name string) (err error) {
	for _, p := range t.watched {
		if t.profile == "" {
			return nil
		}
		path := ""
		if name != "" {
			path = filepath.Join(t.profile, strings.ReplaceAll(p.name, " ", "-")+"-"+name)
		}
		err = errors.Join(err, p.say("profile", path))
	}
	return err
}
