package codex

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/askpane/askpane/bridge/text/hint"
)

// ourServer is the name under which askpane install puts our MCP server into Codex's settings,
// and begins that of its program.
const ourServer = "askpane"

// permissionsFlag is the argument there that has Codex's permissions asked, too: it is read in Codex's settings.
const permissionsFlag = "--permissions"

// approvals begins the ids of questions by which Codex has a tool of an MCP server allowed.
const approvals = "mcp_tool_call_approval"

// requested takes on a request that is a question. Any other is for Codex's own screen, and so is
// one that asks for a secret: Codex shows those, and sends them in clear.
func (m *Machine) requested(r Received) {
	p := read[params](r.Params)
	q := &asked{Question: Question{Key: Key{p.ThreadID, p.ItemID, string(r.ID)}}}
	taken := false
	switch {
	case r.Method == "item/tool/requestUserInput":
		taken = q.take(p.Questions)
	case r.Method != "mcpServer/elicitation/request":
		taken = m.wanted(q, r, p)
	case slices.Contains(m.thread(p.ThreadID).servers, p.ServerName) || p.Mode != "form": // of ours it is asked by us already
	case p.Meta.Approval != "":
		taken = m.wanted(q, r, p)
	default:
		q.Dialect, q.Raw = "elicitation", rawJSON(object{"message": p.Message, "requestedSchema": p.RequestedSchema, "serverName": p.ServerName})
		taken = true
	}
	if taken && m.questions[q.Key] == nil { // the daemon repeats those that are open
		m.ask(q)
	}
}

// take reads the questions of request_user_input, as they came.
func (q *asked) take(questions []json.RawMessage) bool {
	for _, raw := range questions {
		var one struct {
			ID     string `json:"id"`
			Secret bool   `json:"isSecret"`
		}
		if json.Unmarshal(raw, &one) != nil || one.Secret || strings.HasPrefix(one.ID, approvals) {
			return false
		}
		q.ids = append(q.ids, one.ID)
	}
	q.Dialect, q.Raw = "codex", rawJSON(object{"questions": questions})
	return len(questions) > 0
}

func (m *Machine) ask(q *asked) {
	t := m.thread(q.Thread)
	q.Cwd, q.Rollout = t.Cwd, t.Rollout
	m.questions[q.Key] = q
	m.emit(Ask{q.Question})
}

// happened follows an item of a thread, new or old: a question is found, or the person has written.
// A message that names no question speaks of all, but for ours, which has the reason of a denial.
func (m *Machine) happened(t *following, i item) {
	key := Key{Thread: t.ID, Item: i.ID}
	switch {
	case i.asks() && m.questions[key] == nil:
		m.questions[key] = &asked{phase: found, done: make([]bool, len(i.Questions)),
			Question: Question{Key: key, Dialect: "codex", Raw: rawJSON(object{"id": i.ID, "questions": i.Questions})}}
	case i.Type == "userMessage" && (i.answers() != nil || !strings.HasPrefix(i.ClientID, ourMessage)):
		named := i.answers()
		for _, q := range m.sorted(t.ID) {
			if q.Async() {
				m.answered(q, named)
			}
		}
	}
}

// answered notes that the person has answered those questions in Codex, all where none is named.
func (m *Machine) answered(q *asked, named []asyncID) {
	if q.phase != open && q.phase != found {
		return
	}
	for i := range q.done {
		q.done[i] = q.done[i] || named == nil || slices.ContainsFunc(named, func(id asyncID) bool { return id.item == q.Item && id.place == i })
	}
	if slices.Contains(q.done, false) {
		return
	}
	if q.phase == open {
		m.emit(End{Key: q.Key})
	}
	q.phase = over
}

// askFound asks the questions that were found and that nothing after them has answered.
func (m *Machine) askFound(thread string) {
	for _, q := range m.sorted(thread) {
		if q.phase == found {
			q.phase = open
			m.ask(q)
		}
	}
}

// resolved ends a request: it has an answer, or its turn was interrupted.
func (m *Machine) resolved(p params) {
	for _, q := range m.sorted(p.ThreadID) {
		if q.Async() || q.Request != string(p.RequestID) {
			continue
		}
		switch {
		case q.phase == open:
			m.emit(End{Key: q.Key})
		case q.phase == sent && q.replies != nil: // its item tells which decision counts
			continue
		case q.phase == sent && q.reason != "":
			m.write(q, q.reason, 0)
		case q.phase == sent && q.Dialect == "codex" && q.Rollout != "":
			m.emit(Taken{q.Key, ErrCompare, q.sent})
		case q.phase == sent:
			m.emit(Taken{Key: q.Key})
		}
		delete(m.questions, q.Key)
	}
	m.leave(m.thread(p.ThreadID))
}

// said sends an answer, unless Codex has one.
func (m *Machine) said(s Said) {
	q := m.questions[s.Key]
	if q == nil || q.phase != open {
		m.emit(Taken{Key: s.Key, Err: ErrOver})
		return
	}
	q.phase = sent
	switch {
	case s.Answer == nil, q.Async() && q.message(s.Answer) == "":
		m.finish(q, nil)
	case q.replies != nil:
		m.decide(q, s.Answer)
	case q.Async():
		m.write(q, q.message(s.Answer), 0)
	default:
		q.sent = rawJSON(q.result(s))
		m.emit(Send{Message{ID: json.RawMessage(q.Request), Result: q.sent}})
	}
}

// finish has an answer over and done with, for which nothing more is to come.
func (m *Machine) finish(q *asked, err error) {
	q.phase = over
	m.emit(Taken{Key: q.Key, Err: err})
	m.leave(m.thread(q.Thread))
}

// declined is told where the person has declined and given no reason. An error in place of a
// result would reach the model as no answer at all.
const declined = "user_note: the person declined to answer"

// result is what the request gets: the answers as the dialect has them.
func (q *asked) result(s Said) any {
	if q.Dialect == "elicitation" {
		d := read[map[string]json.RawMessage](s.Answer)
		q.reason = read[string](d["reason"]) // which the protocol has no place for
		return object{"action": d["action"], "content": d["content"]}
	}
	answers := AnswersOf[map[string]json.RawMessage](s.Answer)
	if s.Declined && len(answers) == 0 {
		answers = map[string]json.RawMessage{}
		for _, id := range q.ids {
			answers[id] = rawJSON(object{"answers": []string{declined}})
		}
	}
	return object{"answers": answers}
}

// AnswersOf returns the answers in a dialect's details, or in what Codex keeps of a request: by the
// questions' ids, or, of an item, a list.
func AnswersOf[T any](details json.RawMessage) T { return read[struct{ Answers T }](details).Answers }

// message returns what the person writes, but for what they have answered in Codex meanwhile. Of a question that was
// left open it says nothing, as Codex's own picker; it is empty where it says nothing at all.
func (q *asked) message(details json.RawMessage) string {
	var left []string
	for i, a := range AnswersOf[[]json.RawMessage](details) {
		if read[struct{ Answer string }](a).Answer != "" && (i >= len(q.done) || !q.done[i]) {
			left = append(left, string(a))
		}
	}
	if left == nil {
		return ""
	}
	return opening + "[" + strings.Join(left, ",") + "]" + closing
}

// write sends a message of the person's: into the turn that runs, else as a new one. A turn may
// end or begin just then: Codex refuses the message, and it goes the other way, once.
func (m *Machine) write(q *asked, text string, tried int) {
	t := m.thread(q.Thread)
	p := object{"threadId": q.Thread, "clientUserMessageId": ourMessage + q.Item + q.Request,
		"input": []any{object{"type": "text", "text": text, "text_elements": []any{}}}}
	method := "turn/start"
	if t.turn != "" {
		method, p["expectedTurnId"] = "turn/steer", t.turn
	}
	m.call(method, p, func(r Received) {
		switch {
		case r.Error == nil:
			m.finish(q, nil)
		case tried == 0:
			if method == "turn/steer" {
				t.turn = ""
			}
			m.write(q, text, 1)
		default:
			m.finish(q, errors.New("Codex does not take the answer: "+r.Error.Message))
		}
	})
}

func rawJSON(v any) json.RawMessage { return json.RawMessage(hint.JSON(v)) }
