package tests

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/askpane/askpane/tests/must"
	"github.com/askpane/askpane/tests/needs"
)

// toyRelease is an archive as a release has it, with scripts for programs.
func toyRelease(t *testing.T) (name string, archive []byte) {
	t.Helper()
	var b bytes.Buffer
	zipped := gzip.NewWriter(&b)
	files := tar.NewWriter(zipped)
	for path, text := range map[string]string{
		"askpane":                  "#!/bin/sh\necho askpane version v9.8.7",
		"askpane-popup":            "#!/bin/sh\n",
		"man/man1/askpane.1":       ".TH ASKPANE 1",
		"completions/askpane.bash": "# bash",
		"completions/_askpane":     "# zsh",
		"completions/askpane.fish": "# fish",
	} {
		must.Do(t, files.WriteHeader(&tar.Header{Name: path, Mode: 0o755, Size: int64(len(text))}))
		_, err := files.Write([]byte(text))
		must.Do(t, err)
	}
	must.Do(t, files.Close())
	must.Do(t, zipped.Close())
	return fmt.Sprintf("askpane_9.8.7_%s_%s.tar.gz", runtime.GOOS, runtime.GOARCH), b.Bytes()
}

// below lists the files in a directory, whichever folder they are in.
func below(t *testing.T, dir string) (files []string) {
	t.Helper()
	must.Do(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			files = append(files, strings.TrimPrefix(path, dir+"/"))
		}
		return err
	}))
	return files
}

// install.sh puts nothing anywhere unless all of a release came, and is what its sums say.
func TestInstallScript(t *testing.T) {
	t.Parallel()
	needs.Program(t, "curl")
	script := readPage(t, "install.sh")
	name, archive := toyRelease(t)
	sums := fmt.Sprintf("%x  %s\n", sha256.Sum256(archive), name)
	tampered := bytes.Clone(archive)
	tampered[len(tampered)-1]++
	for _, c := range []struct {
		name, script, sums string
		archive            []byte
		says               string // empty is that it installs
	}{
		{"good", script, sums, archive, ""},
		{"tampered with", script, sums, tampered, name + " is not what SHA256SUMS says; nothing was installed"},
		{"of another file's sum", script, strings.ReplaceAll(sums, "_9.8.7_", "-hub_9.8.7_"), archive, "the release has no askpane for"},
		{"without sums", script, "", archive, "SHA256SUMS could not be loaded"},
		{"interrupted", script, sums, archive[:len(archive)/2], name + " could not be loaded; nothing was installed"},
		{"by half a script", script[:len(script)*3/4], sums, archive, ""},
		{"over another", script, sums, archive, "askpane and askpane-hub there are not of one version"},
		{"over another, where a program cannot come", script, sums, archive, "cannot take the programs; nothing was installed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/latest/download/SHA256SUMS":
					if c.sums == "" {
						w.WriteHeader(http.StatusNotFound)
					}
					_, _ = w.Write([]byte(c.sums))
				case "/latest/download/" + name:
					w.Header().Set("Content-Length", strconv.Itoa(len(archive)))
					_, _ = w.Write(c.archive)
				default:
					w.WriteHeader(http.StatusNotFound)
				}
			}))
			defer web.Close()
			home := t.TempDir()
			cmd := exec.Command("sh")
			cmd.Stdin = strings.NewReader(c.script)
			cmd.Env = environ(home, "ASKPANE_RELEASES="+web.URL)
			bin := filepath.Join(home, ".local/bin")
			if strings.HasPrefix(c.name, "over another") {
				fileIn(t, home, ".local/bin/askpane", "#!/bin/sh\necho askpane version v1")
				fileIn(t, home, ".local/bin/askpane-hub", "#!/bin/sh\necho askpane-hub version v1")
				must.Do(t, os.Chmod(filepath.Join(bin, "askpane-hub"), 0o755))
				if strings.HasSuffix(c.name, "come") {
					must.Do(t, os.Symlink("/nowhere/there", filepath.Join(bin, ".askpane-popup.new")))
				}
			}
			out, err := cmd.CombinedOutput()
			if strings.HasPrefix(c.name, "over another") {
				now, _ := os.ReadFile(filepath.Join(bin, "askpane"))
				if installed := strings.Contains(string(now), "v9.8.7"); installed != (err == nil) || installed != (c.name == "over another") || !strings.Contains(string(out), c.says) {
					t.Errorf("%v, %s; there is %s", err, out, now)
				}
				return
			}
			if c.name == "good" {
				contains(t, c.name, string(out), "askpane version v9.8.7 is in "+home+"/.local/bin.")
				contains(t, c.name, strings.Join(below(t, home), "\n"), ".local/bin/askpane\n.local/bin/askpane-popup\n",
					".local/share/bash-completion/completions/askpane\n", ".local/share/man/man1/askpane.1")
				return
			}
			if files := below(t, home); err == nil || len(files) != 0 || !strings.Contains(string(out), c.says) {
				t.Errorf("%v, %s; there are %q", err, out, files)
			}
		})
	}
}

// Arguments in another order, or none of its own, install nothing: not askpane where the hub was meant.
func TestInstallScriptArguments(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"9.8.7", "--hub"}, {"--help"}, {"--hub", "--hub"}, {"latest"}} {
		home := t.TempDir()
		cmd := exec.Command("sh", append([]string{"../install.sh"}, args...)...)
		cmd.Env = environ(home, "ASKPANE_RELEASES=http://127.0.0.1:1")
		if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "[--hub] [VERSION], in this order") {
			t.Errorf("install.sh %q: %v, %s", args, err, out)
		}
	}
}

// Ended in the middle, it leaves nothing behind.
func TestInstallScriptEnded(t *testing.T) {
	t.Parallel()
	needs.Program(t, "curl")
	asked, over := make(chan struct{}, 1), make(chan struct{})
	web := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, _ *http.Request) {
		asked <- struct{}{}
		<-over
	}))
	defer web.Close()
	defer close(over)
	home := t.TempDir()
	cmd := exec.Command("sh", "../install.sh")
	cmd.Env = environ(home, "ASKPANE_RELEASES="+web.URL)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	must.Do(t, cmd.Start())
	<-asked
	must.Do(t, syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM))
	if err := cmd.Wait(); err == nil {
		t.Error("it ended as if it were done")
	}
	if files := below(t, home); len(files) != 0 {
		t.Errorf("there are %q", files)
	}
}
