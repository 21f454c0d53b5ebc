package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/askpane/askpane/tests/bench/agent"
	"github.com/askpane/askpane/tests/bench/stage"
)

// mostResident is what a waiting askpane ask may hold, in KiB.
const mostResident = 12 << 10

// waiting asks a question, leaves it alone, and says what it used meanwhile.
func waiting(pane *agent.Agent, st *stage.Stage, askpane *contender, long time.Duration) error {
	if _, err := os.Stat("/proc/self/stat"); errors.Is(err, fs.ErrNotExist) {
		fmt.Println("memory and processor time of a waiting question: not measured, they are read from /proc")
		return nil
	}
	if err := st.Quiet(calm, time.Now().Add(patience)); err != nil {
		return err
	}
	st.Arm()
	p, err := askpane.begin(pane, st, "Waiting")
	if err != nil {
		return err
	}
	defer p.end()
	if _, err := st.Seen("Waiting", time.Now().Add(patience)); err != nil {
		return errors.Join(err, p.complaint())
	}
	// By then the alerts have been raised, and tmux has been asked for the last
	// time whether it paints the form (integrations/tmux, Shown).
	time.Sleep(5 * time.Second)
	popup, err := popupPID(st.Spool())
	if err != nil {
		return err
	}
	pids := map[string]int{"askpane ask": p.PID, "its popup": popup}
	before := map[string]usage{}
	for name, pid := range pids {
		if before[name], err = look(pid); err != nil {
			return err
		}
	}
	time.Sleep(long)
	fmt.Println()
	for _, name := range []string{"askpane ask", "its popup"} {
		now, err := look(pids[name])
		if err != nil {
			return err
		}
		fmt.Printf("%s, waiting: %.1f MiB resident, %s, %d ticks of processor time and %d wake-ups in %s\n", name,
			float64(now.resident)/1024, now.share(), now.ticks-before[name].ticks, now.switches-before[name].switches, long)
		if name == "askpane ask" {
			verdictWaiting(now, now.ticks-before[name].ticks)
		}
	}
	return nil
}

func verdictWaiting(u usage, ticks int64) {
	verdict(u.resident <= mostResident && ticks == 0, "  target no processor time, at most %d MiB", mostResident>>10)
}

// usage is what the kernel says about a process.
type usage struct {
	resident     int64 // KiB
	proportional int64 // KiB; -1 where the kernel does not say
	ticks        int64
	// switches is how often one of its threads gave up the processor of its own accord. A
	// tick of a popup's clock, once a second, is a dozen: most of Go's own monitor.
	switches int64
}

func (u usage) share() string {
	if u.proportional < 0 {
		return "proportional share not readable"
	}
	return fmt.Sprintf("%.1f MiB its share (Pss)", float64(u.proportional)/1024)
}

func look(pid int) (u usage, err error) {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	if u.resident, err = field(filepath.Join(dir, "status"), "VmRSS:"); err != nil {
		return u, err
	}
	if u.proportional, err = field(filepath.Join(dir, "smaps_rollup"), "Pss:"); err != nil {
		u.proportional = -1
	}
	threads, err := filepath.Glob(filepath.Join(dir, "task", "*", "status"))
	for _, t := range threads {
		n, err := field(t, "voluntary_ctxt_switches:")
		if err != nil {
			return u, err
		}
		u.switches += n
	}
	if err != nil {
		return u, err
	}
	stat, err := os.ReadFile(filepath.Join(dir, "stat"))
	if err != nil {
		return u, err
	}
	// The fields after the name, which may hold blanks itself: utime and stime
	// are the 14th and 15th of all (proc(5)).
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) < 13 {
		return u, fmt.Errorf("%s/stat: expected more fields", dir)
	}
	user, err := strconv.ParseInt(fields[11], 10, 64)
	if err != nil {
		return u, err
	}
	system, err := strconv.ParseInt(fields[12], 10, 64)
	u.ticks = user + system
	return u, err
}

// field is the number that follows name at the start of a line.
func field(file, name string) (int64, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(data)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == name {
			return strconv.ParseInt(f[1], 10, 64)
		}
	}
	return 0, fmt.Errorf("%s has no %s", file, name)
}

// popupPID is who holds the one popup.lock in the spool.
func popupPID(spool string) (int, error) {
	locks, err := filepath.Glob(filepath.Join(spool, "*", "popup.lock"))
	if err != nil {
		return 0, err
	}
	if len(locks) != 1 {
		return 0, fmt.Errorf("expected one popup on the stage, found %d", len(locks))
	}
	data, err := os.ReadFile(locks[0])
	if err != nil {
		return 0, err
	}
	var holder struct{ PID int }
	if err := json.Unmarshal(data, &holder); err != nil {
		return 0, fmt.Errorf("%s: %w", locks[0], err)
	}
	return holder.PID, nil
}
