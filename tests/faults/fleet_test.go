package faults

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/askpane/askpane/integrations/machines/trust"
)

// TestFleetFaults plays schedules on several machines with a hub: real programs, each
// machine with a home and a spool of its own, and a network between that fails.
func TestFleetFaults(t *testing.T) {
	n := share(40)
	if testing.Short() {
		n = (n + 9) / 10
	}
	play(t, n, 2**atOnce, func(s *script) schedule { return &fleet{script: s} })
}

// A desk that was killed is no desk any more, though its lock is let go of last.
func TestKilledDesk(t *testing.T) {
	w := &fleet{script: newScript(1), dir: t.TempDir(), net: newNetwork("127.0.0.1:1")}
	m, err := w.machine("laptop", true)
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		m.startDesk()
		if !until(m.hasDesk) {
			said, _ := os.ReadFile(filepath.Join(m.home, "desk.err"))
			t.Fatalf("there is no desk; the lock is of process %d, of the machine are %v, and they said %q", m.deskLock(), processes(m.spool), said)
		}
		if !w.strikeDeskOf(m) || m.hasDesk() {
			t.Error("there is a desk, and it was killed")
		}
	}
	if w.end(); len(w.wrong) > 0 {
		t.Error(w.wrong)
	}
}

// fleet is where one schedule is played that has several machines in it.
type fleet struct {
	*script
	dir      string
	at       string // where the hub listens
	hub      *proc
	net      *network
	machines []*machine // the first is the owner's, with the hub
	asked    []*asked
	frozen   []stray
	lostDisk bool // the hub has
}

// asked is one question of an agent, which may ask it again and again.
type asked struct {
	*machine // where it is asked
	name     string
	calls
	said  map[int]bool // options that somebody has begun to choose
	given []*try       // what somebody knows is taken
	got   []delivery
}

func (w *fleet) play() {
	defer w.end()
	if err := w.open(); err != nil {
		w.fail("the stage: %v", err)
		return
	}
	for range 1 + w.rng.IntN(2) {
		w.askNew()
	}
	takeSteps(w.script, 10+w.rng.IntN(18), fleetSteps, w)
	if len(w.wrong) > 0 {
		return
	}
	w.drain()
	if len(w.wrong) == 0 {
		w.check()
	}
}

// open sets up the hub and the machines.
func (w *fleet) open() (err error) {
	if w.dir, err = os.MkdirTemp("", "ap"); err != nil {
		return err
	}
	if w.dir, err = filepath.EvalSymlinks(w.dir); err != nil {
		return err
	}
	// An address of its own, whose port nobody else is given while the hub is down.
	pid, number := os.Getpid(), int(w.number)
	w.at = fmt.Sprintf("127.%d.%d.%d:4222", 1+pid%250, (pid/250+number/250)%250, 1+number%250)
	w.net = newNetwork(w.at)
	laptop, err := w.machine("laptop", true)
	if err == nil {
		_, err = laptop.must("", "hub", "init", "--name", laptop.name, "--listen", w.at)
	}
	if err == nil {
		err = laptop.redirect()
	}
	if err != nil {
		return err
	}
	w.startHub()
	if err = w.join("build1", false); err == nil && w.chance(30) {
		err = w.join("desktop", true)
	}
	for _, m := range w.machines {
		if m.byHand = m.person || w.chance(60); m.byHand {
			m.startDesk()
		}
	}
	return err
}

func (w *fleet) machine(name string, person bool) (*machine, error) {
	m := &machine{fleet: w, name: name, home: filepath.Join(w.dir, name), person: person}
	m.spool = filepath.Join(m.home, "spool")
	err := os.Mkdir(m.home, 0o700)
	if err == nil {
		m.way, err = w.net.way(name, w.rng.Uint64())
	}
	w.machines = append(w.machines, m)
	return m, err
}

// join invites a machine and has it join.
func (w *fleet) join(name string, person bool) error {
	m, err := w.machine(name, person)
	if err != nil {
		return err
	}
	args := []string{"hub", "invite", name, "--url", m.way.url()}
	if person {
		args = append(args, "--person")
	}
	line := ""
	if !until(func() bool { line, err = w.machines[0].must("", args...); return err == nil }) { // the hub is just coming up
		return err
	}
	_, err = m.must(line, "join")
	return err
}

// redirect has the owner's machine, too, reach the hub by its way through our network.
func (m *machine) redirect() error {
	path := m.state("link", "link.json")
	data, err := os.ReadFile(path)
	var link map[string]json.RawMessage
	if err == nil {
		err = json.Unmarshal(data, &link)
	}
	if err != nil {
		return err
	}
	link["url"], _ = json.Marshal(m.way.url())
	if data, err = json.Marshal(link); err == nil {
		err = os.WriteFile(path, data, 0o600)
	}
	if err == nil {
		_, err = trust.Load(m.state("link"))
	}
	return err
}

// startHub starts the hub.
func (w *fleet) startHub() {
	cmd := w.machines[0].command("hub")
	said, err := os.OpenFile(filepath.Join(w.dir, "hub.err"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err == nil {
		defer said.Close()
		cmd.Stderr = said
		w.hub, err = w.start(cmd)
	}
	if err != nil {
		w.fail("the hub: %v", err)
	}
}

// end takes the fleet away, whatever is left in it.
func (w *fleet) end() {
	for _, m := range w.machines {
		w.endAll(m.spool)
		if m.way != nil {
			m.way.end()
		}
	}
	w.endStarted()
	if w.net != nil {
		w.net.serveHeld(w.rng)
		w.net.pipes.Wait()
	}
	if len(w.wrong) > 0 {
		w.tell("on the disks:\n%s", w.disks())
	}
	for _, q := range w.asked {
		w.said += q.calls.String()
	}
	if err := os.RemoveAll(w.dir); err != nil {
		w.fail("clean up: %v", err)
	}
}

// disks are the machines' spools, and what their links say.
func (w *fleet) disks() string {
	var b strings.Builder
	for _, m := range w.machines {
		fmt.Fprintf(&b, "%s:\n%s", m.name, listing(m.spool))
		for _, path := range []string{m.state("link", "status.json"), m.state("askpane.log"), filepath.Join(m.home, "desk.err")} {
			if data, err := os.ReadFile(path); !errors.Is(err, os.ErrNotExist) {
				fmt.Fprintf(&b, "  %s: %s\n", filepath.Base(path), data[max(0, len(data)-4000):])
			}
		}
	}
	data, _ := os.ReadFile(filepath.Join(w.dir, "hub.err"))
	return fmt.Sprintf("%shub: %s\n", b.String(), data[max(0, len(data)-4000):])
}

// askNew has an agent ask something new: mostly on the machine that only asks.
func (w *fleet) askNew() bool {
	m := oneOf(w.script, w.machines...)
	if w.chance(70) {
		m = w.machines[1]
	}
	q := &asked{machine: m, name: w.newName(), said: map[int]bool{}}
	w.asked = append(w.asked, q)
	q.ask()
	return true
}

// ask makes a tool call.
func (q *asked) ask() {
	c := &call{name: fmt.Sprintf("%s, call %d", q.name, len(q.calls)+1), dir: filepath.Join(q.home, fmt.Sprintf("%s-%d", q.name, len(q.calls)))}
	args := []string{"ask", "--agent", q.name}
	if c.timed = q.chance(8); c.timed {
		args = append(args, "--timeout", fmt.Sprintf("%.1f", 0.3+q.rng.Float64()*3))
	}
	cmd := q.command(args...)
	err := c.files(cmd, requestOf(q.name))
	if err == nil {
		c.proc, err = q.start(cmd)
	}
	if err != nil {
		q.fail("%v", err)
		return
	}
	for _, f := range []any{cmd.Stdout, cmd.Stderr} {
		f.(*os.File).Close()
	}
	before := len(q.entries())
	q.calls = append(q.calls, c)
	q.tell("%s on %s asks %v", c.name, q.machine.name, args[3:])
	if q.chance(7) {
		q.moment(60)
		c.signal(syscall.SIGKILL)
		return
	}
	if !until(func() bool { return c.over() || len(q.entries()) > before || len(q.entries()) > 0 && q.taken() }) {
		q.fail("%s is not in the spool", c.name)
	}
}

// taken reports whether a call waits for one of the question's entries.
func (q *asked) taken() bool {
	return slices.ContainsFunc(q.entries(), func(r *record) bool { return held(filepath.Join(q.spool, r.id, "bridge.lock")) })
}

// entries are those of the question where it was asked.
func (q *asked) entries() (all []*record) {
	for _, id := range q.ids() {
		for _, dir := range []string{filepath.Join(q.spool, id), filepath.Join(q.spool, "history", id)} {
			if data, _ := os.ReadFile(filepath.Join(dir, "request.json")); strings.Contains(string(data), q.name) {
				if r := q.look(id); r != nil && r.away == "" {
					all = append(all, r)
				}
				break
			}
		}
	}
	slices.SortFunc(all, func(a, b *record) int { return strings.Compare(a.id, b.id) })
	return all
}

// open are the entries that have no answer where they were asked.
func (q *asked) open() (ids []string) {
	for _, r := range q.entries() {
		if r.Outcome == "" {
			ids = append(ids, r.id)
		}
	}
	return ids
}

// places are where an entry can be answered now.
func (q *asked) places(id string) (all []*machine) {
	for _, m := range q.machines {
		if r := m.look(id); r != nil && r.waits && r.Outcome == "" {
			all = append(all, m)
		}
	}
	return all
}
