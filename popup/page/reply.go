package page

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
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
	switch problem, err := p.settleByPush(RightsOf(r).Reply, n); {
	case errors.Is(err, spool.ErrNotFound), errors.Is(err, spool.ErrAnswered):
		Refuse(w, http.StatusGone, wasOver)
	case err != nil:
		Refuse(w, http.StatusInternalServerError, "%v", err)
	case problem != "":
		Refuse(w, http.StatusConflict, "%s", problem)
	default:
		p.board.change() // it may have no bridge that moves it
		_, _ = w.Write([]byte(`{"ok":true}` + "\n"))
	}
}

// settleByPush ends a question by choice n, or says why it does not.
func (p *Page) settleByPush(id string, n int) (problem string, err error) {
	e, err := p.Spool.Open(id)
	if err != nil {
		return "", err
	}
	defer e.Close()
	req, err := e.Request()
	if err != nil {
		return "", err
	}
	if Replies(&req.Form) == nil {
		return openIt, nil
	}
	result, problem := pick(e, &req, n)
	if problem != "" {
		return problem, nil
	}
	result.By, result.At = form.ByPush, time.Now()
	return "", e.Settle(result)
}
