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
	// levels is how many directories up the repository's root is looked for, and
	// headLimit how much of a file is read: a ref's name is at most 255 bytes or
	// so (gitrepository-layout, git-check-ref-format).
	levels    = 32
	headLimit = 1024
)

// branchLimit is how long a directory may take to say its branch. One on a file
// system that does not answer is not asked again.
const branchLimit = 250 * time.Millisecond

// branches asks for branches and gives up on directories that do not answer.
type branches struct{ mute map[string]bool }

func (b *branches) of(dir string) string {
	if b.mute[dir] {
		return ""
	}
	found := make(chan string, 1)
	go func() { found <- branch(dir) }()
	select {
	case name := <-found:
		return name
	case <-time.After(branchLimit):
		if b.mute == nil {
			b.mute = map[string]bool{}
		}
		b.mute[dir] = true
		return ""
	}
}

// branch is the branch that is checked out in the repository around dir; empty
// where that cannot be told. It runs nothing, follows no link and reads regular
// files only, since what is there may be anybody's.
func branch(dir string) string {
	if !filepath.IsAbs(dir) {
		return ""
	}
	for range levels {
		git := filepath.Join(dir, ".git")
		info, err := os.Lstat(git)
		if err == nil && info.Mode().IsRegular() { // of a worktree or a submodule
			to, ok := strings.CutPrefix(small(git), "gitdir: ")
			if !ok {
				return ""
			}
			if !filepath.IsAbs(to) {
				to = filepath.Join(dir, to)
			}
			return branchIn(small(filepath.Join(to, "HEAD")))
		}
		if err == nil && info.IsDir() {
			return branchIn(small(filepath.Join(git, "HEAD")))
		}
		if dir == filepath.Dir(dir) {
			break
		}
		dir = filepath.Dir(dir)
	}
	return ""
}

// branchIn is what HEAD says: a branch, or the beginning of a commit's name.
func branchIn(head string) string {
	if name, ok := strings.CutPrefix(head, "ref: refs/heads/"); ok {
		return name
	}
	if (len(head) == 40 || len(head) == 64) && strings.Trim(head, "0123456789abcdef") == "" {
		return head[:7]
	}
	return ""
}

// small is the first line of a small regular file; empty where it is none.
func small(path string) string {
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
