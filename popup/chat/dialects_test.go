package chat

import (
	"fmt"
	"strings"
	"testing"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/tests/must"
)

const cache = `{"prompt":"Which approach for the cache layer?","options":[{"label":"Redis","emoji":"⚡","description":"Fast, in-memory"},
	{"label":"Postgres","emoji":"🐘","description":"Already running"},{"label":"Skip caching","emoji":"⏭️"}]}`

func TestButtonsOfWhichSeveral(t *testing.T) {
	t.Parallel()
	r := newRoom(t).serve()
	e := r.asks(`{"prompt":"Which?","options":[{"label":"Redis"},{"label":"Postgres","description":"slow"},{"label":"File"}],"multi":true,"allowOther":true}`)
	r.sees("m1", "<Choose any ☐ Redis ☐ Postgres (slow) ☐ File>\n[Other…][Done]")
	r.says(r.presses("m1", "Done"), "Nothing is chosen yet.")
	r.quietly(r.chooses("m1", "Choose any", "1", "2"))
	r.sees("m1", "☑ Redis ☑ Postgres (slow) ☐ File")
	r.quietly(r.chooses("m1", "Choose any", "1x", "3"))
	r.sees("m1", "☑ Redis ☐ Postgres (slow) ☑ File")
	r.quietly(r.types("m1", "Other…", "memory"))
	r.sees("m1", "✎ memory")
	if hint := r.presses("m1", "Other…").Entry.Hint; hint != "- removes it" {
		t.Errorf("the entry says %q", hint)
	}
	r.quietly(r.types("m1", "Other…", "-"))
	r.sees("m1", "~ ✎ not your answer yet: memory\n[Other…]")
	r.quietly(r.types("m1", "Other…", "a disk"))
	r.sees("m1", "✎ a disk")
	r.quietly(r.presses("m1", "Done"))
	r.answered(e, `"selected":["Redis","File","a disk"],"index":[0,2,-1]`)
}

// Where a service tells what was turned, turning it twice in haste turns it once.
func TestToggled(t *testing.T) {
	t.Parallel()
	r := newRoom(t).serve()
	e := r.asks(`{"prompt":"Which?","options":[{"label":"Redis"},{"label":"Postgres"}],"multi":true}`)
	r.sees("m1", "☐ Redis ☐ Postgres")
	turn := Event{Ref: "m1", ID: r.control("m1", "Choose any"), Values: []string{"1"}, Toggled: true}
	r.quietly(r.does(turn))
	r.quietly(r.does(turn))
	turn.Values = []string{"2"}
	r.quietly(r.does(turn))
	r.sees("m1", "☑ Redis ☑ Postgres")
	turn.Values = []string{"1x"}
	r.quietly(r.does(turn))
	r.sees("m1", "☐ Redis ☑ Postgres")
	r.presses("m1", "Done")
	r.answered(e, `"selected":["Postgres"]`)
}

func TestTypedQuestions(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.rules.Sensitive = true
	r.serve()
	e := r.asks(`{"questions":[
		{"header":"Regions","question":"In which regions?","type":"select_many","options":[{"label":"eu"},{"label":"us"},{"label":"ap"}]},
		{"header":"TTL","question":"How long?","type":"number","min":5,"max":120},
		{"header":"Name","question":"What is it called?","type":"free_text"},
		{"header":"Old table","question":"Drop it?","type":"confirm_enum","is_dangerous":true,"expected":"sessions_old"}]}`)
	r.sees("m1", "# Regions (1 of 4)\nIn which regions?\n<Choose any ☐ eu ☐ us ☐ ap>\n[Other…][Select]\n[Next][Note…]")
	r.quietly(r.chooses("m1", "Choose any", "1", "3"))
	r.sees("m1", "☑ eu ☐ us ☑ ap")
	r.quietly(r.types("m1", "Other…", "mars"))
	r.quietly(r.types("m1", "Other…", "-"))
	r.sees("m1", "~ ✎ not your answer yet: mars\n[Other…][Select]")
	r.quietly(r.presses("m1", "Select"))
	r.sees("m1", "# TTL (2 of 4)", "~ from 5 to 120")
	wrong := r.types("m1", "Answer…", "500")
	if r.says(wrong, "The answer is 500, above max 120."); wrong.Entry == nil || wrong.Entry.Title != "TTL" || wrong.Entry.Label != "Your answer" {
		t.Fatalf("it cannot be typed again: %+v", wrong)
	}
	r.quietly(r.does(Event{Ref: "m1", ID: wrong.Entry.ID, Text: "30"}))
	r.sees("m1", "# Name (3 of 4)")
	r.presses("m1", "Previous")
	r.sees("m1", "✓ 30")
	r.quietly(r.types("m1", "Note…", "or less"))
	r.sees("m1", "~ note: or less")
	r.quietly(r.types("m1", "Note…", "-"))
	r.sees("m1", "How long?\n~ from 5 to 120\n✓ 30\n[")
	r.quietly(r.types("m1", "Note…", "or less"))
	r.presses("m1", "Next")
	r.sees("m1", "# Name (3 of 4)")
	r.quietly(r.types("m1", "Answer…", "sessions"))
	seen := r.sees("m1", "# ⚠️  DESTRUCTIVE — Old table", "Type the resource name to confirm: “sessions_old”", "What you type is sent to the agent.")
	if strings.Contains(seen, "Affirm") || strings.Contains(seen, "[Next]") {
		t.Errorf("a danger offers a choice, or the way past it\n%s", seen)
	}
	r.says(r.types("m1", "Confirm…", "sessions"), "The answer must be exactly “sessions_old”, as shown.")
	r.quietly(r.types("m1", "Confirm…", "sessions_old"))
	r.sees("m1", "# Submit\nRegions: eu, ap\nTTL: 30\n    note: or less\nName: ✎ sessions\nOld table: ✎ sessions_old\n<Change an answer")
	r.quietly(r.chooses("m1", "Change an answer", "3"))
	r.quietly(r.types("m1", "Answer…", "visits"))
	r.sees("m1", "# Submit", "Name: ✎ visits")
	r.quietly(r.presses("m1", "Submit"))
	r.answered(e, "Regions: eu, ap\nTTL: 30\nName: visits\nOld table: (Other) sessions_old\nnote (TTL): or less")
}

func TestRadioAndText(t *testing.T) {
	t.Parallel()
	r := newRoom(t).serve()
	e := r.asks(`{"questions":[{"id":"db","type":"radio","prompt":"Which?","label":"Database","options":[{"value":"pg","label":"PostgreSQL"},{"value":"re","label":"Redis"}]},
		{"id":"n","type":"text","prompt":"Else?","label":"Notes","required":false}]}`)
	r.quietly(r.types("m1", "Other…", "CockroachDB"))
	r.sees("m1", "# Notes (2 of 2)\nElse?")
	r.quietly(r.types("m1", "Answer…", "two\nlines"))
	r.sees("m1", "# Submit\nDatabase: ✎ CockroachDB\nNotes: ✎ two\nlines")
	r.presses("m1", "Submit")
	r.answered(e, "Database: (wrote) CockroachDB\nNotes: two\nlines")
}

func TestDecisions(t *testing.T) {
	t.Parallel()
	r := newRoom(t).serve()
	e := r.asks(`{"title":"Cache","intro":"Two decisions.","questions":[{"type":"choice","id":"s","header":"Store","prompt":"Where?","options":[{"value":"m","label":"Memory"},{"value":"r","label":"Redis"}],"recommendation":"r"},
		{"type":"text","id":"w","header":"Why","prompt":"Why?"}]}`)
	r.sees("m1", "# Cache: Store (1 of 2)\nTwo decisions.\n\nWhere?\n[Memory][Redis [recommended] ✓]")
	r.quietly(r.types("m1", "Comment on “Redis”…", "only as a cache"))
	r.quietly(r.types("m1", "Comment on question…", "hm"))
	r.sees("m1", "~ comment: hm\n~ comment on “Redis”: only as a cache")
	r.presses("m1", "Redis [recommended] ✓")
	r.sees("m1", "# Why (2 of 2)")
	r.presses("m1", "Next")
	r.sees("m1", "# Review", "~ 1 left for discussion")
	r.types("m1", "Comment on form…", "soon")
	r.sees("m1", "comment: soon")
	r.presses("m1", "Submit")
	r.answered(e, "User needs discussion before a complete decision.\nUnanswered: Why\nForm comment: soon\nStore: Redis (comment: only as a cache)\nStore question comment: hm")
	r.sees("m1", "Sent with questions left open in Discord by Dom")
}

func TestQuestionOfMany(t *testing.T) {
	t.Parallel()
	r := newRoom(t).serve()
	var options []string
	for i := range 60 {
		options = append(options, fmt.Sprintf(`{"value":"v%d","label":"Choice %[1]d","description":"that is no. %[1]d"}`, i+1))
	}
	e := r.asks(`{"questions":[{"id":"t","prompt":"Which?","options":[` + strings.Join(options, ",") + `]}]}`)
	r.sees("m1", "\n60. Choice 60: that is no. 60\n[Number…][Something else…]")
	r.says(r.types("m1", "Number…", "61"), "“61” is no number from 1 to 60")
	r.says(r.types("m1", "Number…", "1, 4"), "Give one number")
	r.quietly(r.types("m1", "Number…", " 44 "))
	r.answered(e, "44. Choice 44")
}

// Labels that are equal once cut cannot be told apart, and longer texts than fit end.
func TestWhatDoesNotFit(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.page = "https://desk.example/#q=1"
	r.serve()
	long := strings.Repeat("long ", 30)
	e := r.asks(`{"questions":[{"header":"Which","question":"` + strings.Repeat("why ", 950) + `","type":"select_many","options":[{"label":"` + long + `a","description":"` + strings.Repeat("d ", 500) + `"},{"label":"` + long + `b"},{"label":"c"}]}]}`)
	r.sees("m1", "…\n1. ", "[Number…]", "The page: ", "What is cut here (…) the popup and the page show whole.")
	r.quietly(r.types("m1", "Number…", "1\n3"))
	r.answered(e, "Which: "+long+"a, c")
	r.page = ""
	r.asks(`{"questions":[{"id":"t","prompt":"Which?","options":[{"value":"a","label":"` + long + `"},{"value":"b","label":"b"}]}]}`)
	r.sees("m2", long[:40], "<Choose", "… ☐ b>")
	// What a button or a list cuts stands whole above it: two may differ where they are cut.
	full := strings.Repeat("9", 99)
	r.asks(`{"questions":[{"id":"t","type":"radio","prompt":"Which?","options":[{"value":"a","label":"` + full + `1"},{"value":"b","label":"b"}]}]}`)
	r.sees("m3", "\n"+full+"1\nb\n<Choose")
	r.asks(`{"prompt":"Which?","options":[{"label":"` + full + `","description":"all"},{"label":"b"}]}`)
	r.sees("m4", "\n"+full+": all\nb\n[99", "…][b]")
}

func TestDecline(t *testing.T) {
	t.Parallel()
	r := newRoom(t).serve()
	e := r.asks(cache)
	r.presses("m1", "No, because…")
	r.sees("m1", "# Decline, and say why\n[Explain more first][Rephrase the question][None of these fits][Another reason…][Back]")
	r.presses("m1", "Back")
	r.sees("m1", "Fast, in-memory")
	r.presses("m1", "No, because…")
	r.quietly(r.types("m1", "Another reason…", "Ask me tomorrow"))
	r.answered(e, `{"answered":false,"reason":"Ask me tomorrow"}`)
	r.sees("m1", "over\n", "~ Ask me tomorrow", "Cancelled in Discord by Dom")
}

func TestCancelIsConfirmed(t *testing.T) {
	t.Parallel()
	r := newRoom(t).serve()
	e := r.asks(`{"prompt":"Which?","options":[{"label":"Redis"},{"label":"Postgres"}],"multi":true}`)
	r.chooses("m1", "Choose any", "1")
	r.presses("m1", "Cancel")
	r.sees("m1", "# Cancel this question?\n[Keep it][Cancel it]")
	r.presses("m1", "Keep it")
	r.sees("m1", "☑ Redis")
	if _, over, _ := e.Answer(); over {
		t.Fatal("it was kept and is over")
	}
	r.presses("m1", "Cancel")
	r.presses("m1", "Cancel it")
	if a := r.answer(e); a.Outcome != form.Cancelled {
		t.Errorf("it is %+v", a)
	}
}

// What is dangerous or secret is announced, and nothing of it can be answered.
func TestGuarded(t *testing.T) {
	t.Parallel()
	for request, what := range map[string]string{
		`{"questions":[{"header":"Old","question":"Drop it?","type":"confirm_enum","is_dangerous":true}]}`: "This is a dangerous or a secret question, which is not answered here: answer it in tmux.",
		`{"questions":[{"header":"Key","question":"The key?","type":"free_text","secret":true}]}`:          "This is a dangerous or a secret question, which is not answered here: answer it in tmux.",
		`{"tool":"Bash","directory":"/src","command":"curl -H 'key: xyzzy' example.com?"}`:                 "# Bash\nA permission is asked for, which is not given here: answer it in tmux.",
		`{"plan":"# Keys\nUse the xyzzy.","directory":"/src","question":"Approve"}`:                        "This is a plan, which is not answered here: answer it in tmux.",
	} {
		r := newRoom(t)
		r.rules.Sensitive = strings.Contains(request, "Bash") // whose surfaces are in settings of their own
		e := r.serve().asks(request, func(req *spool.Request) { req.Origin.Surfaces = []string{form.ByPopup} })
		seen := r.sees("m1", what)
		if strings.Contains(seen, "[") || strings.Contains(seen, "?") || strings.Contains(seen, "xyzzy") {
			t.Errorf("it says\n%s", seen)
		}
		r.says(r.does(Event{Ref: "m1", ID: e.ID + ".0.0.typed", Text: "x"}), "nothing was done. What you typed was not sent.\nx")
		if _, over, _ := e.Answer(); over {
			t.Error("it was answered")
		}
		refused := popup()
		refused.Outcome, refused.Reason = form.Cancelled, "not with xyzzy"
		must.Do(r, e.Settle(refused))
		if seen := r.sees("m1", "Cancelled in tmux, "); strings.Contains(seen, "xyzzy") {
			t.Errorf("in the end it says\n%s", seen)
		}
		r.stop()
	}
}

// An entry that was opened while it could be answered takes nothing when it no more can.
func TestGuardedMeanwhile(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.rules.Sensitive = true
	r.serve()
	e := r.asks(`{"questions":[{"header":"Key","question":"The key?","type":"free_text","secret":true}]}`)
	entry := r.presses("m1", "Answer…").Entry
	r.mu.Lock()
	r.rules.Sensitive = false
	r.mu.Unlock()
	r.presses("m1", "Answer…") // after which the desk looks again
	r.sees("m1", "which is not answered here")
	r.says(r.does(Event{Ref: "m1", ID: entry.ID, Text: "xyzzy"}), "nothing was done.")
	if _, over, _ := e.Answer(); over {
		t.Error("it was answered")
	}
}

// A permission is refused for a reason that is typed, where there are none to choose from.
func TestPermissionIsRefused(t *testing.T) {
	t.Parallel()
	r := newRoom(t)
	r.rules.Sensitive = true
	r.serve()
	e := r.asks(`{"tool":"Bash","directory":"/src","command":"git push"}`)
	r.sees("m1", "No, because…")
	r.presses("m1", "No, because…")
	r.sees("m1", "[Your reason…][Back]")
	entry := r.presses("m1", "Your reason…").Entry
	r.does(Event{Ref: "m1", ID: entry.ID, Text: "not now"})
	r.answered(e, "not now")
}
