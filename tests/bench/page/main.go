// Command page measures what the page in a browser costs on askpane's side: until a page
// has what it shows from a desk that is not up, from a click until the answer is on the
// disk, and what a desk takes that does nothing. A browser's own time is not in it.
//
// With -crowd it measures how late many open pages show what happens instead.
//
// Everything runs in a temporary directory. It is a benchmark and no test: it fails only
// when something does not work, and with -crowd where anything is too late.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/askpane/askpane/bridge/address"
	"github.com/askpane/askpane/bridge/dialect"
	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/tests/bench/usage"
	"github.com/askpane/askpane/tests/visitor"
)

func main() {
	rounds := flag.Int("rounds", 30, "how often each is measured")
	idle := flag.Duration("idle", 20*time.Second, "how long the desk is left alone")
	crowd := flag.Int("crowd", 0, "measure so many open pages instead")
	questions := flag.Int("questions", 1000, "how many questions wait then")
	flag.Parse()
	if err := bench(*rounds, *idle, *crowd, *questions); err != nil {
		fmt.Fprintf(os.Stderr, "page: %v\n", err)
		os.Exit(1)
	}
}

const (
	question = `{"questions":[{"id":"shed","prompt":"Which colour has the shed?","options":[{"value":"g","label":"Green"},{"value":"r","label":"Red"}]}]}`

	shownTarget   = 150 * time.Millisecond
	clickTarget   = 20 * time.Millisecond
	mostResident  = 20 << 10 // KiB
	patience      = 10 * time.Second
	untilIdle     = 15 * time.Second // what the desk and its runtime do after a page
	lookAgainSoon = 5 * time.Millisecond
)

// stand is a desk's surroundings.
type stand struct {
	askpane string
	spool   *spool.Spool
}

func bench(rounds int, idle time.Duration, crowd, questions int) error {
	dir, err := os.MkdirTemp("", "askpane-page-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for name, below := range map[string]string{"HOME": "home", "XDG_STATE_HOME": "state", "XDG_CONFIG_HOME": "config", "ASKPANE_SPOOL": "spool"} {
		if err := os.Setenv(name, filepath.Join(dir, below)); err != nil {
			return err
		}
	}
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-tags", "urfave_cli_no_docs,netgo,osusergo,nethttpomithttp2", "-o", dir+"/", "github.com/askpane/askpane/cmd/...")
	build.Env = append(os.Environ(), "HOME="+home)
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build askpane: %w\n%s", err, out)
	}
	s := stand{askpane: filepath.Join(dir, "askpane")}
	if s.spool, err = spool.Open(filepath.Join(dir, "spool")); err != nil {
		return err
	}
	defer s.spool.Close()
	defer func() { _ = s.end() }()
	if crowd > 0 {
		return s.crowd(crowd, questions)
	}
	var shown, click []time.Duration
	for range rounds {
		a, b, err := s.round()
		if err != nil {
			return err
		}
		shown, click = append(shown, a), append(click, b)
	}
	report("page shown, from a desk that is not up", shown, shownTarget, false)
	report("click, until the answer is on the disk", click, clickTarget, false)
	return s.idle(idle)
}

// home is the person's own, where the compiler has its cache.
var home = os.Getenv("HOME")

// report prints what was measured. The target is for the median, or for every one.
func report(what string, all []time.Duration, target time.Duration, each bool) {
	slices.Sort(all)
	held := all[len(all)/2]
	if each {
		held = all[len(all)-1]
	}
	ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
	fmt.Printf("%s: median %.1f ms, p90 %.1f, max %.1f (%d); target %.0f: %s\n", what, ms(all[len(all)/2]), ms(all[len(all)*9/10]), ms(all[len(all)-1]), len(all),
		ms(target), verdict(held <= target))
}

func verdict(met bool) string {
	if met {
		return "met"
	}
	return "MISSED"
}

// round asks a question, opens it by a desk that is started for it, and answers it.
func (s stand) round() (shown, click time.Duration, err error) {
	e, err := s.ask()
	if err != nil {
		return 0, 0, err
	}
	defer e.Close()
	began := time.Now()
	page, err := s.open(e.ID)
	if err != nil {
		return 0, 0, err
	}
	defer page.Close()
	shown = time.Since(began)
	began = time.Now()
	err = page.Do("choose", 0)
	click = time.Since(began)
	if _, answered, why := e.Answer(); err == nil && !answered {
		err = fmt.Errorf("the click is taken, and there is no answer (%v)", why)
	}
	return shown, click, errors.Join(err, e.Deliver(), s.end())
}

func (s stand) ask() (*spool.Entry, error) {
	_, f, err := dialect.Decode("", []byte(question))
	if err != nil {
		return nil, err
	}
	return s.spool.Create(spool.Request{Form: f, Raw: []byte(question), Origin: spool.Origin{Agent: "bench", Start: time.Now()}})
}

// open opens a question's page.
func (s stand) open(id string) (*visitor.Tab, error) {
	link, err := exec.Command(s.askpane, "page", "--link", id).Output()
	if err != nil {
		return nil, fmt.Errorf("askpane page: %w", err)
	}
	page, _, err := visitor.Open(strings.TrimSpace(string(link)), id)
	return page, err
}

// end ends the desk.
func (s stand) end() error {
	a, up := address.Up()
	if !up {
		return nil
	}
	if err := syscall.Kill(a.PID, syscall.SIGTERM); err != nil {
		return err
	}
	for limit := time.Now().Add(patience); up; _, up = address.Up() {
		if time.Now().After(limit) {
			return fmt.Errorf("the desk (process %d) does not end", a.PID)
		}
		time.Sleep(lookAgainSoon)
	}
	return nil
}

// idle leaves a desk alone that has one page open, of a question.
func (s stand) idle(long time.Duration) error {
	e, err := s.ask()
	if err != nil {
		return err
	}
	defer e.Close()
	page, err := s.open(e.ID)
	if err != nil {
		return err
	}
	defer page.Close()
	a, _ := address.Up()
	time.Sleep(untilIdle)
	before, err := usage.Of(a.PID)
	if err != nil {
		return err
	}
	time.Sleep(long)
	now, err := usage.Of(a.PID)
	if err != nil {
		return err
	}
	wakes := now.Switches - before.Switches
	fmt.Printf("desk with a question on one page, idle: %.1f MiB resident, %s, %d ticks of processor time and %d wake-ups in %s; target %d MiB and 0: %s\n",
		float64(now.Resident)/1024, now.Share(), now.Ticks-before.Ticks, wakes, long, mostResident>>10, verdict(now.Resident <= mostResident && wakes == 0))
	return nil
}
