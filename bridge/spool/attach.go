package spool

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/oklog/ulid/v2"

	"github.com/askpane/askpane/bridge/form"
)

// These bound what goes with an answer: the number of pictures, and the bytes of each.
const (
	MostAttachments = 10
	MaxAttachment   = 5 << 20
)

// formats are told by what stands at a place in a file. Those without an ending are not taken.
var formats = []struct {
	at                 int
	begins, name, ends string
}{
	{0, "\x89PNG\r\n\x1a\n", "image/png", ".png"},
	{0, "\xff\xd8\xff", "image/jpeg", ".jpg"},
	{0, "GIF8", "image/gif", ".gif"},
	{8, "WEBPVP8", "image/webp", ".webp"},
	{4, "ftyphei", "HEIC", ""}, {4, "ftypmif1", "HEIC", ""}, {4, "ftypavif", "AVIF", ""},
	{0, "BM", "BMP", ""}, {0, "II*\x00", "TIFF", ""}, {0, "MM\x00*", "TIFF", ""},
	{0, "<svg", "SVG", ""}, {0, "<?xml", "XML", ""}, {0, "%PDF", "PDF", ""}, {0, "PK\x03\x04", "ZIP", ""},
}

// ending returns how the name of a picture's file ends. The error reads on from the picture's name.
func ending(data []byte) (string, error) {
	is := "is of no known format"
	for _, f := range formats {
		if len(data) < f.at || !bytes.HasPrefix(data[f.at:], []byte(f.begins)) {
			continue
		}
		if f.ends != "" {
			return f.ends, nil
		}
		is = "is " + f.name
	}
	return "", fmt.Errorf("%s; PNG, JPEG, GIF and WebP are taken", is)
}

// pictures opens the directory of an entry's attachments.
func (e *Entry) pictures() (folder, error) {
	return e.spool.within(filepath.Join(attachmentsDir, e.ID))
}

// Attach puts a picture beside the answer that is still to be given, wherever that will be. The
// error reads on from the picture's name.
func (e *Entry) Attach(data []byte) (a form.Attachment, err error) {
	ends, err := ending(data)
	had, unread := e.Attachments()
	switch {
	case e.mirrored():
		return a, errors.New("stays here: this question was asked on another machine, and pictures go to none; answer it there, or without")
	case e.has(answerFile):
		return a, fmt.Errorf("comes too late: %w", ErrAnswered)
	case len(data) > MaxAttachment:
		return a, fmt.Errorf("has more than %d MB", MaxAttachment>>20)
	case err != nil || unread != nil:
		return a, errors.Join(err, unread)
	case len(had) >= MostAttachments:
		return a, fmt.Errorf("is one too many: %d pictures go with an answer", MostAttachments)
	}
	var own folder
	if err = e.spool.makeDirs(attachmentsDir, filepath.Join(attachmentsDir, e.ID)); err == nil {
		own, err = e.pictures()
	}
	if err != nil {
		return a, fmt.Errorf("is not saved: %w", err)
	}
	defer own.root.Close()
	name := ulid.Make().String() + ends
	err = own.replace(name, data)
	e.touch() // every surface shows how many there are
	return own.attachment(name), wrap(err, "is not saved")
}

func (d folder) attachment(name string) form.Attachment {
	a := form.Attachment{Path: d.in(name)}
	for _, f := range formats {
		if f.ends != "" && f.ends == filepath.Ext(name) {
			a.Type = f.name
		}
	}
	return a
}

// Attachments lists the pictures that go with the answer, the first one first.
func (e *Entry) Attachments() (all []form.Attachment, err error) {
	if !e.spool.has(filepath.Join(attachmentsDir, e.ID)) {
		return nil, nil
	}
	own, err := e.pictures()
	if err != nil {
		return nil, err
	}
	defer own.root.Close()
	names, err := own.names(".")
	slices.Sort(names) // which begin with their times
	for _, name := range names {
		if !strings.HasPrefix(name, ".") {
			all = append(all, own.attachment(name))
		}
	}
	return all, err
}

// Attachment reads the picture whose file has that name.
func (e *Entry) Attachment(name string) ([]byte, error) {
	own, err := e.pictures()
	if err != nil {
		return nil, err
	}
	defer own.root.Close()
	return own.read(name)
}

// Detach removes a picture, unless it has gone with the answer.
func (e *Entry) Detach(name string) error {
	own, err := e.pictures()
	if err != nil {
		return err
	}
	defer own.root.Close()
	if e.has(answerFile) {
		return ErrAnswered
	}
	defer e.touch()
	return own.root.RemoveAll(name) // another page may have removed it already, which is no error
}
