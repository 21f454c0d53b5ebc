package integrations

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/askpane/askpane/integrations/host"
)

// place is a host that may have a viewer.
type place struct {
	host.Host
	kind   host.Kind
	viewer host.Viewer
	err    error
	rung   *string
}

func (p place) Kind() *host.Kind                             { return &p.kind }
func (p place) Viewer(context.Context) (host.Viewer, error)  { return p.viewer, p.err }
func (p place) Ring(context.Context, func(string) int) error { *p.rung = p.viewer.ID; return nil }
func (p place) find(context.Context) (host.Host, error)      { return p, nil }
func (p place) Open(context.Context, host.Viewer, host.Command) (host.Opening, error) {
	return nil, errors.New("opened on " + p.viewer.ID)
}

// The person is where they were active last, of all that is there now; a popup opens and
// the bell rings there.
func TestAnywhere(t *testing.T) {
	before, rung := all, ""
	t.Cleanup(func() { all = before })
	now := time.Now()
	there := func(places ...place) {
		kind := &host.Kind{Name: "fake", Anywhere: func(refs []string) (finds []func(context.Context) (host.Host, error)) {
			if !slices.Equal(refs, []string{"a pane of fake"}) {
				t.Errorf("the panes are %q", refs)
			}
			for _, p := range places {
				p.kind.Name, p.rung = "host of "+p.viewer.ID, &rung
				finds = append(finds, p.find)
			}
			return append(finds, func(context.Context) (host.Host, error) { return nil, errors.New("it does not answer") })
		}}
		all = []*host.Kind{{Name: "only by its ancestors"}, kind}
	}
	at := func(id string, active time.Time) place { return place{viewer: host.Viewer{ID: id, Active: active}} }
	h, err := Anywhere(func(host string) []string { return []string{"a pane of " + host} })(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	there()
	if _, err := h.Viewer(t.Context()); !errors.Is(err, host.ErrNoViewer) || errors.Is(err, host.ErrUnfit) {
		t.Errorf("nobody anywhere: %v", err)
	}
	if err := h.Ring(t.Context(), nil); err != nil {
		t.Errorf("ring for nobody: %v", err)
	}
	if _, err := h.Open(t.Context(), host.Viewer{ID: "a"}, host.Command{}); !errors.Is(err, host.ErrNoViewer) {
		t.Errorf("open for nobody: %v", err)
	}
	there(place{err: host.ErrNoViewer}, place{err: host.ErrUnfit})
	if _, err := h.Viewer(t.Context()); !errors.Is(err, host.ErrUnfit) {
		t.Errorf("somebody who cannot answer: %v", err)
	}
	for _, c := range []struct {
		want   string
		places []place
	}{
		{"a", []place{at("a", time.Time{})}},
		{"b", []place{at("a", now.Add(-time.Hour)), at("b", now), {err: host.ErrNoViewer}}},
		{"a", []place{at("a", now), at("b", time.Time{})}},
		{"c", []place{at("c", now), at("b", now.Add(-time.Hour))}},
	} {
		there(c.places...)
		v, err := h.Viewer(t.Context())
		if err != nil || v.ID != c.want || host.At(h, v.ID).Kind().Name != "host of "+c.want {
			t.Errorf("%+v: viewer %s at %s, %v", c.places, v.ID, host.At(h, v.ID).Kind().Name, err)
		}
		if _, err := h.Open(t.Context(), v, host.Command{}); err == nil || err.Error() != "opened on "+c.want {
			t.Errorf("Open: %v", err)
		}
		if err := h.Ring(t.Context(), nil); err != nil || rung != c.want {
			t.Errorf("rung at %s, %v", rung, err)
		}
	}
	if name := host.At(h, "b").Kind().Name; name != "host of b" {
		t.Errorf("a viewer of before is at %s", name)
	}
}
