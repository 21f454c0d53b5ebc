package claude

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
)

const ask = `{"questions":[{"question":"Which?","header":"H","multiSelect":false,"options":[{"label":"A","description":"a"},{"label":"B","description":"b"}]}]}`

// asking is what the hook of each test gets, and began is when that starts.
var asking = Prompt{Event: PermissionRequest, Tool: Tool, Ask: json.RawMessage(ask)}

var began = time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)

// called is the line of a message with calls, one for each id.
func called(message, input string, ids ...string) string {
	var parts []string
	for _, id := range ids {
		parts = append(parts, fmt.Sprintf(`{"type":"tool_use","id":%q,"name":"AskUserQuestion","input":%s}`, id, input))
	}
	return fmt.Sprintf(`{"type":"assistant","message":{"id":%q,"content":[%s]}}`, message, strings.Join(parts, ","))
}

// ended is the line of a result that came so long after began.
func ended(id string, after time.Duration) string {
	return fmt.Sprintf(`{"type":"user","timestamp":%q,"message":{"content":[{"type":"tool_result","content":"said","tool_use_id":%q}]},
		"toolUseResult":{"answers":{"Which?":%q}},"permissionDecision":{"source":"user_temporary"}}`, began.Add(after).Format(time.RFC3339Nano), id, id)
}

// The end of a hook's call is told by its own result, in whatever order an earlier one comes.
func TestEnd(t *testing.T) {
	t.Parallel()
	const ms, s = time.Millisecond, time.Second
	earlier, own := called("m1", ask, "first"), called("m2", ask, "second")
	both := called("m2", ask, "a", "b")
	for _, c := range []struct {
		name  string
		lines []string
		rank  int
		after time.Duration // since the hook began
		ends  string        // the id in whose place the call ended; empty where it has not
		again time.Duration
	}{
		{"nothing", nil, 0, s, "", 0},
		{"its call", []string{own}, 0, s, "", 0},
		{"and its result", []string{own, ended("second", 5*s)}, 0, 5 * s, "second", 0},
		{"another question's", []string{own, called("m2", strings.ReplaceAll(ask, "Which?", "What?"), "x"), ended("x", 5*s)}, 0, 5 * s, "", 0},
		{"defaults that the call left out", []string{called("m2", strings.Replace(ask, `"multiSelect":false,`, "", 1), "second"), ended("second", s)}, 0, s, "second", 0},

		{"the earlier result is late, its own call as well", []string{earlier, ended("first", -200*ms)}, 0, 20 * ms, "", 2980 * ms},
		{"then comes its own call", []string{earlier, ended("first", -200*ms), own}, 0, 40 * ms, "", 0},
		{"and its result", []string{earlier, ended("first", -200*ms), own, ended("second", s)}, 0, s, "second", 0},
		{"its own call before the earlier result", []string{earlier, own, ended("first", -200*ms)}, 0, 40 * ms, "", 0},
		{"and its result", []string{earlier, own, ended("first", -200*ms), ended("second", s)}, 0, s, "second", 0},
		{"the earlier result is the last", []string{earlier, own, ended("second", s), ended("first", -200*ms)}, 0, s, "second", 0},
		{"an old one with the same words", []string{earlier, ended("first", -time.Minute)}, 0, s, "", 0},
		{"one that never ended", []string{earlier, own, ended("second", s)}, 0, s, "second", 0},
		{"answered as the hook started", []string{own, ended("second", -50*ms)}, 0, 100 * ms, "", 2900 * ms},
		{"and no other call comes", []string{own, ended("second", -50*ms)}, 0, 3 * s, "second", 0},

		{"the hook of the earlier one is still there", []string{earlier, own, ended("first", -200*ms)}, 1, s, "", 0},
		{"and its own call ends", []string{earlier, own, ended("first", -200*ms), ended("second", s)}, 1, s, "second", 0},
		{"the next equal call is written with its result", []string{own, ended("second", s), called("m3", ask, "third")}, 0, 2 * s, "second", 0},
		{"and has ended, too", []string{own, ended("second", s), called("m3", ask, "third"), ended("third", 2*s)}, 0, 3 * s, "second", 0},
		{"two at once, the first ends", []string{both, ended("a", s)}, 0, s, "a", 0},
		{"and the second goes on", []string{both, ended("a", s)}, 1, s, "", 0},
		{"the second ends", []string{both, ended("a", s), ended("b", 2*s)}, 1, 2 * s, "b", 0},
		{"one after the other, the first had ended before", []string{both, ended("a", -100*ms)}, 0, 4 * s, "", 0},
		{"and the second ends", []string{both, ended("a", -100*ms), ended("b", s)}, 0, s, "b", 0},
		{"though the first one's hook was still there", []string{both, ended("a", -100*ms), ended("b", s)}, 1, s, "b", 0},
		{"in lines of their own", []string{called("m2", ask, "a"), called("m2", ask, "b"), ended("b", s)}, 1, s, "b", 0},
		{"another Claude is resumed from the transcript", []string{own, strings.Replace(ended("second", s), `"said"`, `"[Tool call interrupted: the session ended before this call's result was recorded"`, 1)}, 0, 2 * s, "", 0},
		{"and asks the same", []string{own, strings.Replace(called("m3", ask, "third"), "{", `{"timestamp":"`+began.Add(time.Minute).Format(time.RFC3339)+`",`, 1), ended("third", 70*s), ended("second", 80*s)}, 0, 81 * s, "second", 0},
		{"broken lines", []string{`{"tool_use`, `"tool_result"`, `{"type":"user","message":{"content":"a \"tool_result\""}}`, own, ended("second", s)}, 0, s, "second", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			calls := Call{Prompt: asking, Began: began, Rank: c.rank}.Calls()
			for _, line := range c.lines {
				calls.Line([]byte(line))
			}
			end, again, over := calls.End(began.Add(c.after))
			var answers map[string]string
			_ = json.Unmarshal(end.Answers, &answers)
			if over != (c.ends != "") || answers["Which?"] != c.ends || again != c.again {
				t.Errorf("it is over: %v, as %s; look again after %v", over, end.Answers, again)
			}
		})
	}
}

// The rank of a call is counted once more when one of several equal ones has ended, and not before.
func TestEqualCallsAreCountedAgain(t *testing.T) {
	t.Parallel()
	counted := 0
	calls := Call{Prompt: asking, Began: began, Equal: func() int { counted++; return 1 }}.Calls()
	calls.Line([]byte(called("m", ask, "a")))
	calls.Line([]byte(ended("a", -time.Minute)))
	calls.Line([]byte(called("m", ask, "b")))
	calls.Line([]byte(called("m", ask, "c")))
	if counted != 0 {
		t.Errorf("counted %d times before one has ended", counted)
	}
	calls.Line([]byte(ended("b", time.Second)))
	if _, _, over := calls.End(began.Add(2 * time.Second)); over || counted == 0 {
		t.Errorf("by the first of two that asks what the second does it is over: %v, counted %d times", over, counted)
	}
	calls.Line([]byte(ended("c", 2*time.Second)))
	if _, _, over := calls.End(began.Add(3 * time.Second)); !over {
		t.Error("its own end is not seen")
	}
}
