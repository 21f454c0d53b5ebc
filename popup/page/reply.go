package page

import (
	"net/http"
	"strconv"

	"github.com/askpane/askpane/bridge/form"
)

// mostButtons bounds the buttons of a push: ntfy shows no more.
const mostButtons = 3

// Replies returns the choices of a form that a push may offer; none where a phone does not
// show all that there is to see and to say, or where the answer needs more care.
func Replies(f *form.Form) (labels []string) {
	all := quicks("", f)
	if f.Bound() || len(all) > mostButtons {
		return nil
	}
	for _, one := range all {
		labels = append(labels, one.Label)
	}
	return labels
}

// reply answers by a push the question that the gate allows it.
func (p *Page) reply(w http.ResponseWriter, r *http.Request) {
	n, _ := strconv.Atoi(r.PathValue("n")) // 0 is no choice
	problem, err := p.settle(event{Do: choose, Text: RightsOf(r).Reply, N: n}, form.ByPush, func(f *form.Form) (why string) {
		if Replies(f) == nil {
			why = openIt
		}
		return why
	})
	switch {
	case isOver(err):
		Refuse(w, http.StatusGone, wasOver)
	case err != nil:
		Refuse(w, http.StatusInternalServerError, "%v", err)
	default:
		done(w, problem)
	}
}
