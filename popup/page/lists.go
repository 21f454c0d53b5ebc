package page

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/record"
	"github.com/askpane/askpane/popup/scene"
)

// The templates of lists.html show these.
type (
	listPage struct {
		History bool
		Count   string
		Filter  string
		Problem string
		Empty   string
		Rows    []listed
		More    string // how many more there are, and what lists them
		Further string
	}
	listed struct {
		Link, Agent, Header, Where, Prompt, Standing, Problem string
		Since, Left                                           *clock
		Dismiss                                               string // the event
		Choices                                               []quick
	}
	problemPage struct{ Heading, Words string }
)

// inboxView renders the list of what waits.
func inboxView(rows []*record.Row, matching, all int, w wanted, broken error) view {
	p := listPage{Count: fmt.Sprintf("%d waiting", all), Filter: w.search}
	if w.search != "" {
		p.Count = fmt.Sprintf("%d of %d", matching, all)
	}
	if broken != nil {
		p.Problem = text.Visible(broken.Error())
	}
	switch {
	case all == 0:
		p.Empty = "No question waits. New ones appear by themselves."
	case matching == 0:
		p.Empty = "No waiting question matches."
	case matching > len(rows):
		p.More, p.Further = fmt.Sprintf("and %d more", matching-len(rows)), w.further("i")
	}
	for _, r := range rows {
		l := listed{Link: "#q=" + r.ID, Agent: r.Asker(24), Header: scene.Label(r.Header, 0), Where: r.Where(false),
			Standing: strings.Join(r.Standing(), " · ")}
		if r.Err != nil {
			l.Problem = text.Visible(r.Err.Error())
			if errors.Is(r.Err, spool.ErrNewer) {
				l.Problem = "A newer askpane wrote this; it is left alone."
			}
		} else {
			said := r.Form.Questions[0].Prompt
			from, to := scene.Heart(said)
			l.Prompt = text.OneLine(said[from:to], 400)
			l.Since = &clock{At: r.Origin.Start.Format(time.RFC3339), Kind: "age"}
			l.Dismiss = encode(event{Do: dismiss, Text: r.ID})
			if !r.Draft {
				l.Choices = quicks(r.ID, &r.Form)
			}
			if r.Deadline != nil {
				l.Left = &clock{At: r.Deadline.Format(time.RFC3339), Kind: "left"}
			}
		}
		if r.More > 0 {
			l.Prompt += fmt.Sprintf(" (and %d more)", r.More)
		}
		p.Rows = append(p.Rows, l)
	}
	title := "askpane"
	if all > 0 {
		title = fmt.Sprintf("(%d) askpane", all)
	}
	return view{HTML: render("list", p), Title: title}
}

// list shows what waits, or is over, as long as the page is open.
func (s *stream) list(w wanted) {
	draw := s.board.draw
	if w.past {
		draw = s.past
	}
	if w.past && w.search != "" { // which reads all there is
		s.still(draw(w))
		return
	}
	news, stop := s.board.subscribe()
	defer stop()
	s.serve(func() { s.show(s.board.list(w, draw)) }, s.onList, news, nil)
}

// past renders the list of what is over, what ended last first.
func (s *stream) past(w wanted) view {
	p := listPage{History: true, Filter: w.search, Empty: "No question is over."}
	if w.search != "" {
		p.Empty = fmt.Sprintf("No question that is over has %s in it.", text.Quoted(w.search, 60))
	}
	ids, broken := s.Spool.History()
	_, answered, err := s.Spool.Scan()
	broken = cmp.Or(broken, err)
	ids = append(ids, answered...)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	slices.Reverse(ids)
	var all []spool.Record
	for i, id := range ids {
		if len(all) == w.rows || w.search != "" && s.ctx.Err() != nil {
			are := text.If(w.search != "", "were not searched", "are not listed")
			p.More, p.Further = fmt.Sprintf("%d older ones %s", len(ids)-i, are), w.further("h")
			break
		}
		entry, err := s.Spool.Find(id)
		if err == nil {
			var r spool.Record
			if r, err = entry.Record(); err == nil && record.Has(r, strings.ToLower(w.search)) {
				all = append(all, r)
			}
			entry.Close()
		}
		if !errors.Is(err, spool.ErrNotFound) { // else it has gone since
			broken = cmp.Or(broken, err)
		}
	}
	if broken != nil {
		p.Problem = text.Visible(broken.Error())
	}
	slices.SortStableFunc(all, func(a, b spool.Record) int { return record.Over(b).Compare(record.Over(a)) })
	for _, r := range all {
		machine, cwd, _, _ := r.Request.Origin.Where()
		l := listed{Link: "#q=" + r.Request.ID, Agent: text.Asker(r.Request.Origin.Agent, machine, 24), Header: scene.Label(r.Request.Form.Header(), 120),
			Where: text.Tilde(text.OneLine(cwd, 200)), Prompt: text.OneLine(record.Summary(r), 200), Since: &clock{At: record.Over(r).Format(time.RFC3339), Kind: "ago"}}
		if r.Result != nil {
			l.Standing = scene.Ended(r.Request.Origin.Agent, *r.Result)
			if r.Late != nil {
				l.Standing += " · what was answered here came too late"
			}
		}
		if !r.Status.Delivered {
			l.Standing += " · the agent has not got it yet"
		}
		p.Rows = append(p.Rows, l)
	}
	return view{HTML: render("list", p), Title: "History — askpane"}
}

// review shows a question that is over.
func (s *stream) review(entry *spool.Entry) {
	r, err := entry.Record()
	if err != nil {
		s.problem("This question cannot be read", err)
		return
	}
	m, _ := record.Reading(r)
	st := scene.StatusOf(r.Request.Origin, r.Status)
	st.How, st.Notes = record.How(r), record.Notes(r)
	p := formPage{Scene: scene.Of(m, st)}
	p.Heading = scene.Label(m.Form().Header(), 120)
	s.still(view{HTML: render("record", &p), Title: p.Heading + " — askpane", Focus: "over", Key: entry.ID})
}

// problem shows why there is nothing to show.
func (s *stream) problem(heading string, err error) {
	s.still(view{HTML: render("problem", problemPage{heading, text.Visible(err.Error())}), Title: "askpane"})
}
