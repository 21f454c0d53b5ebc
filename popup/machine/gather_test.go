package machine

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// Three disks with a surface each, which hear of each other late and in any order: in the
// end all have the same, and what was typed without having been seen stands there or
// beside it.
func TestGatherWalks(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 5))
		f := syncForm()
		names := []string{"popup@a", "popup@b", "popup@c"}
		disks := make([]*desk, len(names))
		for i, name := range names {
			disks[i] = newDesk(t, f, name)
			disks[i].write(disks[i].surface[name].Draft())
		}
		hear := func(i int, other Draft) {
			disks[i].disk, _ = json.Marshal(Gather(disks[i].read(), other))
		}
		var late []Draft
		texts := map[string]string{} // the last that each has typed
		for n := range 40 {
			i := random.IntN(len(disks))
			switch m := disks[i].surface[names[i]]; random.IntN(4) {
			case 0:
				late = append(late, disks[i].read())
			case 1:
				if len(late) > 0 {
					hear(i, late[random.IntN(len(late))])
				}
			default:
				if m.Meet(disks[i].read()); m.offer != nil {
					m.Handle(Event{Action: TakeOffer})
				}
				for m.Step() != 3 {
					m.Handle(Event{Action: Next})
				}
				text := fmt.Sprintf("t%d;", n)
				m.Handle(Event{Action: Type, Text: text})
				texts = map[string]string{names[i]: text}
				m.Meet(disks[i].write(m.Draft()))
			}
		}
		for range 2 {
			for i := range disks {
				for j := range disks {
					if i != j {
						hear(i, disks[j].read())
					}
				}
			}
		}
		first := disks[0].read()
		for _, d := range disks[1:] {
			if other := d.read(); !reflect.DeepEqual(first.Stamps, other.Stamps) || first.Entries[3] != other.Entries[3] {
				t.Fatalf("seed %d:\n%+v\n%+v", seed, first, other)
			}
		}
		for _, text := range texts {
			if all := fmt.Sprint(first.Entries, first.Beside); !strings.Contains(all, text) {
				t.Fatalf("seed %d: %s was typed last and is not in %s", seed, text, all)
			}
		}
	}
}
