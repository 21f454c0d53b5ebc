package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/askpane/askpane/bridge/spool"
	"github.com/askpane/askpane/integrations/agents"
	"github.com/askpane/askpane/settings"
	"github.com/askpane/askpane/settings/edit"
)

// setupRecord is what setup has written, for setup --undo. What an agent's files
// were is kept beside them, as for install.
type setupRecord struct {
	Agents []string `json:"agents"` // and multiplexers
	// Path is the settings file, if that was changed, with its content: null is no file.
	Path          string `json:"path,omitempty"`
	Before, After []byte `json:",omitempty"`
}

// setupRecordPath is where the record is.
func setupRecordPath() (string, error) {
	dir, err := spool.StateDir()
	return filepath.Join(dir, "setup.json"), err
}

func readSetupRecord() (r setupRecord, path string, err error) {
	if path, err = setupRecordPath(); err != nil {
		return r, path, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return r, path, err
	}
	if err = json.Unmarshal(data, &r); err != nil {
		err = fmt.Errorf("%s is no record of what setup has written: %w; move it away, and askpane uninstall takes out what is installed", path, err)
	}
	return r, path, err
}

// remember adds what is going to be written to the record.
func (p setupPlan) remember() error {
	r, path, err := readSetupRecord()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, name := range p.record.Agents {
		if !slices.Contains(r.Agents, name) {
			r.Agents = append(r.Agents, name)
		}
	}
	if p.record.Path != "" {
		if r.Path != p.record.Path {
			r.Path, r.Before = p.record.Path, p.record.Before
		}
		r.After = p.record.After
	}
	data, err := json.MarshalIndent(r, "", "  ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err != nil {
		return err
	}
	return edit.File(path, append(data, '\n'))
}

// undoSetup takes back all that is in the record. What was changed since stays.
func undoSetup() error {
	r, path, err := readSetupRecord()
	if errors.Is(err, fs.ErrNotExist) {
		fmt.Println("setup has written nothing here; askpane install --check says what is installed.")
		return nil
	}
	if err != nil {
		return err
	}
	o, err := installOptions(false)
	if err != nil {
		return err
	}
	var failed error
	for _, a := range agents.All() {
		if slices.Contains(r.Agents, a.Name) {
			failed = errors.Join(failed, uninstall(a, o))
		}
	}
	if r.Path != "" {
		failed = errors.Join(failed, r.restoreSettings(o.Home))
	}
	if failed != nil { // the record stays: what is left is taken back by calling it again
		return failed
	}
	return os.Remove(path)
}

// restoreSettings gives back the file as it was or, where it was changed since, the
// settings that setup changed.
func (r setupRecord) restoreSettings(home string) error {
	now, err := os.ReadFile(r.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case string(now) == string(r.After):
		return write([]agents.Step{agents.Change("settings", r.Path, home, r.After, r.Before)}, nil)
	}
	file, err := settings.Writable(here(), true)
	if err == nil && file.Path != r.Path {
		err = fmt.Errorf("setup changed %s, which was changed since, and your settings are in %s now: take out of the first by hand what you do not want", r.Path, file.Path)
	}
	if err != nil {
		return err
	}
	newer, err := file.Restore(r.Before, r.After)
	if len(newer) > 0 {
		warn(fmt.Errorf("left as they are in %s, since they were changed after setup: %s", file.Path, strings.Join(newer, ", ")))
	}
	return err
}
