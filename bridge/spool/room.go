package spool

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"syscall"
)

const (
	// roomFile is space for the answer; it goes when the answer needs it, and
	// with the delivery.
	roomFile = "room"
	// roomSize, in bytes, holds an answer of some pages; one block would do for most.
	roomSize = 8 << 10
	// signSize is the size of popup.lock, in bytes, so that its text can be
	// changed without another block. A viewer's name is short.
	signSize = 512
)

// reserve puts aside what the question will need on the disk to be shown and
// answered: a disk that fills up later keeps nobody from that.
func (e *Entry) reserve() error {
	return errors.Join(writeNew(e.root, popupLock, blank(signSize)), writeNew(e.root, roomFile, make([]byte, roomSize)))
}

// writeNew writes a file that is not there yet, and nothing over what somebody
// else writes into it at that moment: a popup that comes up says so in popup.lock.
func writeNew(root *os.Root, name string, data []byte) error {
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// withRoom is write, and once more in the space put aside where there was none.
func (e *Entry) withRoom(write func() error) error {
	err := write()
	if (errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)) && e.root.Remove(roomFile) == nil {
		err = write()
	}
	return err
}

// writeSign writes popup.lock in place.
func (e *Entry) writeSign(text []byte) error {
	if err := writeNew(e.root, popupLock, nil); err != nil {
		return err
	}
	f, err := e.openPlain(popupLock, os.O_WRONLY)
	if err != nil {
		return err
	}
	text = append(text, blank(max(0, signSize-len(text)))...)
	_, err = f.WriteAt(text, 0)
	return errors.Join(err, f.Truncate(int64(len(text))), f.Close())
}

func blank(n int) []byte { return bytes.Repeat([]byte{' '}, n) }
