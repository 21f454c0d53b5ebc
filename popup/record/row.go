package record

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/machine"
	"github.com/askpane/askpane/popup/scene"
)

// Row holds one question of an inbox as it was read last.
type Row struct {
	spool.Request  // its ID alone where it cannot be read
	Branch         string
	Header, Prompt string // in one line
	More           int    // questions besides the first
	Danger         bool   // one of them is dangerous
	Draft          bool   // something was said or typed already
	Status         spool.Status
	Err            error  // why it cannot be read
	Text           string // what a filter looks in
}

// ReadRow reads one question that waits.
func ReadRow(sp *spool.Spool, id string) *Row {
	r := &Row{Request: spool.Request{ID: id}, Header: id}
	var req spool.Request
	e, err := sp.Open(id)
	if err == nil {
		defer e.Close()
		req, err = e.Request()
	}
	if err != nil {
		r.Err = err
		return r
	}
	r.Request, r.Header, r.Status = req, text.OneLine(req.Form.Header(), 120), e.Status()
	r.Prompt, r.More = text.OneLine(req.Form.Questions[0].Prompt, 400), len(req.Form.Questions)-1
	r.Danger = slices.ContainsFunc(req.Form.Questions, func(q form.Question) bool { return q.Dangerous })
	r.Branch = text.OneLine(branchIn(r.Origin.Cwd), 60)
	var d machine.Draft
	found, err := e.Draft(&d)
	r.Draft = err != nil || found && d.Begun(&req.Form) // one that cannot be read is there all the same
	machine, cwd, host, pane := r.Origin.Where()
	r.Text = strings.ToLower(strings.Join([]string{r.Origin.Agent, r.Header, r.Prompt, machine, cwd, r.Branch, pane, host}, "\n"))
	return r
}

// Name quotes the question's header, for a sentence.
func (r *Row) Name() string { return text.Quoted(r.Header, 60) }

// Mark says how it stands with a question: by a sign, and a word or two.
func (r *Row) Mark() (sign, words string) {
	switch s := r.Status; {
	case r.Err != nil:
		return "!", ""
	case !s.Unreachable.IsZero():
		return "✗", "unreachable"
	case s.AgentGone && s.Shown:
		return "✗", "gone, open"
	case s.AgentGone && r.Draft:
		return "✗", "gone, draft"
	case s.AgentGone:
		return "✗", scene.AgentGone
	case s.Shown:
		return "▣", "open"
	case r.Draft:
		return "✎", "draft"
	}
	return " ", ""
}

// Standing lists all that is known of how it stands with a question.
func (r *Row) Standing() (all []string) {
	if away := scene.Unreachable(r.Status); away != "" {
		all = append(all, away)
	}
	if r.Status.AgentGone {
		all = append(all, scene.AgentGone)
	}
	if r.Status.Shown {
		all = append(all, "open"+On(r.Status))
	}
	if r.Draft {
		all = append(all, "draft begun")
	}
	if r.Status.Aside {
		all = append(all, "left for later")
	}
	return all
}

// On names the viewer that a form is open on.
func On(s spool.Status) string {
	if s.Viewer == "" {
		return " elsewhere"
	}
	return " on " + text.OneLine(cmp.Or(s.Name, s.Viewer), 40)
}

// Asker names who asks.
func (r *Row) Asker(most int) string { return text.Asker(r.Origin.Agent, r.Origin.Machine(), most) }

// Where names the directory with its branch, and the pane; short leaves the way to
// the directory out, and names the machine, which else Asker does.
func (r *Row) Where(short bool) string {
	var parts []string
	machine, cwd, host, pane := r.Origin.Where()
	if short && machine != "" {
		parts = append(parts, text.Agent(machine, 24))
	}
	if dir := text.Tilde(cwd); dir != "" {
		if short {
			dir = filepath.Base(dir)
		}
		if dir = text.OneLine(dir, 200); r.Branch != "" {
			dir += fmt.Sprintf(" (%s)", r.Branch)
		}
		parts = append(parts, dir)
	}
	if pane != "" {
		parts = append(parts, text.OneLine(host+" "+pane, 60))
	}
	return strings.Join(parts, " · ")
}

// branchIn returns the branch of the repository that dir is in, or the beginning of the
// name of the commit that is checked out. Nothing is run, since what is there may be
// anybody's.
func branchIn(dir string) string {
	for ; filepath.IsAbs(dir); dir = filepath.Dir(dir) {
		git := filepath.Join(dir, ".git")
		if to, ok := strings.CutPrefix(line(git), "gitdir: "); ok { // of a worktree or a submodule
			if git = to; !filepath.IsAbs(to) {
				git = filepath.Join(dir, to)
			}
		}
		head := line(filepath.Join(git, "HEAD"))
		if name, ok := strings.CutPrefix(head, "ref: refs/heads/"); ok {
			return name
		}
		if len(head) == 40 || len(head) == 64 { // SHA-1 or SHA-256
			return head[:7]
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
	return ""
}

// line reads the first line of a small regular file: reading a pipe would wait for somebody
// to write.
func line(path string) string {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() || info.Size() > 1024 {
		return ""
	}
	data, _ := os.ReadFile(path)
	first, _, _ := strings.Cut(string(data), "\n")
	return strings.TrimSpace(first)
}
