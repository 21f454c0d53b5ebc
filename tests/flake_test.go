package tests

import (
	"crypto/sha256"
	"encoding/base64"
	enc "encoding/binary" // binary is the askpane under test
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/askpane/askpane/tests/must"
	"github.com/askpane/askpane/tests/needs"
)

// TestVendorHash holds the hash in flake.nix to what go mod vendor makes now, without which no
// build by Nix begins.
func TestVendorHash(t *testing.T) {
	needs.Long(t, "the hash of the vendored modules")
	t.Parallel()
	vendor := filepath.Join(t.TempDir(), "vendor")
	run := exec.Command("go", "mod", "vendor", "-o", vendor)
	run.Dir = ".."
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	hash := sha256.New()
	say(hash, "nix-archive-1")
	archive(t, hash, vendor)
	want := `vendorHash = "sha256-` + base64.StdEncoding.EncodeToString(hash.Sum(nil)) + `"`
	flake, err := os.ReadFile("../flake.nix")
	must.Do(t, err)
	if !strings.Contains(string(flake), want) {
		t.Errorf("flake.nix has another hash; it is to have %s", want)
	}
}

// archive writes a file or a directory as Nix archives it (NAR): every word with its length in
// front, filled up to eight bytes, and names in the order of their bytes.
func archive(t *testing.T, w io.Writer, path string) {
	info, err := os.Stat(path)
	must.Do(t, err)
	say(w, "(", "type")
	if info.IsDir() {
		say(w, "directory")
		names, err := os.ReadDir(path)
		must.Do(t, err)
		for _, n := range names {
			say(w, "entry", "(", "name", n.Name(), "node")
			archive(t, w, filepath.Join(path, n.Name()))
			say(w, ")")
		}
	} else {
		say(w, "regular")
		if info.Mode()&0o100 != 0 {
			say(w, "executable", "")
		}
		data, err := os.ReadFile(path)
		must.Do(t, err)
		say(w, "contents", string(data))
	}
	say(w, ")")
}

func say(w io.Writer, words ...string) {
	for _, word := range words {
		_, _ = w.Write(enc.LittleEndian.AppendUint64(nil, uint64(len(word))))
		fmt.Fprint(w, word, strings.Repeat("\x00", -len(word)&7))
	}
}
