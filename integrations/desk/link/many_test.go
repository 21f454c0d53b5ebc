package link

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"testing"
	"time"
)

// Many machines in one process, with questions at once: each is answered where the person
// sits, and what a link takes is little. ASKPANE_LINKS says how many.
func TestManyMachines(t *testing.T) {
	t.Parallel()
	n, questions := 20, 3
	if set, err := strconv.Atoi(os.Getenv("ASKPANE_LINKS")); err == nil {
		n = set
	}
	w := newWorld(t)
	w.beat = AliveTime / 3
	laptop := w.machine("laptop", true)
	laptop.answersAll()
	var all []*desk
	for i := range n {
		all = append(all, w.machine(fmt.Sprintf("build%d", i), false))
	}
	for _, d := range all {
		w.until(d.name+" is connected", func() bool { return d.status().Connected })
	}
	var before runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	var asked []*asked
	for range questions {
		for _, d := range all {
			asked = append(asked, d.ask())
		}
	}
	for _, q := range asked {
		q.isAnsweredBy("laptop")
	}
	var after runtime.MemStats
	runtime.ReadMemStats(&after)
	t.Logf("%d questions of %d machines in %v; %d goroutines, %d MB in use", len(asked), n, time.Since(began), runtime.NumGoroutine(), after.HeapInuse>>20)
	for _, q := range asked {
		laptop.hasWon(q.id)
	}
	if shown := laptop.shown.Load(); shown != int32(len(asked)) {
		t.Errorf("%d questions were shown %d times", len(asked), shown)
	}
}
