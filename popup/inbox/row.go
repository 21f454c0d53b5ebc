package inbox

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/machine"
)

// row is one question as it was read last.
type row struct {
	id     string
	origin spool.Origin
	header string // in one line
	prompt string
	more   int // questions besides the first
	branch string
	draft  bool // something was said or typed already
	status spool.Status
	err    error  // why it cannot be read
	text   string // what the filter looks in
}

// read reads one question for the list.
func (v *view) read(id string) *row {
	r := &row{id: id, header: id}
	e, err := v.Spool.Open(id)
	if err != nil {
		r.err = err
		return r
	}
	defer e.Close()
	req, err := e.Request()
	if err != nil {
		r.err = err
		return r
	}
	r.origin, r.header, r.status = req.Origin, text.OneLine(req.Form.Header(), 120), e.Status()
	r.prompt, r.more = text.OneLine(req.Form.Questions[0].Prompt, 400), len(req.Form.Questions)-1
	r.branch = text.OneLine(branchIn(r.origin.Cwd), 60)
	var d machine.Draft
	found, err := e.Draft(&d)
	r.draft = err != nil || found && d.Begun(&req.Form) // one that cannot be read is there all the same
	r.text = strings.ToLower(strings.Join([]string{r.origin.Agent, r.header, r.prompt, r.origin.Cwd, r.branch, r.origin.Pane, r.origin.Host}, "\n"))
	return r
}

// name is what a question is called in a sentence.
func (r *row) name() string { return text.Quoted(r.header, 60) }

// mark is how it stands with a question: a sign, and a word or two.
func (r *row) mark() (sign, words string) {
	switch s := r.status; {
	case r.err != nil:
		return "!", ""
	case s.AgentGone && s.Shown:
		return "✗", "gone, open"
	case s.AgentGone && r.draft:
		return "✗", "gone, draft"
	case s.AgentGone:
		return "✗", "agent gone"
	case s.Shown:
		return "▣", "open"
	case r.draft:
		return "✎", "draft"
	}
	return " ", ""
}

// standing is all that is known of how it stands with a question.
func (r *row) standing() (all []string) {
	if r.status.AgentGone {
		all = append(all, "agent gone")
	}
	if r.status.Shown {
		all = append(all, "open"+on(r.status))
	}
	if r.draft {
		all = append(all, "draft begun")
	}
	if r.status.Aside {
		all = append(all, "left for later")
	}
	return all
}

// on names the viewer that a form is open on.
func on(s spool.Status) string {
	if s.Viewer == "" {
		return " elsewhere"
	}
	return " on " + text.OneLine(cmp.Or(s.Name, s.Viewer), 40)
}

// where is the directory with its branch, and the pane; short leaves the way to
// the directory out.
func (r *row) where(short bool) string {
	var parts []string
	if dir := text.Tilde(r.origin.Cwd); dir != "" {
		if short {
			dir = filepath.Base(dir)
		}
		if dir = text.OneLine(dir, 200); r.branch != "" {
			dir += fmt.Sprintf(" (%s)", r.branch)
		}
		parts = append(parts, dir)
	}
	if r.origin.Pane != "" {
		parts = append(parts, text.OneLine(r.origin.Host+" "+r.origin.Pane, 60))
	}
	return strings.Join(parts, " · ")
}

// branchIn is the branch of the repository that dir is in, or the beginning of the
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

// line is the first of a small regular file: reading a pipe would wait for somebody
// to write.
func line(path string) string {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() || info.Size() > 1024 {
		return ""
	}
	data, _ := os.ReadFile(path)
	first, _, _ := strings.Cut(string(data), "\n")
	return strings.TrimSpace(first)
}
