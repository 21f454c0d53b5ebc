package tests

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/askpane/askpane/tests/must"
	"github.com/askpane/askpane/tests/needs"
)

// newOpencode is opencode with the parts of ours that are named.
func newOpencode(t *testing.T, parts string, script ...turn) *agent {
	t.Helper()
	return likeOpencode(t, "opencode", parts, script...)
}

// newKilo is Kilo, which is opencode under another name.
func newKilo(t *testing.T, parts string, script ...turn) *agent {
	t.Helper()
	return likeOpencode(t, "kilo", parts, script...)
}

func likeOpencode(t *testing.T, name, parts string, script ...turn) *agent {
	t.Helper()
	a := newAgent(t, name, script...)
	for _, off := range []string{"AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "DEFAULT_PLUGINS"} {
		a.env = append(a.env, strings.ToUpper(name)+"_DISABLE_"+off+"=1")
	}
	config, err := json.Marshal(map[string]any{
		"provider": map[string]any{"scripted": map[string]any{"npm": "@ai-sdk/openai-compatible", "name": "scripted",
			"options": map[string]any{"baseURL": a.model.url + "/v1", "apiKey": "dummy-key"},
			"models":  map[string]any{"scripted-1": map[string]any{"name": "scripted-1"}}}},
		"model": "scripted/scripted-1", "small_model": "scripted/scripted-1", "enabled_providers": []string{"scripted"},
		"autoupdate": false, "share": "disabled",
	})
	if err != nil {
		t.Fatal(err)
	}
	a.write(".config/"+name+"/"+name+".json", string(config))
	// What moves on the screen while it waits takes a third of a core.
	a.write(".local/state/"+name+"/kv.json", `{"animations_enabled":false}`)
	a.install("--write", "--only", parts)
	return a
}

// opencode's own tool is answered from the popup, with the note that the person has written,
// which closes its dialog; an answer in that dialog closes the popup. Declining with a reason
// is an answer, as opencode takes no reason of a rejection.
func TestOpencodePluginAnswers(t *testing.T) {
	t.Parallel()
	another := func(choices, database string) turn {
		return calls("question", strings.ReplaceAll(choices, "Which database?", database))
	}
	a := newOpencode(t, "plugin", calls("question", opencodeChoices), another(opencodeChoices, "Which store?"), another(opencodeChoice, "Which queue?"),
		another(opencodeChoice, "Which team?"), another(opencodeChoice, "Which team?"))
	a.start(false, "--prompt", "ask me")
	a.asks("opencode asks", "Which database?", "> 1. Postgres")
	a.person.press("n")
	a.person.see("Note on this question")
	a.person.press("the managed one", enter)
	a.person.see("Note saved.")
	a.person.press("1")
	a.person.see("Which extras?")
	a.person.press("1", "3", enter)
	a.person.see("Submit")
	a.person.press(enter)
	a.told(1, `User has answered your questions: "Which database?"="Postgres, note: the managed one", "Which extras?"="Cache, quick, Mail". You can now continue with the user's answers in mind.`)

	a.asks("Which store?")
	a.declines("ask the team")
	a.told(2, `User has answered your questions: "Which store?"="not chosen: ask the team", "Which extras?"="not chosen: ask the team". You can now continue with the user's answers in mind.`)

	queue := a.asks("Which queue?")
	a.shows("Which queue?")
	a.step("esc dismiss", "2", "")
	a.told(3, `User has answered your questions: "Which queue?"="SQLite". You can now continue with the user's answers in mind.`)
	a.person.unsee("Which queue?")
	if got := a.historyOf(queue); got.Outcome != "elsewhere" {
		t.Errorf("the history says %+v", got)
	}

	a.asks("Which team?") // Esc in opencode's dialog closes the popup
	a.step("esc dismiss", "Escape", "")
	a.person.unsee("Which team?")
	eventually(t, "nothing waits in the spool", func() bool { return len(a.spool.pending()) == 0 })

	a.keys("and again", "Enter") // and the other way round
	a.asks("Which team?")
	a.shows("esc dismiss")
	before := a.model.count()
	a.person.press(esc)
	a.unshows("esc dismiss")
	if n := a.model.count() - before; n != 0 { // as when it is dismissed there
		t.Errorf("%d more requests carry results:\n%s", n, a.model.log())
	}
}

const opencodeChoices = `{"questions":[
 {"question":"Which database?","header":"Database","options":[{"label":"Postgres","description":"one"},{"label":"SQLite","description":"two"}]},
 {"question":"Which extras?","header":"Extras","multiple":true,"options":[{"label":"Cache, quick","description":"c"},{"label":"Search","description":"s"},{"label":"Mail","description":"m"}]}]}`

const opencodeChoice = `{"questions":[{"question":"Which database?","header":"Database","options":[{"label":"Postgres","description":"one"},{"label":"SQLite","description":"two"}]}]}`

// The form outlives opencode.
func TestOpencodePluginKilled(t *testing.T) {
	t.Parallel()
	a := newOpencode(t, "plugin", calls("question", opencodeChoice))
	a.start(false, "--prompt", "ask me")
	id := a.asks("Which database?")
	a.kill()
	a.gone(id)
	a.start(false, "--prompt", "ask me") // the next one has what was said to the one before
	if said := a.model.result(1); !strings.HasPrefix(said, `User has answered your questions: "Which database?"="Postgres, (askpane: Recovered: `) {
		t.Errorf("the model was told %q", said)
	}
	a.toldRecovered()
}

// What opencode is made to drop over its server's API has no form any more: it would take an answer, and its model
// would never get it.
func TestOpencodeAborted(t *testing.T) {
	t.Parallel()
	for text, call := range map[string]turn{"Which database?": calls("question", opencodeChoice), "Allow bash": calls("bash", `{"command":"touch made.txt","description":"Make a file"}`)} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			a := newOpencode(t, "plugin,permissions", call)
			a.edit(".config/opencode/opencode.json", `"autoupdate"`, `"permission":{"bash":"ask"},"autoupdate"`)
			a.start(false, "serve", "--hostname", "127.0.0.1", "--port", "0")
			var at string
			if !needs.Within(agentPatience, func() bool {
				at = regexp.MustCompile(`http://127\.0\.0\.1:[0-9]+`).FindString(a.screen())
				return at != ""
			}) {
				t.Fatal("it does not say where it listens")
			}
			post := func(path, body string) (session struct{ ID string }) {
				t.Helper()
				said, err := http.Post(at+path+"?directory="+a.cwd, "application/json", strings.NewReader(body))
				must.Do(t, err)
				defer said.Body.Close()
				_ = json.NewDecoder(said.Body).Decode(&session) // some say nothing
				return session
			}
			session := "/session/" + post("/session", "{}").ID
			post(session+"/prompt_async", `{"parts":[{"type":"text","text":"ask me"}]}`)
			id := a.asks("opencode asks", text)
			post(session+"/abort", "")
			a.person.unsee(text)
			if got := a.historyOf(id); got.Outcome != "elsewhere" {
				t.Errorf("the history says %+v", got)
			}
		})
	}
}
