package codex

import (
	"encoding/json"
	"maps"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/askpane/askpane/bridge/text/hint"
	"github.com/askpane/askpane/integrations/agents/tools"
)

// replies has, for each decision, what the request of a permission gets.
type replies struct {
	once, deny any
	always     []any // in the order of the rules that are shown
}

// decision is the reply that names one, in Codex's words.
func decision(named any) object { return object{"decision": named} }

// wanted takes on a request for a permission, where those are asked here.
func (m *Machine) wanted(q *asked, r Received, p params) bool {
	t := m.thread(p.ThreadID)
	switch {
	case !t.permissions:
		return false
	case r.Method == "item/commandExecution/requestApproval":
		return q.takeCommand(r.Params, p)
	case r.Method == "item/fileChange/requestApproval":
		return q.takeChange(r.Params, p, t.running[p.ItemID], t.Cwd)
	}
	return p.Meta.Approval == "mcp_tool_call" && q.takeCall(p, m.callOf(t, p), t.Cwd)
}

// takeCommand reads the request for a command. What it has beside the members that are shown could
// be allowed unseen, and so it is left to Codex.
func (q *asked) takeCommand(raw json.RawMessage, p params) (offered bool) {
	const shown = "kind threadId turnId itemId startedAtMs environmentId reason command cwd commandActions proposedExecpolicyAmendment availableDecisions"
	if !only(raw, shown) || p.Kind != "command" || p.Environment != "local" || p.Command == "" {
		return false
	}
	q.replies = &replies{once: decision("accept"), deny: decision("decline")}
	var rules []string
	for _, one := range p.Decisions {
		prefix := read[map[string]map[string][]string](one)["acceptWithExecpolicyAmendment"]["execpolicy_amendment"]
		switch word := read[string](one); {
		case word == "accept":
			offered = true
		case word == "acceptForSession":
			rules, q.replies.always = append(rules, "this command, for this session"), append(q.replies.always, decision(one))
		case len(prefix) > 0:
			var words []string
			for _, w := range prefix {
				words = append(words, hint.Word(w))
			}
			rules, q.replies.always = append(rules, "commands that begin with "+strings.Join(words, " ")+", in every session"), append(q.replies.always, decision(one))
		}
	}
	q.wants("exec_command", p.Cwd, p.Reason, rules, object{"command": script(p.Command)})
	return offered
}

// takeChange reads the request for a change of files, which the item i is. A file that moves is
// left to Codex.
func (q *asked) takeChange(raw json.RawMessage, p params, i item, dir string) bool {
	if !only(raw, "threadId turnId itemId startedAtMs reason") || i.Type != "fileChange" || len(i.Changes) == 0 {
		return false
	}
	var files []object
	for _, c := range i.Changes {
		f := object{"path": c.Path}
		switch parts, ok := hunks(c.Diff); {
		case c.Kind.Type == "add":
			f["content"] = c.Diff
		case c.Kind.Type == "delete":
			f["remove"] = true
		case c.Kind.Type == "update" && c.Kind.To == "" && ok:
			f["replace"] = parts
		default:
			return false
		}
		files = append(files, f)
	}
	q.replies = &replies{once: decision("accept"), deny: decision("decline"), always: []any{decision("acceptForSession")}}
	q.wants("apply_patch", dir, p.Reason, []string{"changes of these files, for this session"}, object{"files": files})
	return true
}

// takeCall reads the elicitation by which Codex has a tool of an MCP server allowed.
func (q *asked) takeCall(p params, item, dir string) bool {
	var schema struct{ Properties map[string]any }
	if json.Unmarshal(p.RequestedSchema, &schema) != nil || len(schema.Properties) > 0 || item == "" {
		return false
	}
	q.Item = item
	reply := func(meta any) object { return object{"action": "accept", "content": object{}, "_meta": meta} }
	q.replies = &replies{once: reply(nil), deny: object{"action": "decline", "content": nil, "_meta": nil}}
	var rules []string
	for _, where := range []struct{ persist, words string }{{"session", "for this session"}, {"always", "in every session"}} {
		if slices.Contains(p.Meta.Persist, where.persist) {
			rules = append(rules, p.Meta.Tool+" of the MCP server "+p.ServerName+", "+where.words)
			q.replies.always = append(q.replies.always, reply(object{"persist": where.persist}))
		}
	}
	q.wants("mcp__"+p.ServerName+"__"+p.Meta.Tool, dir, "", rules, object{"arguments": arguments(p.Meta.Arguments)})
	return true
}

// callOf finds the call that an elicitation would have allowed and does not name: one that runs,
// of the same tool with the same arguments, and that nobody has been asked about.
func (m *Machine) callOf(t *following, p params) string {
	for _, id := range slices.Sorted(maps.Keys(t.running)) {
		i := t.running[id]
		same := i.Type == "mcpToolCall" && i.Server == p.ServerName && i.Tool == p.Meta.Tool &&
			reflect.DeepEqual(read[any](arguments(i.Arguments)), read[any](arguments(p.Meta.Arguments)))
		if same && !slices.ContainsFunc(m.sorted(t.ID), func(q *asked) bool { return q.Item == id }) {
			return id
		}
	}
	return ""
}

// arguments are those of a call, which may have none.
func arguments(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || string(raw) == "null" {
		return json.RawMessage("{}")
	}
	return raw
}

// wants puts the question in the words of the dialect permission; subject is what is to be allowed.
func (q *asked) wants(tool, dir, why string, rules []string, subject object) {
	subject["tool"], subject["directory"], subject["why"], subject["always"] = tool, dir, why, rules
	q.Dialect, q.Raw = "permission", rawJSON(subject)
}

// only reports whether an object has no members but those named, and some that are null.
func only(raw json.RawMessage, names string) bool {
	var members map[string]any
	if json.Unmarshal(raw, &members) != nil {
		return false
	}
	for name, value := range members {
		if value != nil && !slices.Contains(strings.Fields(names), name) {
			return false
		}
	}
	return true
}

// script returns what a command has a shell of the system run, where its quotes leave no doubt of
// that; else the command.
func script(command string) string {
	shell, rest, is := strings.Cut(command, " -lc ")
	if dir := path.Dir(shell); !is || dir != "/bin" && dir != "/usr/bin" || !slices.Contains([]string{"bash", "sh", "zsh"}, path.Base(shell)) {
		return command
	}
	if found := quoted().FindStringSubmatch(rest); found != nil {
		return found[1] + found[2] + found[3]
	}
	return command
}

// quoted matches what one pair of quotes, single or double, holds as it is, and what needs none.
var quoted = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("\\A(?:'([^']+)'|\"([^\"$`\\\\!]+)\"|([\\w./:=@%+,-]+))\\z")
})

var hunk = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@.*\n`) })

// hunks reads a unified diff as parts that are replaced, each at its line after those before.
func hunks(diff string) (parts []object, ok bool) {
	heads := hunk().FindAllStringSubmatchIndex(diff, -1)
	if heads == nil || heads[0][0] != 0 {
		return nil, false
	}
	for i, head := range heads {
		end := len(diff)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		lines := slices.Collect(strings.Lines(diff[head[1]:end]))
		if slices.ContainsFunc(lines, func(l string) bool { return !strings.Contains(" -+\\", l[:1]) }) {
			return nil, false
		}
		line, _ := strconv.Atoi(diff[head[2]:head[3]])
		parts = append(parts, object{"old": side(lines, '-'), "new": side(lines, '+'), "line": max(line, 1)})
	}
	return parts, true
}

// side returns the text that a hunk has before, with the sign -, or afterwards, with +.
func side(lines []string, sign byte) string {
	var text strings.Builder
	for i, l := range lines {
		if l[0] != ' ' && l[0] != sign {
			continue
		}
		if i+1 < len(lines) && lines[i+1][0] == '\\' { // “No newline at end of file”
			l = strings.TrimSuffix(l, "\n")
		}
		text.WriteString(l[1:])
	}
	return text.String()
}

// decide sends what the person has decided; nothing where they leave it to Codex's own prompt.
func (m *Machine) decide(q *asked, details json.RawMessage) {
	d, reply := read[tools.Decided](details), q.replies.once
	switch {
	case d.Decision == "deny":
		reply, q.denied, q.reason = q.replies.deny, true, d.Reason
	case d.Decision != "allow" || d.Always != nil && *d.Always >= len(q.replies.always):
		m.finish(q, nil)
		return
	case d.Always != nil:
		reply = q.replies.always[*d.Always]
	}
	m.emit(Send{Message{ID: json.RawMessage(q.Request), Result: reply}})
}

// turnOver forgets what runs in a turn, and the permissions of which nothing tells any more what
// Codex took.
func (m *Machine) turnOver(t *following) {
	t.turn, t.running = "", map[string]item{}
	for _, q := range m.sorted(t.ID) {
		if q.replies != nil && q.phase == sent {
			delete(m.questions, q.Key)
		}
	}
	m.leave(t)
}

// ended finds out by how an item ended whose decision Codex took. The reason of a denial, for
// which Codex's replies have no place, follows as a message of the person's, as they would write
// it after a No in Codex.
func (m *Machine) ended(t *following, i item) {
	delete(t.running, i.ID)
	for _, q := range m.sorted(t.ID) {
		switch {
		case q.replies == nil || q.Item != i.ID || q.phase != sent:
			continue
		case q.denied != i.denied():
			m.finish(q, ErrOver)
		case q.reason != "":
			m.write(q, q.reason, 0)
		default:
			m.finish(q, nil)
		}
		delete(m.questions, q.Key)
	}
}
