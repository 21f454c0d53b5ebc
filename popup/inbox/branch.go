package inbox

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

const (
	// headLimit is how much of a file is read: a ref's name is at most 255 bytes or
	// so (gitrepository-layout, git-check-ref-format).
	headLimit = 1024
	// branchLimit is how long a directory may take to say its branch. One on a file
	// system that does not answer has none.
	branchLimit = 250 * time.Millisecond
)

// branchIn is the branch that is checked out in the repository around dir, if it
// can be told in time.
func branchIn(dir string) string {
	found := make(chan string, 1)
	go func() { found <- branchOf(headAround(dir)) }()
	select {
	case name := <-found:
		return name
	case <-time.After(branchLimit):
		return ""
	}
}

// branchOf is what a HEAD names: a branch, or the beginning of a commit's name.
func branchOf(head string) string {
	if name, ok := strings.CutPrefix(head, "ref: refs/heads/"); ok {
		return name
	}
	if (len(head) == 40 || len(head) == 64) && strings.Trim(head, "0123456789abcdef") == "" {
		return head[:7]
	}
	return ""
}

// headAround is the HEAD of the repository that dir is in. Nothing is run, no link
// followed and nothing but a regular file read, since what is there may be anybody's.
func headAround(dir string) string {
	for filepath.IsAbs(dir) {
		git := filepath.Join(dir, ".git")
		info, err := os.Lstat(git)
		switch {
		case err != nil && dir == filepath.Dir(dir):
			return ""
		case err != nil:
			dir = filepath.Dir(dir)
			continue
		case info.IsDir():
			return firstLine(filepath.Join(git, "HEAD"))
		}
		to, ok := strings.CutPrefix(firstLine(git), "gitdir: ") // of a worktree or a submodule
		if !ok {
			return ""
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(dir, to)
		}
		return firstLine(filepath.Join(to, "HEAD"))
	}
	return ""
}

// firstLine is that of a small regular file; empty where it is none.
func firstLine(path string) string {
	// Not blocking: a pipe would wait for somebody to write.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return ""
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() || info.Size() > headLimit {
		return ""
	}
	data, err := io.ReadAll(io.LimitReader(f, headLimit))
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(data), "\n")
	return strings.TrimRight(line, "\r ")
}
