// Package codex follows the threads of Codex's daemon, for the questions that Codex asks with
// its own tools, and says where the daemon is and who serves it. What goes over the daemon's
// socket is in docs/dev/agents.md, Codex's own questions.
//
// The machine knows no socket, clock or form: messages come in, effects go out. The rule that
// must hold here: a question has at most one answer of ours, nothing is sent that changes a
// thread but that answer, and what is not understood is left to Codex's own dialog.
package codex

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// ErrStranger is of a socket behind which there is no daemon of Codex's that we understand.
var ErrStranger = errors.New("it does not answer as Codex's daemon does")

// Key names a question. Thread and Item are Codex's own names; Request is the JSON-RPC id,
// empty of an asynchronous question, which is an item of the thread and no request.
type Key struct{ Thread, Item, Request string }

// Question is one that Codex asks.
type Question struct {
	Key
	Cwd     string // of its thread
	Rollout string // the file in which Codex keeps the thread; empty where it keeps none
	Dialect string // of Raw
	Raw     []byte
}

// Async reports whether Codex goes on without the answer.
func (q Question) Async() bool { return q.Request == "" }

type (
	// Event tells the machine that something has happened: Opened, Received, Said.
	Event any
	// Opened: there is a new connection to the daemon.
	Opened struct{}
	// Said: the form of a question has ended. Where Answer is nil, nothing goes to Codex.
	Said struct {
		Key
		Answer   json.RawMessage // the details of a result in the question's dialect
		Declined bool
	}
)

type (
	// Effect is what is to be done: Send, Ask, End, Taken, Close.
	Effect any
	Send   struct{ Message }
	// Ask puts a question to the person.
	Ask struct{ Question }
	// End closes the form of a question: in Codex it is over. Withdrawn: its thread is.
	End struct {
		Key
		Withdrawn bool
	}
	// Taken says what has become of an answer. Err is nil where Codex has it.
	Taken struct {
		Key
		Err  error
		Sent json.RawMessage // what to compare with (ErrCompare)
	}
	// Close ends the connection.
	Close struct{ Err error }
)

// What Taken says beside errors of Codex's.
var (
	ErrOver    = errors.New("an answer is with Codex already")
	ErrCompare = errors.New("the thread's file tells whose answer it is") // whoever is told reads that
)

// Machine follows one daemon.
type Machine struct {
	version string

	calls     map[string]func(Received) // what handles each response that is awaited, by its id
	last      int                       // id of ours
	threads   map[string]*following
	questions map[Key]*asked
	effects   []Effect
}

// state says how it stands with a thread.
type state int

const (
	unknown state = iota
	reading       // thread/read or config/read has not been answered
	foreign       // Codex's settings for its directory do not have our server, or not switched on
	apart         // ours, and not subscribed to: nothing happens in it
	joining       // thread/resume has not been answered
	joined
)

type following struct {
	thread
	state       state
	servers     []string // those of ours, by their names in Codex's settings for its directory
	permissions bool     // are asked here, too
	active      bool
	turn        string // the one that runs; empty where none does or its name is not known
	// running has the items that were begun and have not ended.
	running map[string]item
}

// phase says how it stands with a question.
type phase int

const (
	open  phase = iota
	found       // in the thread, and nobody has been asked yet
	sent        // our answer is on its way
	over
)

type asked struct {
	Question
	phase
	ids  []string        // of the questions in the request
	sent json.RawMessage // the result that the request has got from us
	done []bool          // those of an asynchronous question that the person has answered in Codex

	*replies // of a permission, and no other question
	denied   bool
	reason   string // of the denial, or of declining a form, which follows as a message
}

// New follows a daemon for askpane of a version.
func New(version string) *Machine {
	return &Machine{version: version, threads: map[string]*following{}, questions: map[Key]*asked{}}
}

// Awaits reports whether the daemon has something to answer.
func (m *Machine) Awaits() bool { return len(m.calls) > 0 }

// Step handles an event.
func (m *Machine) Step(e Event) []Effect {
	m.effects = nil
	switch e := e.(type) {
	case Opened:
		m.opened()
	case Received:
		m.received(e)
	case Said:
		m.said(e)
	}
	return m.effects
}

func (m *Machine) emit(e Effect) { m.effects = append(m.effects, e) }

// call sends a request, whose response reply handles.
func (m *Machine) call(method string, params any, reply func(Received)) {
	m.last++
	id := strconv.Itoa(m.last)
	m.calls[id] = reply
	m.emit(Send{Message{ID: json.RawMessage(id), Method: method, Params: params}})
}

type object map[string]any

// noisy are notifications that nobody here reads, and of which there are many.
var noisy = []string{"item/agentMessage/delta", "item/plan/delta", "item/reasoning/textDelta", "item/reasoning/summaryTextDelta",
	"item/commandExecution/outputDelta", "item/fileChange/outputDelta", "turn/diff/updated", "thread/tokenUsage/updated"}

// opened says who we are and looks at the threads that are there. What was asked over an
// earlier connection goes on.
func (m *Machine) opened() {
	m.calls = map[string]func(Received){}
	for _, t := range m.threads {
		t.state = unknown
	}
	m.call("initialize", object{
		"clientInfo":   object{"name": "askpane", "title": "askpane", "version": m.version},
		"capabilities": object{"experimentalApi": true, "optOutNotificationMethods": noisy},
	}, func(r Received) {
		if r.Error != nil || read[result](r.Result).CodexHome == "" {
			m.emit(Close{ErrStranger})
			return
		}
		m.emit(Send{Message{Method: "initialized"}})
		m.call("thread/loaded/list", object{}, func(r Received) {
			for _, id := range read[result](r.Result).Data {
				m.read(m.thread(id))
			}
		})
	})
}

func (m *Machine) thread(id string) *following {
	t := m.threads[id]
	if t == nil {
		t = &following{thread: thread{ID: id}, running: map[string]item{}}
		m.threads[id] = t
	}
	return t
}

func (m *Machine) received(r Received) {
	switch reply, awaited := m.calls[string(r.ID)]; {
	case r.Method == "" && awaited:
		delete(m.calls, string(r.ID))
		reply(r)
	case r.Method == "": // an answer to nothing that we asked
	case r.ID != nil:
		m.requested(r)
	default:
		m.notified(r)
	}
}

func (m *Machine) notified(r Received) {
	p := read[params](r.Params)
	switch r.Method {
	case "thread/started":
		m.judge(m.thread(p.Thread.ID), p.Thread, false)
	case "thread/status/changed":
		m.changed(p)
	case "thread/closed":
		m.closed(p.ThreadID)
	case "turn/started":
		m.thread(p.ThreadID).turn = p.Turn.ID
	case "turn/completed":
		m.turnOver(m.thread(p.ThreadID))
	case "item/started":
		m.thread(p.ThreadID).running[p.Item.ID] = p.Item
	case "item/completed":
		m.ended(m.thread(p.ThreadID), p.Item)
		m.happened(m.thread(p.ThreadID), p.Item)
		m.askFound(p.ThreadID)
	case "serverRequest/resolved":
		m.resolved(p)
	}
}

// read asks what thread t is.
func (m *Machine) read(t *following) {
	t.state = reading
	m.call("thread/read", object{"threadId": t.ID, "includeTurns": false}, func(r Received) {
		if r.Error != nil {
			t.state = unknown
			return
		}
		m.judge(t, read[result](r.Result).Thread, true)
	})
}

// judge notes what a thread is, and asks for Codex's settings in its directory: it is ours where they have our
// server, switched on. Those that Codex runs for itself, as to find a title, keep nothing. It is joined at once,
// or when it works.
func (m *Machine) judge(t *following, is thread, atOnce bool) {
	t.thread, t.active = is, is.Status.Type == active
	switch {
	case is.Ephemeral:
		t.state = foreign
		return
	case t.state == joining || t.state == joined:
		return
	}
	t.state = reading
	m.call("config/read", object{"cwd": is.Cwd, "includeLayers": false}, func(r Received) {
		if t.state != reading || m.threads[t.ID] != t { // it was asked twice, or the thread is closed
			return
		}
		t.servers, t.permissions = ourServers(read[result](r.Result))
		switch {
		case r.Error != nil:
			t.state = unknown
		case t.servers == nil:
			t.state = foreign
		case atOnce || t.active:
			m.join(t)
		default:
			t.state = apart
		}
	})
}

// ourServers returns our servers in Codex's settings that are switched on, by their names there, and whether one of
// them has permissions asked, too.
func ourServers(in result) (names []string, permissions bool) {
	for name, server := range in.Config.Servers {
		ours := name == ourServer || strings.HasPrefix(filepath.Base(server.Command), ourServer) // under another name
		if ours && (server.Enabled == nil || *server.Enabled) {
			names, permissions = append(names, name), permissions || slices.Contains(server.Args, permissionsFlag)
		}
	}
	return names, permissions
}

// changed follows a thread as long as it works, or has a question of ours: to be subscribed to
// would keep the daemon from ever unloading it. The daemon tells of this without a subscription.
func (m *Machine) changed(p params) {
	if p.Status.Type == notLoaded {
		m.closed(p.ThreadID)
		return
	}
	t := m.thread(p.ThreadID)
	t.active = p.Status.Type == active
	switch {
	case !t.active:
		t.turn = ""
		m.leave(t)
	case t.state == unknown:
		m.read(t)
	case t.state == apart:
		m.join(t)
	}
}

// join subscribes to a thread; the daemon repeats the requests that are open. A thread that has
// had no turn yet cannot be subscribed to; it is tried again when it next works.
func (m *Machine) join(t *following) {
	t.state = joining
	m.call("thread/resume", object{"threadId": t.ID, "excludeTurns": true,
		"initialTurnsPage": object{"limit": 1, "itemsView": "full", "sortDirection": "desc"}}, func(r Received) {
		if r.Error != nil {
			t.state = apart
			return
		}
		is := read[result](r.Result)
		t.state, t.Rollout, t.active = joined, is.Thread.Rollout, is.Thread.Status.Type == active
		for _, last := range is.Page.Data {
			if last.Status == inProgress {
				t.turn = last.ID
			}
			for _, i := range last.Items {
				if i.Status == inProgress {
					t.running[i.ID] = i
				}
				m.happened(t, i)
			}
		}
		m.askFound(t.ID)
		m.leave(t)
	})
}

// leave ends the subscription to a thread in which nothing happens and nothing is asked.
func (m *Machine) leave(t *following) {
	if t.state != joined || t.active || slices.ContainsFunc(m.sorted(t.ID), func(q *asked) bool { return q.phase != over }) {
		return
	}
	t.state = apart
	m.call("thread/unsubscribe", object{"threadId": t.ID}, func(Received) {})
}

// closed forgets a thread; its questions are withdrawn.
func (m *Machine) closed(id string) {
	for _, q := range m.sorted(id) {
		if q.phase == open {
			m.emit(End{q.Key, true})
		}
		delete(m.questions, q.Key)
	}
	delete(m.threads, id)
}

// sorted lists the questions of a thread in one order.
func (m *Machine) sorted(thread string) (all []*asked) {
	for k, q := range m.questions {
		if k.Thread == thread {
			all = append(all, q)
		}
	}
	slices.SortFunc(all, func(a, b *asked) int { return slices.Compare([]string{a.Item, a.Request}, []string{b.Item, b.Request}) })
	return all
}
