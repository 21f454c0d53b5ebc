package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/bridge/text"
	"github.com/askpane/askpane/cmd/internal/asker"
	"github.com/askpane/askpane/cmd/internal/logfile"
	"github.com/askpane/askpane/cmd/internal/programs"
	"github.com/askpane/askpane/integrations"
	"github.com/askpane/askpane/integrations/host"
	"github.com/askpane/askpane/notify"
	"github.com/askpane/askpane/settings"
)

func versionLines() []doctorLine {
	self, err := os.Executable()
	line := doctorLine{"askpane", "version", isOK, programs.Version() + ", " + runtime.GOOS + "/" + runtime.GOARCH + ", " + self, ""}
	if err != nil { // popups are started with it
		line.State, line.Detail = isFail, fmt.Sprintf("find our own binary: %v", err)
	}
	return []doctorLine{line}
}

// hostLines says of each host whether it is there. used is the one to ask in;
// nil where there is none.
func hostLines(ctx context.Context, name string) (lines []doctorLine, used host.Host) {
	const section = "hosts"
	if err := integrations.Known(name); err != nil {
		lines = append(lines, doctorLine{section, "setting", isWarn, err.Error() + "; using " + integrations.Auto, "unset ASKPANE_HOST"})
		name = integrations.Auto
	}
	findings := integrations.Survey(ctx, name)
	newWindow := slices.ContainsFunc(findings, func(f integrations.Finding) bool { return !f.Kind.Borrows && f.Err == nil })
	for _, f := range findings {
		line := doctorLine{Section: section, Name: f.Kind.Name, State: isOff}
		switch {
		case f.Used:
			used = f.Host
			line.State, line.Detail = isOK, "used"
			if name != integrations.Auto {
				line.Detail += ", as the setting host says"
			}
			if pane, _ := f.Host.Asker(); pane != "" {
				line.Detail += "; asking pane " + pane
			}
			switch {
			case !f.Kind.Borrows:
			case newWindow && name == integrations.Auto:
				line.Detail += " for what you run here yourself; the questions of an agent, which has the terminal for itself, open in a new window"
			default:
				line.State = isWarn
				line.Detail += " for what you run here yourself; the questions of an agent, which has the terminal for itself, end as unavailable"
				line.Fix = integrations.Instead(agentName())
			}
		case f.Err != nil:
			line.Detail = f.Err.Error()
		case used != nil:
			line.Detail = "could be used; " + used.Kind().Name + " goes before it"
		default:
			line.Detail = "could be used; the setting host is " + name
		}
		if f.Version != "" {
			line.Detail += "; version " + f.Version
		}
		if f.VersionErr != nil && f.Used {
			line.State, line.Detail = isWarn, line.Detail+"; "+f.VersionErr.Error()
			line.Fix = "install " + f.Kind.Name + " anew with the system's package manager"
		}
		lines = append(lines, line)
	}
	if used == nil {
		line := doctorLine{section, "none", isFail, "no host can show a form here: every question ends as unavailable",
			integrations.Instead(agentName()) + ", or tmux new-session, and run the agent in it"}
		if name != integrations.Auto {
			line.Detail = "the host that is set, " + name + ", cannot be used: every question ends as unavailable"
			line.Fix = "unset ASKPANE_HOST"
		}
		lines = append(lines, line)
	}
	return lines, used
}

func viewerLines(ctx context.Context, used host.Host, s settings.Settings) []doctorLine {
	if used == nil {
		return nil
	}
	const section = "viewer"
	v, err := used.Viewer(ctx)
	if err == nil {
		err = v.Absent
	}
	if errors.Is(err, host.ErrNoViewer) {
		fix := used.Kind().Attach
		if errors.Is(err, host.ErrUnfit) {
			fix += ", in another terminal"
		}
		return []doctorLine{{section, used.Kind().Name, isWarn, err.Error() + ": questions wait until somebody is", fix}}
	}
	if err != nil {
		return []doctorLine{{section, used.Kind().Name, isFail, err.Error(), ""}}
	}
	detail := cmp.Or(v.Name, v.ID)
	if v.Width > 0 {
		detail += fmt.Sprintf(", %dx%d", v.Width, v.Height)
	}
	if idle, known := v.Idle(time.Now()); known {
		detail += ", last used " + text.Age(idle) + " ago"
	}
	if t, err := used.Terminal(ctx); err == nil {
		detail += ", " + cmp.Or(t.Program, "a terminal of no known kind") + " (TERM=" + t.Name + ")"
	}
	forms := openModeLine(s)
	if used.Kind().Borrows && forms.State == isOK {
		forms.Detail += ", for what you run here yourself"
	}
	return []doctorLine{{section, used.Kind().Name, isOK, detail, ""}, forms}
}

// openModeLine says when forms open there.
func openModeLine(s settings.Settings) doctorLine {
	line := doctorLine{"viewer", "forms", isOK, "open at once", ""}
	switch s.OpenMode {
	case settings.OpenIdle:
		line.Detail = fmt.Sprintf("open once nothing has been typed for %s (openMode is idle)", text.Age(time.Duration(s.IdleSeconds)*time.Second))
	case settings.OpenManual:
		line.State, line.Detail = isOff, "do not open by themselves (openMode is manual); askpane next opens one"
	}
	return line
}

// alertLines says what each alert would do in used, which may be nil.
func alertLines(ctx context.Context, s settings.Settings, used host.Host) []doctorLine {
	states := map[string]doctorState{notify.On: isOK, notify.Off: isOff, notify.Cannot: isWarn}
	var lines []doctorLine
	for _, l := range notify.Describe(ctx, asker.AlertConfig(s), tryRoutes(used)) {
		lines = append(lines, doctorLine{"alerts", l.Name, states[l.State], l.Detail, l.Fix})
	}
	return lines
}

// tryRoutes are the routes of used, where the heartbeat goes to us.
func tryRoutes(used host.Host) notify.Routes {
	if used == nil {
		return notify.Routes{}
	}
	return asker.Asking{Beat: asker.BeatAside, Told: asker.Told{Log: logfile.New("off")}}.Routes(used)
}

// recent is how long an alert's failure is held against it. Nobody notes that
// it has worked since.
const recent = 24 * time.Hour

// withFailures adds to each alert when and how it failed last.
func withFailures(lines []doctorLine) []doctorLine {
	path, err := logfile.Path()
	if err != nil {
		return lines
	}
	last, err := logfile.LastFailures(path)
	if err != nil {
		lines = append(lines, doctorLine{"alerts", "log", isWarn, err.Error(), ""})
	}
	for i, l := range lines {
		f, failed := last[l.Name]
		if !failed || l.State == isOff {
			continue
		}
		ago := max(0, time.Since(f.At))
		lines[i].Detail += fmt.Sprintf("; last failed %s ago: %s", text.Age(ago), f.Error)
		if l.State == isOK && ago < recent {
			lines[i].State = isWarn
			lines[i].Fix = cmp.Or(l.Fix, "askpane doctor --try, to see whether it still does")
		}
	}
	return lines
}

// settingsLines says which files the settings come from, and what of them cannot
// be used.
func settingsLines(s settings.Loaded) []doctorLine {
	const section = "settings"
	var lines []doctorLine
	for _, f := range s.Files {
		if f.Found {
			lines = append(lines, doctorLine{section, "file", isOK, f.Path, ""})
		}
	}
	for _, p := range s.Problems {
		fix := "askpane settings edit"
		switch {
		case p.Where == s.File(settings.Global).Path:
			fix += " --global"
		case p.Where != s.File(settings.Project).Path && strings.HasPrefix(p.Where, "ASKPANE_"):
			fix = "unset " + p.Where
		case p.Where != s.File(settings.Project).Path:
			fix = "mend " + shellWord(p.Where)
		}
		lines = append(lines, doctorLine{section, "problem", isWarn, p.Error(), fix})
	}
	if len(lines) == 0 {
		lines = append(lines, doctorLine{section, "files", isOK, "there is none; askpane settings makes one", ""})
	}
	return lines
}

func spoolLines() []doctorLine {
	const section = "files"
	dir, err := spool.Dir()
	if err != nil {
		return []doctorLine{{section, "spool", isFail, err.Error(), "export ASKPANE_SPOOL=/a/directory/of/your/own"}}
	}
	err, noHistory := spool.Check(dir)
	if errors.Is(err, fs.ErrNotExist) {
		if above, err := writableAbove(dir); err != nil {
			return []doctorLine{{section, "spool", isFail, fmt.Sprintf("%s is not there, and cannot be made in %s: %v", dir, above, err),
				"export ASKPANE_SPOOL=/a/directory/of/your/own"}}
		}
		return []doctorLine{{section, "spool", isOK, dir + " is not there yet; the first question makes it", ""}}
	}
	if err != nil {
		detail, fix, _ := strings.Cut(err.Error(), "; ")
		if info, e := os.Lstat(dir); e == nil && info.IsDir() && info.Mode().Perm()&0o077 != 0 && ours(info) {
			fix = "chmod 700 " + shellWord(dir)
		}
		return []doctorLine{{section, "spool", isFail, detail, fix}}
	}
	detail := dir
	if c, err := countWaiting(); err != nil {
		return []doctorLine{{section, "spool", isFail, err.Error(), ""}}
	} else {
		detail += fmt.Sprintf("; %d waiting", c.Waiting)
		if c.Waiting > 0 {
			detail += ", the oldest for " + text.Age(max(0, time.Since(c.Oldest)))
		}
	}
	lines := []doctorLine{{section, "spool", isOK, detail, ""}}
	if noHistory != nil {
		lines = append(lines, doctorLine{section, "history", isWarn, noHistory.Error(),
			"make it a directory of your own, or a link to one; until then what is over stays in the spool"})
	}
	return lines
}

// writableAbove checks that the first directory above dir which is there can be
// written to.
func writableAbove(dir string) (above string, err error) {
	for above = filepath.Dir(dir); ; above = filepath.Dir(above) {
		if _, err := os.Stat(above); err == nil || above == filepath.Dir(above) {
			return above, unix.Access(above, unix.W_OK|unix.X_OK)
		}
	}
}

func ours(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return !ok || int(st.Uid) == os.Geteuid()
}

// shellWord quotes a path for a command that a person copies.
func shellWord(path string) string {
	if strings.ContainsFunc(path, func(r rune) bool { return !strings.ContainsRune("/._-+,@", r) && !isWordRune(r) }) {
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
	return path
}

func isWordRune(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
}

func logLines() []doctorLine {
	path, err := logfile.Path()
	if err != nil {
		return []doctorLine{{"files", "log", isWarn, err.Error(), ""}}
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return []doctorLine{{"files", "log", isOK, path + " is not there: nothing has been logged", ""}}
	case err != nil:
		return []doctorLine{{"files", "log", isWarn, err.Error(), ""}}
	case !info.Mode().IsRegular() || unix.Access(path, unix.W_OK) != nil:
		return []doctorLine{{"files", "log", isWarn, path + " cannot be written to", "rm " + shellWord(path)}}
	}
	return []doctorLine{{"files", "log", isOK, fmt.Sprintf("%s, %d bytes", path, info.Size()), ""}}
}
