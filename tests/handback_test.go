package tests

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/askpane/askpane/tests/needs"
)

// A question whose agent shows no dialog goes back to it when its person has put the form off and then been
// at the agent's pane for a while; as long as they look elsewhere it waits.
func TestTmuxHandBack(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	dir := t.TempDir()
	call, out := filepath.Join(dir, "call"), filepath.Join(dir, "out")
	mustWrite(t, call, `{"hook_event_name":"PermissionRequest","tool_name":"ask_user_question","session_id":"s","tool_input":`+choice+`}`)
	pane := s.tmux("new-window", "-d", "-t", "main:", "-P", "-F", "#{pane_id}", "--", "sh", "-c", "env "+unguarded+" ASKPANE_HAND_BACK_SECONDS=3 ASKPANE_SPOOL="+string(s.spool)+" HOME="+dir+" "+
		binary+" hook qwen <"+call+" >"+out+"; echo over >>"+out+"; exec cat")
	over := func() bool {
		said, _ := os.ReadFile(out)
		return strings.TrimSpace(string(said)) == "over"
	}
	v.see("Which database?", "hand back")
	v.press(ctrlO)
	v.unsee("Which database?")
	s.tmux("select-window", "-t", "main:0")
	if needs.Within(5*time.Second, over) {
		t.Error("it was handed back to nobody")
	}
	s.tmux("select-window", "-t", pane)
	eventually(t, "it is handed back", over)
}

// Where Gemini's transcript becomes shorter, as when its person goes back in it, what was stopped before the question
// ends nothing: what is stopped since does.
func TestGeminiStoppedBefore(t *testing.T) {
	t.Parallel()
	s := newTmux(t)
	v := s.attach("main", 100, 30)
	dir := t.TempDir()
	call, lines, over := filepath.Join(dir, "call"), filepath.Join(dir, "lines"), filepath.Join(dir, "over")
	stopped := func(at time.Time) string {
		return `{"timestamp":"` + at.UTC().Format(time.RFC3339Nano) + `","type":"info","content":"Request cancelled."}` + "\n"
	}
	earlier := stopped(time.Now().Add(-time.Hour))
	mustWrite(t, lines, earlier+earlier)
	mustWrite(t, call, `{"hook_event_name":"BeforeTool","tool_name":"ask_user","session_id":"s","transcript_path":"`+lines+`","tool_input":`+geminiChoice+`}`)
	s.tmux("new-window", "-d", "-t", "main:", "--", "sh", "-c", "env "+unguarded+" ASKPANE_SPOOL="+string(s.spool)+" HOME="+dir+" "+
		binary+" hook gemini <"+call+"; echo >"+over+"; exec cat")
	v.see("Which database?")
	ended := func() bool {
		_, err := os.Stat(over)
		return err == nil
	}
	mustWrite(t, lines, earlier)
	if needs.Within(2*time.Second, ended) {
		t.Error("what was stopped before ended it")
	}
	mustWrite(t, lines, earlier+stopped(time.Now()))
	eventually(t, "it is over", ended)
}
