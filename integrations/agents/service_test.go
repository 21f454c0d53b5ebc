package agents

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestServices(t *testing.T) {
	usual := atLogin
	defer func() { atLogin = usual }()
	runs := map[string]string{"desk": "desk --stay", "hub": "hub"}
	for name, m := range map[string]manager{"systemd": systemd, "launchd": launchd} {
		atLogin = m
		for _, s := range Services() {
			t.Run(name+"/"+s.Name, func(t *testing.T) { testService(t, s, runs[s.Name]) })
		}
	}
}

func testService(t *testing.T, service Agent, command string) {
	o := Options{Binary: "/opt/my tools/askpane", Home: t.TempDir(), Env: func(string) string { return "" }, Version: func() string { return "" }}
	do := func(plan func(Options) ([]Step, error)) (path string) {
		t.Helper()
		steps, err := plan(o)
		if err != nil || len(steps) != 1 {
			t.Fatal(steps, err)
		}
		if err := steps[0].Apply(); err != nil {
			t.Fatal(err)
		}
		return steps[0].Path
	}
	path := do(service.Install)
	text, err := os.ReadFile(path)
	if strings.HasSuffix(path, ".plist") && !strings.Contains(string(text), "/opt/homebrew/bin:") { // which launchd itself leaves out
		t.Errorf("zellij from Homebrew is not found by %s", text)
	}
	for _, word := range append(strings.Fields(command), "/opt/my tools/askpane") {
		if err != nil || !strings.Contains(string(text), word) {
			t.Fatalf("%q is not in %s: %v", word, text, err)
		}
	}
	found, err := Check(o)
	if err != nil || len(found) != 1 || !found[0].Ours || found[0].Commands[0] != "/opt/my tools/askpane "+command {
		t.Errorf("%+v, %v", found, err)
	}
	o.Binary = "/usr/bin/askpane"
	if found, _ := Check(o); len(found) != 1 || found[0].Ours {
		t.Errorf("of another askpane: %+v", found)
	}
	do(service.Install) // again, from there
	if found, _ := Check(o); len(found) != 1 || !found[0].Ours {
		t.Errorf("installed again: %+v", found)
	}
	do(service.Uninstall)
	if _, err := os.Stat(filepath.Dir(path)); err == nil {
		t.Errorf("%s is there after it was taken out", filepath.Dir(path))
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("[Unit]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := service.Install(o); err == nil || !strings.Contains(err.Error(), "somebody else's") {
		t.Errorf("over somebody else's: %v", err)
	}
}

// systemd refuses a program with one of these in its path, and takes every argument.
func TestUnitOfAnOddPath(t *testing.T) {
	odd := "/opt/it's \"50%\" \\ $HOME\n/askpane"
	text := unit("desk", "pages", odd, "desk --stay")
	want := `ExecStart=/bin/sh -c 'exec "$$0" "$$@"' "/opt/it's \"50%%\" \\ $$HOME\n/askpane" desk --stay`
	if !strings.Contains(text, "\n"+want+"\n") {
		t.Errorf("the unit is\n%s\nwant\n%s", text, want)
	}
	verify, err := exec.LookPath("systemd-analyze")
	if err != nil {
		return // the words are as they were when it took them
	}
	path := filepath.Join(t.TempDir(), "askpane-desk.service")
	put(t, path, text)
	cmd := exec.Command(verify, "--user", "verify", path)
	cmd.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+t.TempDir())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
