package tests

import (
	"strings"
	"testing"

	"github.com/askpane/askpane/tests/needs"
)

// watchesSaid has a page keep in log what it says in its notice, and when a key was pressed.
const watchesSaid = `window.log = []
new MutationObserver(() => log.push(document.querySelector('#said').textContent)).observe(document.querySelector('#said'), {childList: true, characterData: true, subtree: true})
addEventListener('keydown', () => log.push('key'), true)`

// Who types on after Enter, on a slow network, reads that it was not taken, for as long as they do nothing else. The
// text of the question that is on view then stays.
func TestPageTypedAfterEnter(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t))
	inbox := p.browse()
	for _, typed := range []string{"the logs{Enter}{Enter} of today", "the logs{Enter} of today"} {
		a, id := p.ask(`{"questions":[{"header":"T","question":"What may go?","type":"free_text"},{"header":"U","question":"What not?","type":"free_text"}]}`)
		b := inbox.another().comes(p.link(id)).sees("#entry0").isRight()
		b.eval(watchesSaid)
		b.steps("[□ U] → #entry1").types("old words")
		eventually(t, "they are saved", func() bool { return strings.Contains(p.spool.read(id, "draft.json"), "old words") })
		b.steps("[□ T] → #entry0").isRight()
		letGo := b.slow()
		b.types(typed)
		letGo()
		b.sees("Not taken: what you typed last", "#entry1").types("{Enter}").sees("T: ✎ the logs U: ✎ old words")
		if stood := b.eval("log[log.findIndex((words) => words.startsWith('Not taken')) + 1] == 'key'"); stood != "true" {
			t.Errorf("it was said, and then %s", b.eval("JSON.stringify(log)"))
		}
		b.types("{Enter}").sees(said).well()
		a.answered("T: the logs\nU: old words")
	}
}
