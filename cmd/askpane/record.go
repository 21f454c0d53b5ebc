package main

import (
	"cmp"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/cmd/internal/command"
	"github.com/askpane/askpane/cmd/internal/programs"
	"github.com/askpane/askpane/popup/record"
)

// lookSpool opens the spool for a command that reads: it makes nothing. The error
// wraps spool.ErrNotFound where there is none.
func lookSpool() (*spool.Spool, error) {
	dir, err := spool.Dir()
	if err != nil {
		return nil, err
	}
	return spool.OpenExisting(dir)
}

// unlessNone returns err, but nil where there is no spool.
func unlessNone(err error) error {
	if errors.Is(err, spool.ErrNotFound) {
		return nil
	}
	return err
}

// records reads the questions that pick chooses, in the order of their ids, and returns how those
// are written in a table: a person needs no more of an id than commands do, and a program gets all
// of it. What cannot be read is reported and hides nothing else; with an error there may be more.
func records(s command.Screen, pick func(*spool.Spool) ([]string, error)) (all []spool.Record, short func(id string) string, unread error) {
	short = func(id string) string { return id }
	sp, err := lookSpool()
	if err != nil {
		return nil, short, unlessNone(err)
	}
	defer sp.Close()
	if s.Width > 0 {
		short = shortened(sp)
	}
	ids, err := pick(sp)
	all, unread = recordsOf(sp, ids, err)
	return all, short, unread
}

// recordsOf reads those of ids; unread tells of those that are known not to be readable.
func recordsOf(sp *spool.Spool, ids []string, unread error) ([]spool.Record, error) {
	var all []spool.Record
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) { // one may have been delivered in between
		r, err := recordIn(sp, id)
		switch {
		case err == nil:
			all = append(all, r)
		case errors.Is(err, spool.ErrNotFound) || errors.Is(err, os.ErrNotExist): // removed while we looked
		case unread != nil && strings.Contains(unread.Error(), id): // whoever chose it has said so
		default:
			warn(err)
			unread = cmp.Or(unread, error(exit{Code: programs.Internal}))
		}
	}
	return all, unread
}

func recordIn(sp *spool.Spool, id string) (spool.Record, error) {
	entry, err := sp.Find(id)
	if err != nil {
		return spool.Record{}, err
	}
	defer entry.Close()
	return entry.Record()
}

// subject is said first of a question by every command.
type subject struct {
	ID      string `json:"id"`
	Dialect string `json:"dialect"`
	Agent   string `json:"agent"`
	Machine string `json:"machine,omitempty"` // where it was asked, and Cwd and Host are; empty is this one
	Cwd     string `json:"cwd"`
	Host    string `json:"host"`
}

func subjectOf(r spool.Record) subject {
	machine, cwd, host, _ := r.Request.Origin.Where()
	return subject{r.Request.ID, r.Request.Form.Dialect, r.Request.Origin.Agent, machine, cwd, host}
}

// recorded is printed by show --json, and in the array of history --json.
type recorded struct {
	subject
	Header    string       `json:"header"`
	Asked     time.Time    `json:"asked"`
	Ended     *time.Time   `json:"ended"`   // null while it waits
	Outcome   form.Outcome `json:"outcome"` // empty while it waits
	By        string       `json:"by,omitempty"`
	Via       *form.Via    `json:"via,omitempty"`     // who that was, where it is known
	On        string       `json:"on,omitempty"`      // the other machine where that was
	Verdict   string       `json:"verdict,omitempty"` // why what was answered here is not what counts
	Reason    string       `json:"reason,omitempty"`
	Comment   string       `json:"comment,omitempty"`
	Delivered bool         `json:"delivered"`
	// Unconfirmed says that the agent, which asked with its own tool, has not said that it took the
	// answer.
	Unconfirmed bool `json:"unconfirmed,omitempty"`
	// Permission says what was to be allowed; nil of any other question.
	Permission *permissionRecord `json:"permission,omitempty"`
	// AgentGone says that it waits, and nobody waits for the answer.
	AgentGone bool `json:"agentGone,omitempty"`
	// Draft says that the answers are begun, and were not sent.
	Draft   bool   `json:"draft,omitempty"`
	Answers []said `json:"answers"`
	// Attachments are the pictures that went with them.
	Attachments []form.Attachment `json:"attachments,omitempty"`
}

// permissionRecord says what was to be allowed, and what has become of that.
type permissionRecord struct {
	Tool     string        `json:"tool"`
	Decision form.Decision `json:"decision,omitempty"` // empty where nobody has decided here
	State    string        `json:"state,omitempty"`    // allowed or denied; answered allow or answered deny, until the agent has confirmed it
	Shown    string        `json:"shown"`              // to the person, when they decided
	Waited   float64       `json:"waitedSeconds"`      // from the asking to the end, or so far
}

func permissionOf(r spool.Record) *permissionRecord {
	subject := r.Request.Form.Subject()
	if subject == nil {
		return nil
	}
	p := &permissionRecord{Tool: subject.Tool, State: record.Decided(r), Shown: subject.Shown.Content, Waited: time.Since(r.Request.Origin.Start).Seconds()}
	if res := r.Result; res != nil {
		p.Decision = r.Request.Form.Decided(*res)
		p.Shown, p.Waited = cmp.Or(res.Shown, p.Shown), res.At.Sub(r.Request.Origin.Start).Seconds()
	}
	return p
}

// said holds one question and what was said to it, in words.
type said struct {
	ID       string       `json:"id"`
	Label    string       `json:"label"`
	Prompt   string       `json:"prompt"`
	Answer   *string      `json:"answer"` // null where there is none
	Note     string       `json:"note,omitempty"`
	Comments []optionNote `json:"comments,omitempty"`
	Lines    []lineNote   `json:"lines,omitempty"`
}

type optionNote struct {
	Option  string `json:"option"`
	Comment string `json:"comment"`
}

// lineNote was said to a place of a document.
type lineNote struct {
	Line    int    `json:"line"`
	Comment string `json:"comment"`
}

func recordOf(r spool.Record) recorded {
	req := r.Request
	m, begun := record.Reading(r)
	rec := recorded{subject: subjectOf(r), Header: text.OneLine(req.Form.Header(), 80), Asked: req.Origin.Start, Delivered: r.Status.Delivered, Unconfirmed: r.Unconfirmed,
		Permission: permissionOf(r), AgentGone: r.Status.AgentGone && !r.Status.Over(), Draft: begun != nil, Comment: m.Comment(), Answers: []said{}}
	if res := r.Result; res != nil {
		rec.Ended, rec.Outcome, rec.By, rec.Reason = &res.At, res.Outcome, res.By, res.Reason
		rec.On, rec.Verdict, rec.Via, rec.Attachments = res.Machine, r.Verdict, res.Via, res.Attachments
	}
	for i := range req.Form.Questions {
		q, a := &req.Form.Questions[i], m.Answer(i)
		s := said{ID: q.ID, Label: q.Label, Prompt: q.Prompt, Note: a.Note}
		if a.Given() {
			s.Answer = new(q.Say(a, "", nil))
		}
		for _, c := range slices.Sorted(maps.Keys(a.OptionNotes)) {
			if c >= 0 && c < len(q.Options) {
				s.Comments = append(s.Comments, optionNote{q.Options[c].Label, a.OptionNotes[c]})
			}
		}
		for _, line := range slices.Sorted(maps.Keys(a.LineNotes)) {
			s.Lines = append(s.Lines, lineNote{line, a.LineNotes[line]})
		}
		rec.Answers = append(rec.Answers, s)
	}
	return rec
}
