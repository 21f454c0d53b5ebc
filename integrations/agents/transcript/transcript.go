// Package transcript follows the file in which an agent keeps a session, a line of JSON for each
// thing that happened.
//
// It reads that file, and nothing else. The rule that must hold here: no line counts before it is
// whole.
package transcript

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/askpane/askpane/bridge/watch"
)

// tail is read of a transcript that is there already, in bytes: what is looked for is at its
// end, and a request is no larger (dialect.MaxBytes).
const tail = 4 << 20

// File reads what is new of a transcript.
type File struct {
	Path string
	From int64             // where the next line begins; 0 stands for the tail
	Take func(line []byte) // is told each line; what is read first may be a part of one
}

// Follow reads until over says so or ctx ends; over tells too after how long to ask it again where
// no line has come; 0: nothing is due. At the beginning of a session there may be no transcript yet.
// It polls only where the system tells of no changes, or the directory is not there yet either.
func (t *File) Follow(ctx context.Context, over func() (again time.Duration, over bool)) error {
	changed, tell := watch.Merged()
	defer watch.Dir(filepath.Dir(t.Path), func(name string) {
		if name == "" || name == filepath.Base(t.Path) {
			tell()
		}
	}).Stop()
	for {
		if err := t.Read(); err != nil {
			return err
		}
		again, over := over()
		if over {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-changed:
		case <-time.After(cmp.Or(again, time.Hour)): // once an hour where nothing is due
		}
	}
}

// Read hands over the lines that are new. One that is not whole yet is read again.
func (t *File) Read() error {
	f, err := os.Open(t.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return errors.Join(err, errors.New("the transcript is no file"))
	}
	if info.Size() < t.From { // it was cut, or is another by now
		t.From = 0
	}
	if t.From == 0 {
		t.From = max(0, info.Size()-tail)
	}
	for lines := bufio.NewReader(io.NewSectionReader(f, t.From, math.MaxInt64-t.From)); ; {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		t.From += int64(len(line))
		t.Take(line)
	}
}
