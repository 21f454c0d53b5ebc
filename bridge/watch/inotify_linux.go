package watch

import (
	"bytes"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Not by fsnotify, which does not tell when a file is closed.
const tellsOfClosing = true

type key int32 // a watch descriptor, of which the kernel gives each inode one

type system struct { // an inotify instance
	fd int
	f  *os.File // the same, for the runtime to wait on
}

func open() (*system, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("inotify_init1: %w (sysctl fs.inotify.max_user_instances is how many you may have)", err)
	}
	return &system{fd, os.NewFile(uintptr(fd), "inotify")}, nil
}

func (s *system) add(path string) (key, error) {
	wd, err := unix.InotifyAddWatch(s.fd, path, unix.IN_CREATE|unix.IN_MODIFY|unix.IN_ATTRIB|unix.IN_CLOSE_WRITE|unix.IN_MOVED_FROM|
		unix.IN_MOVED_TO|unix.IN_DELETE|unix.IN_DELETE_SELF|unix.IN_MOVE_SELF|unix.IN_ONLYDIR)
	return key(wd), err
}

// remove may come after the kernel has removed it, which does no harm.
func (s *system) remove(k key) { _, _ = unix.InotifyRmWatch(s.fd, uint32(k)) }

func (s *system) close() { _ = s.f.Close() }

// read hands on what the kernel tells, until close.
func (s *system) read() {
	var buf [4096]byte
	for {
		n, err := s.f.Read(buf[:])
		if err != nil {
			return
		}
		for rest := buf[:n]; len(rest) >= unix.SizeofInotifyEvent; {
			raw := (*unix.InotifyEvent)(unsafe.Pointer(&rest[0]))
			end := unix.SizeofInotifyEvent + int(raw.Len)
			name, _, _ := bytes.Cut(rest[unix.SizeofInotifyEvent:end], []byte{0})
			rest = rest[end:]
			dispatch(s, event{key: key(raw.Wd), name: string(name), lost: raw.Mask&unix.IN_Q_OVERFLOW != 0, gone: raw.Mask&unix.IN_IGNORED != 0})
		}
	}
}
