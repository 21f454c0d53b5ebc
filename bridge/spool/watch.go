package spool

import (
	"context"
	"strings"

	"github.com/askpane/askpane/bridge/watch"
)

// Watch tells of changes in an entry, in a queue, or in the spool.
type Watch struct {
	*watch.Watch
	// Changed has a value when something may have changed since it was last
	// received from. Changes are merged.
	Changed <-chan struct{}
}

// Watch tells of what comes, changes and goes in an entry, or in the spool, until Stop.
func (d folder) Watch() *Watch {
	changed, tell := watch.Merged()
	tell() // something may have happened before
	return &Watch{watch.Dir(d.path, func(name string) {
		if name != reserveFile && !strings.HasPrefix(name, ".") { // a popup is told there; a dot begins what is still being written
			tell()
		}
	}), changed}
}

// Each calls changed at each change until ctx ends, and with it the watch.
func (w *Watch) Each(ctx context.Context, changed func()) {
	defer w.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.Changed:
			changed()
		}
	}
}
