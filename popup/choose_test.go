package popup

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
)

// questions is a spool with as many that wait.
func questions(t *testing.T, count int) (sp *spool.Spool, all []*spool.Entry) {
	t.Helper()
	sp, err := spool.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sp.Close() })
	for range count {
		e, err := sp.Create(spool.Request{Form: form.Form{Dialect: "question", Questions: []form.Question{{Label: "A", Kind: form.Text}}}, Origin: spool.Origin{Start: time.Now()}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { e.Close() })
		all = append(all, e)
	}
	return sp, all
}

// showing is a popup's side of an entry.
func showing(t *testing.T, sp *spool.Spool, id string) *spool.Entry {
	t.Helper()
	e, err := sp.Open(id)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	if ok, err := e.TakePopup(); !ok || err != nil {
		t.Fatal(ok, err)
	}
	return e
}

// The oldest first that nobody looks at, those whose agent is gone last, and what
// is taken meanwhile is passed over.
func TestNextChooses(t *testing.T) {
	t.Parallel()
	sp, all := questions(t, 4)
	gone, shown, first, second := all[0], all[1], all[2], all[3]
	if err := gone.StopWaiting(); err != nil {
		t.Fatal(err)
	}
	showing(t, sp, shown.ID)
	var tried []string
	warn := func(err error) { t.Error(err) }
	taken := func(id string) error { tried = append(tried, id); return ErrShown }
	ok, elsewhere, err := Next(sp, warn, taken)
	want := []string{first.ID, second.ID}
	slices.Sort(want)
	if want = append(want, gone.ID); ok || elsewhere != 4 || err != nil || !slices.Equal(tried, want) {
		t.Errorf("Next = %v, %d, %v after %v, want %v", ok, elsewhere, err, tried, want)
	}
	ok, elsewhere, err = Next(sp, warn, func(string) error { return spool.ErrAnswered })
	if ok || elsewhere != 1 || err != nil {
		t.Errorf("where all have been answered meanwhile but one, Next = %v, %d, %v", ok, elsewhere, err)
	}
	tried = nil
	failed := errors.New("the terminal is gone")
	ok, _, err = Next(sp, warn, func(id string) error { tried = append(tried, id); return failed })
	if !ok || err != failed || !slices.Equal(tried, want[:1]) {
		t.Errorf("Next = %v, %v after %v", ok, err, tried)
	}
}

// One whose form has just been left is waited for.
func TestNextAfterGoingThere(t *testing.T) {
	t.Parallel()
	sp, all := questions(t, 1)
	left := showing(t, sp, all[0].ID)
	if err := left.PutAside("v", ""); err != nil {
		t.Fatal(err)
	}
	closed := make(chan struct{})
	defer func() { <-closed }()
	time.AfterFunc(50*time.Millisecond, func() {
		left.Close()
		close(closed)
	})
	ok, elsewhere, err := Next(sp, func(err error) { t.Error(err) }, func(string) error { return nil })
	if !ok || err != nil {
		t.Errorf("the form that was closing is not shown: Next = %v, %d, %v", ok, elsewhere, err)
	}
}
