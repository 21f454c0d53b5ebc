package main

import (
	"fmt"
	"os"
	"os/exec"
	"time"
)

// statusTarget is what askpane status may take: status lines run it every few
// seconds.
const statusTarget = 4 * time.Millisecond

// status measures askpane status where nothing waits, from start to exit.
func status(binary string) error {
	dir, err := os.MkdirTemp("", "askpane-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var took []time.Duration
	for range 40 {
		cmd := exec.Command(binary, "status")
		cmd.Env = append(os.Environ(), "ASKPANE_SPOOL="+dir)
		began := time.Now()
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("askpane status: %w: %s", err, out)
		}
		took = append(took, time.Since(began))
	}
	median := quantile(took, 0.5)
	verdict(median <= statusTarget, "askpane status: %.1f ms, target at most %.0f ms", ms(median), ms(statusTarget))
	return nil
}
