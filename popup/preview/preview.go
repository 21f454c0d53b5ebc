// Package preview gets the longer material beside an option (form.Preview) rendered
// in rows of styled text.
//
// That is done by another program, cmd/askpane-preview, which links what a form is
// not to wait for when it opens. The content comes from outside, so whatever it makes
// that program do is over when its time is, and what comes back is made safe and
// narrow enough here. The rule that must hold: a form never waits for it, and has a
// preview's plain text until, and unless, there is more.
package preview

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/popup/preview/styled"
)

// So many bytes are shown, and all of what is to be approved. A preview is looked at beside a
// question: what goes beyond them is better read elsewhere, and a remark says so.
const maxContent = 64 << 10

var approved = []string{styled.Document, "command", "diff", "json"}

// The program has so long for one preview. It takes some 20 ms of it.
const deadline = 500 * time.Millisecond

// turns bounds how many previews a process has rendered at once, for however many forms.
var turns = make(chan struct{}, 4)

// So many bytes are read of what the program says.
const maxOutput = 16 << 20

// Program returns a command that runs cmd/askpane-preview, or an error where it is missing. Its arguments are a
// preview's type and width; it reads the content and writes rows as JSON.
type Program func(args ...string) (*exec.Cmd, error)

// Renderer renders previews, one at a time: the one that is on view. It belongs to the
// loop in which forms are drawn.
type Renderer struct {
	program  Program
	post     func(func())
	deadline time.Duration
	running  sync.WaitGroup
	kept     map[job][]styled.Row
	// asked has the job that the program works on, empty for none;
	// cancel ends it.
	asked  job
	cancel context.CancelFunc
}

// job asks for one preview at one width.
type job struct {
	preview form.Preview
	width   int
}

// New makes a renderer that asks a program, which may be missing. When there are rows to
// show, it calls post with what is to run in the loop, before the next drawing. Close
// must be called.
func New(program Program, post func(func())) *Renderer {
	return &Renderer{program: program, post: post, deadline: deadline, kept: map[job][]styled.Row{}, cancel: func() {}}
}

// Rows lays p out in rows of at most width cells, as far as it has been rendered. They may
// not be changed.
func (r *Renderer) Rows(p form.Preview, width int) []styled.Row {
	j := job{p, max(1, width)}
	if rows, ok := r.kept[j]; ok {
		return rows
	}
	rows := j.plain()
	r.kept[j] = rows
	if r.program != nil && renderable(p) {
		r.ask(j)
	}
	return rows
}

// plain lays j out as it is shown until, and unless, it is rendered.
func (j job) plain() (rows []styled.Row) {
	content, cut := j.content()
	if j.preview.Type == styled.Document {
		for i, line := range strings.Split(content, "\n") {
			rows = append(rows, styled.Wrap([]styled.Span{{Text: line, Line: i + 1}}, j.width)...)
		}
		return rows
	}
	wrap := styled.Wrap
	if isCode(j.preview.Type) { // it is broken as it will be when it has its colours
		wrap = styled.WrapCode
	}
	return j.bounded(wrap([]styled.Span{{Text: content}}, j.width), cut)
}

// ask has j rendered instead of the one before, which is asked anew when it comes on
// view again.
func (r *Renderer) ask(j job) {
	if r.cancel(); r.asked != j {
		delete(r.kept, r.asked)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r.asked, r.cancel = j, cancel
	program := r.program
	r.running.Go(func() {
		defer cancel()
		content, cut := j.content()
		rows, err := made[[]styled.Row](ctx, r.deadline, program, content, j.preview.Type, strconv.Itoa(j.width))
		if err != nil {
			return
		}
		rows = j.bounded(rows, cut)
		r.post(func() {
			if r.asked == j { // and not another by now
				r.kept[j], r.asked = rows, job{}
			}
		})
	})
}

// Close ends what is being rendered, and waits for its end.
func (r *Renderer) Close() {
	r.program = nil
	r.cancel()
	r.running.Wait()
}

// made returns what the program makes of a content, and waits for it until ctx ends at most. From
// its turn on the program has so long.
func made[T any](ctx context.Context, long time.Duration, find Program, content string, args ...string) (what T, err error) {
	select {
	case turns <- struct{}{}:
		defer func() { <-turns }()
	case <-ctx.Done():
		return what, ctx.Err()
	}
	ctx, done := context.WithTimeout(ctx, long)
	defer done()
	program, err := find(args...)
	if err != nil {
		return what, err
	}
	cmd := exec.CommandContext(ctx, program.Path, program.Args[1:]...)
	cmd.Env = program.Env
	cmd.WaitDelay = deadline
	cmd.Stdin = strings.NewReader(content)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return what, err
	}
	if err := cmd.Start(); err != nil {
		return what, err
	}
	said, err := io.ReadAll(io.LimitReader(out, maxOutput))
	if err := errors.Join(err, out.Close(), cmd.Wait()); err != nil {
		return what, err
	}
	err = json.Unmarshal(said, &what)
	return what, err
}

// isCode reports whether each sign of a preview counts, and not where it is broken.
func isCode(kind string) bool {
	return slices.Contains([]string{"code", "mermaid", "svg", "html", "command", "diff", "json"}, kind)
}

// renderable reports whether there is more to p than its plain text.
func renderable(p form.Preview) bool {
	fences := strings.Contains(p.Content, "```") || strings.Contains(p.Content, "~~~")
	return isCode(p.Type) || p.Type == "markdown" || p.Type == styled.Document || p.Type == "" && fences
}

// content returns what there is to render; cut reports that there is more of it.
func (j job) content() (content string, cut bool) {
	content = j.preview.Content
	if cut = len(content) > maxContent && !slices.Contains(approved, j.preview.Type); cut {
		content = strings.ToValidUTF8(content[:maxContent], "")
	}
	return strings.TrimRight(text.Bare(text.Visible(content)), " \n"), cut
}

// bounded makes rows fit to be shown: not too wide, and safe, since an entity such as &#27; only
// becomes a character while Markdown is read. It says where something is cut off.
func (j job) bounded(rows []styled.Row, cut bool) (fit []styled.Row) {
	if cut {
		remark := styled.Span{Text: "The rest is too long to be shown here.", Style: styled.Dim}
		rows = append(rows, styled.Wrap([]styled.Span{remark}, j.width)...)
	}
	for _, row := range rows {
		for i := range row {
			row[i].Text, row[i].Style = strings.ReplaceAll(text.Bare(text.Visible(row[i].Text)), "\n", " "), min(row[i].Style, styled.Styles-1)
		}
		if fit = append(fit, row); row.Width() > j.width {
			fit = append(fit[:len(fit)-1], styled.WrapCode(row, j.width)...)
		}
	}
	return fit
}
