package tests

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// docs/dev/hosts.md says of each host what was tested with which version. The rows come
// from a run of TestScenarios with -hosts (just hosts), in which a host has to
// pass all of its scenarios to get a new one.
var updateHosts = flag.Bool("hosts", false, "write what TestScenarios has found of each host into docs/dev/hosts.md")

const (
	hostsPage  = "../docs/dev/hosts.md"
	tableBegin = "<!-- hosts: written by `just hosts` -->\n"
	tableEnd   = "<!-- end of hosts -->\n"
)

// table is the page in three parts: before, the table's rows, and after.
func table(t *testing.T) (before string, rows []string, after string) {
	t.Helper()
	text, err := os.ReadFile(hostsPage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begun := strings.Cut(string(text), tableBegin)
	inside, after, ended := strings.Cut(rest, tableEnd)
	if !begun || !ended {
		t.Fatalf("%s has no %q and %q", hostsPage, tableBegin, tableEnd)
	}
	return before + tableBegin, slices.Collect(strings.Lines(inside)), tableEnd + after
}

// rowOf is where the host's row is; -1 where it has none.
func rowOf(rows []string, host string) int {
	return slices.IndexFunc(rows, func(row string) bool { return strings.HasPrefix(row, "| "+host+" |") })
}

func scenarioCount(passed int) string {
	return fmt.Sprintf("%d of %d scenarios", passed, len(scenarios))
}

// testedWith are the versions of each host that this run has passed with: the
// tests are run with each tmux there is.
var testedWith = map[string][]string{}

// updateRow writes what a host has just passed.
func updateRow(t *testing.T, host string, version []string, passed int) {
	t.Helper()
	tested := "—"
	if version != nil {
		out, _ := exec.Command(version[0], version[1:]...).Output() // screen's status is 1
		number := regexp.MustCompile(`[0-9]+\.[0-9.]+[a-z]?`).FindString(string(out))
		if number == "" {
			t.Fatalf("%v says %q", version, out)
		}
		if !slices.Contains(testedWith[host], number) {
			testedWith[host] = append(testedWith[host], number)
		}
		tested = strings.Join(testedWith[host], ", ")
	}
	row := fmt.Sprintf("| %s | %s | %s |\n", host, tested, scenarioCount(passed))
	before, rows, after := table(t)
	if i := rowOf(rows, host); i >= 0 {
		rows[i] = row
	} else {
		rows = append(rows, row)
	}
	if err := os.WriteFile(hostsPage, []byte(before+strings.Join(rows, "")+after), 0o600); err != nil {
		t.Fatal(err)
	}
}

// The table has every host that the scenarios run in, with as many of them as it is
// tested with today, and none that there is not.
func TestHostsTable(t *testing.T) {
	_, rows, _ := table(t)
	for _, h := range hosts {
		last := scenarioCount(len(scenarios) - len(h.without))
		if i := rowOf(rows, h.name); i < 0 || !strings.HasSuffix(rows[i], "| "+last+" |\n") {
			t.Errorf("the table has no row of %s that ends in %q; just hosts writes it", h.name, last)
		}
	}
	out, err := exec.Command(binary, "ask", "--host", "none of these").CombinedOutput()
	if err == nil {
		t.Fatal("askpane takes a host that is none")
	}
	_, list, _ := strings.Cut(string(out), "there are auto, ")
	known := strings.Split(strings.TrimSpace(list), ", ")
	for _, name := range known {
		if rowOf(rows, name) < 0 {
			t.Errorf("the table has no row of %s; where it is not in the scenarios, write by what it is tested", name)
		}
	}
	for _, row := range rows[min(2, len(rows)):] { // after the heading
		name := strings.TrimSpace(strings.Split(row, "|")[1])
		if host, _, _ := strings.Cut(name, " "); !slices.Contains(known, host) {
			t.Errorf("the table has %q, which is no host", name)
		}
	}
}
