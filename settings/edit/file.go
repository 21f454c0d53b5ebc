package edit

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"github.com/askpane/askpane/bridge/text/hint"
)

// File gives a file new content in one step; its mode stays. Where path is a
// link, the file that it leads to is written.
func File(path string, content []byte) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	} else if _, err := os.Lstat(path); err == nil {
		return hint.New("make the file that it leads to", "%s is a link to nothing", path)
	}
	return renameio.WriteFile(path, content, 0o600, renameio.WithTempDir(filepath.Dir(path)))
}

// Within refuses a file of a project that a link leads out of it: which file is
// changed is not for a clone to say.
func Within(project, path string) error {
	root, err := os.OpenRoot(project)
	if err != nil {
		return err
	}
	defer root.Close()
	below, err := filepath.Rel(project, path)
	if err == nil {
		_, err = root.Stat(below)
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if _, err := os.Stat(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return hint.New("put a file of its own there", "%s is a link that leads out of the project", path)
}
