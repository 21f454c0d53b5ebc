package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/askpane/askpane/tests/bench/agent"
	"github.com/askpane/askpane/tests/bench/stage"
	"github.com/askpane/askpane/tests/bench/usage"
)

// mostResident is what a waiting askpane ask may hold, in KiB.
const mostResident = 9 << 10

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
	before := map[string]usage.Usage{}
	for name, pid := range pids {
		if before[name], err = usage.Of(pid); err != nil {
			return err
		}
	}
	time.Sleep(long)
	fmt.Println()
	for _, name := range []string{"askpane ask", "its popup"} {
		now, err := usage.Of(pids[name])
		if err != nil {
			return err
		}
		fmt.Printf("%s, waiting: %.1f MiB resident, %s, %d ticks of processor time and %d wake-ups in %s\n", name,
			float64(now.Resident)/1024, now.Share(), now.Ticks-before[name].Ticks, now.Switches-before[name].Switches, long)
		if name == "askpane ask" {
			verdictWaiting(now, now.Ticks-before[name].Ticks)
		}
	}
	return nil
}

func verdictWaiting(u usage.Usage, ticks int64) {
	verdict(u.Resident <= mostResident && ticks == 0, "  target no processor time, at most %d MiB", mostResident>>10)
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
