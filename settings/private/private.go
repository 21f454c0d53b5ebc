// Package private reads and writes the person's files that nobody else may see: keys and
// tokens.
//
// The rule that must hold here: what another user could have read or written is refused,
// and nothing of a file's content is in an error.
package private

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"github.com/google/renameio/v2"

	"github.com/askpane/askpane/bridge/text/hint"
)

// ErrNewer says that a file is of a later format.
var ErrNewer = errors.New("it is of a newer format than this askpane knows")

// version numbers the newest format of all these files.
const version = 1

// Known returns an error where v is a later format of what.
func Known(v int, what string) error {
	if v <= version {
		return nil
	}
	return hint.New("install a newer askpane", "%s cannot be read: %w", what, ErrNewer)
}

// most bounds such a file, in bytes.
const most = 16 << 20

// Bytes reads a file that nobody else can have read or written. It may be behind a link:
// secrets of one's own often are.
func Bytes(path string) ([]byte, error) { return bytes(path, 0) }

func bytes(path string, how int) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|how, 0)
	if errors.Is(err, syscall.ENXIO) || errors.Is(err, syscall.ELOOP) { // a socket, a link
		return nil, foreign(path)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if err := closed(info, path, 0o077, info.Mode().IsRegular()); err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(f, most))
}

// closed returns an error unless a file is ours, of the right kind, and without those bits.
func closed(info os.FileInfo, path string, open os.FileMode, right bool) error {
	switch {
	case int(info.Sys().(*syscall.Stat_t).Uid) != os.Geteuid(), !right:
		return foreign(path)
	case info.Mode().Perm()&open != 0:
		return hint.New("run chmod go= "+hint.Word(path)+"; if others use this machine, make what is in it anew as well", "%s is open to others (mode %04o)", path, info.Mode().Perm())
	}
	return nil
}

func foreign(path string) error {
	return hint.New("see who has put it there, and remove it", "%s is not yours, or of another kind than it should be", path)
}

// Dir returns an error unless a directory is ours, and without those bits.
func Dir(path string, open os.FileMode) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	return closed(info, path, open, info.IsDir())
}

// Read reads such a file of JSON, no link, in a directory that nobody else may change.
func Read[T any](dir, name string) (v T, err error) {
	if err := Dir(dir, 0o022); err != nil {
		return v, err
	}
	path := filepath.Join(dir, name)
	data, err := bytes(path, syscall.O_NOFOLLOW)
	if err != nil {
		return v, err
	}
	var format struct{ Version int }
	_ = json.Unmarshal(data, &format) // where it has none, it is no object
	if err := Known(format.Version, path); err != nil {
		return v, err
	}
	if json.Unmarshal(data, &v) != nil {
		err = hint.New("bring it back from a backup, or remove it and begin anew", "%s is damaged", path)
	}
	return v, err
}

// Write replaces such a file.
func Write(dir, name string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return renameio.WriteFile(filepath.Join(dir, name), data, 0o600, renameio.WithTempDir(dir))
}
