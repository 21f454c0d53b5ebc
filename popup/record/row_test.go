package record

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/askpane/askpane/tests/must"
)

// The branch that the inbox shows of a directory.
func TestBranch(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must.Do(t, os.WriteFile(path, []byte(text), 0o644))
		return path
	}
	commit := strings.Repeat("0123456789", 4)
	write("main/.git/HEAD", "ref: refs/heads/feature/cart\n")
	write("main/.git/worktrees/tree/HEAD", "ref: refs/heads/other\r\n")
	write("main/sub/deep/file", "")
	write("tree/.git", "gitdir: "+dir+"/main/.git/worktrees/tree\n")
	write("near/.git", "gitdir: ../main/.git/worktrees/tree\n")
	write("detached/.git/HEAD", commit+"\n")
	write("odd/.git/HEAD", "something else\n")
	write("large/.git/HEAD", "ref: refs/heads/"+strings.Repeat("x", 5000))
	write("lost/.git", "nothing of the kind")
	write("linked/.git/x", "")
	must.Do(t, os.Symlink(filepath.Join(dir, "main/.git/HEAD"), filepath.Join(dir, "linked/.git/HEAD")))
	must.Do(t, os.MkdirAll(filepath.Join(dir, "linkdir"), 0o755))
	must.Do(t, os.Symlink(filepath.Join(dir, "main/.git"), filepath.Join(dir, "linkdir/.git")))
	must.Do(t, os.MkdirAll(filepath.Join(dir, "pipe/.git"), 0o755))
	must.Do(t, syscall.Mkfifo(filepath.Join(dir, "pipe/.git/HEAD"), 0o600))
	for name, want := range map[string]string{
		"main": "feature/cart", "main/sub/deep": "feature/cart", "main/gone": "feature/cart", "tree": "other", "near": "other", "detached": "0123456",
		"odd": "", "large": "", "lost": "", "linked": "", "pipe": "", "nowhere": "",
	} {
		if got := branchIn(filepath.Join(dir, name)); got != want {
			t.Errorf("the branch in %s is %q, want %q", name, got, want)
		}
	}
	if got := branchIn("main"); got != "" {
		t.Errorf("a relative directory has the branch %q", got)
	}
}
