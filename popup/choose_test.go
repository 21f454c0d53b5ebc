package popup

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/askpane/askpane/bridge/form"
	"github.com/askpane/askpane/bridge/spool"
)

// The oldest first that nobody looks at, those whose agent is gone last, and what
// is taken meanwhile is passed over.
func TestNextChooses(t *testing.T) {
	sp, err := spool.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer sp.Close()
	ask := func() *spool.Entry {
		e, err := sp.Create(spool.Request{Form: form.Form{Dialect: "question", Questions: []form.Question{{Label: "A", Kind: form.Text}}}, Origin: spool.Origin{Start: time.Now()}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { e.Close() })
		return e
	}
	gone, shown, first, second := ask(), ask(), ask(), ask()
	if err := gone.StopWaiting(); err != nil {
		t.Fatal(err)
	}
	looked, err := sp.Open(shown.ID)
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := looked.TakePopup(); !ok || err != nil {
		t.Fatal(ok, err)
	}
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

	// One whose form has just been left is waited for.
	if err := looked.PutAside("v", ""); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(50*time.Millisecond, func() { looked.Close() })
	ok, _, err = Next(sp, warn, func(id string) error {
		if id == shown.ID {
			return nil
		}
		return ErrShown
	})
	if !ok || err != nil {
		t.Errorf("the form that was closing is not shown: Next = %v, %v", ok, err)
	}
}
