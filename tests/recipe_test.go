package tests

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/askpane/askpane/tests/needs"
)

// recipe is what CONTRIBUTING has one write to add one thing: files that are new, and
// lines in files that are there.
type recipe struct {
	files map[string]string
	lines []addition
}

// addition is a text that a file of ours gets after what is in it.
type addition struct{ file, after, text string }

// recipes are those of CONTRIBUTING, by the words that they begin with, each with its toy.
var recipes = map[string]recipe{
	"A host":         hostRecipe,
	"A dialect":      dialectRecipe,
	"An alert":       alertRecipe,
	"A setting":      settingRecipe,
	"A command":      commandRecipe,
	"A chat service": chatRecipe,
	"An agent":       agentRecipe,
}

// Every recipe names each place in which its toy has something, and is read at a glance.
func TestRecipesNameTheirPlaces(t *testing.T) {
	t.Parallel()
	text := readPage(t, "CONTRIBUTING.md")
	for name, r := range recipes {
		words := regexp.MustCompile(`(?m)^- ` + name + ` is .*`).FindString(text)
		if words == "" || len(words) > 12*100 {
			t.Errorf("the recipe for %s has %d characters; 12 lines of 100 are the most", name, len(words))
		}
		for place := range r.files {
			if dir := filepath.Dir(place); !strings.Contains(words, "`"+dir+"`") && !strings.Contains(words, "`"+filepath.Dir(dir)+"`") {
				t.Errorf("the recipe for %s does not name %s", name, dir)
			}
		}
		for _, a := range r.lines {
			if !strings.Contains(words, a.file) {
				t.Errorf("the recipe for %s does not name %s", name, a.file)
			}
		}
	}
}

// byTheRecipes is askpane with a toy of each kind added. It is built once: the toys do
// not know of each other.
func byTheRecipes(t *testing.T) (program string) {
	t.Helper()
	dir, err := buildRecipes()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "bin", "askpane")
}

// buildRecipes makes a copy of the repository with every toy in it, and the programs in
// its bin.
var buildRecipes = sync.OnceValues(func() (dir string, err error) {
	dir = filepath.Join(scratch, "recipes")
	if err := copyTree("..", dir); err != nil {
		return "", err
	}
	for _, name := range slices.Sorted(maps.Keys(recipes)) {
		if err := recipes[name].add(dir); err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
	}
	out, err := inCopy(dir, "build", "-o", "bin/", "./cmd/...")
	if err != nil {
		return "", fmt.Errorf("build askpane with additions: %w\n%s", err, out)
	}
	return dir, nil
})

// inCopy is the go command there. A copy is in no repository.
func inCopy(dir, command string, args ...string) (out []byte, err error) {
	cmd := exec.Command("go", append([]string{command, "-buildvcs=false"}, args...)...)
	cmd.Dir = dir
	return cmd.CombinedOutput()
}

// copyTree copies what belongs to the repository.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		copied := filepath.Join(to, strings.TrimPrefix(path, from))
		switch name := d.Name(); {
		case err != nil:
			return err
		case d.IsDir() && (name == ".git" || name == ".cache" || name == "node_modules" || name == "bin"):
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(copied, 0o700)
		case !d.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(copied, text, 0o600)
	})
}

// add follows the recipe in dir.
func (r recipe) add(dir string) error {
	for name, text := range r.files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return err
		}
	}
	for _, a := range r.lines {
		path := filepath.Join(dir, a.file)
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		head, rest, ok := strings.Cut(string(text), a.after)
		if !ok {
			return fmt.Errorf("%s has no %q", a.file, a.after)
		}
		if err := os.WriteFile(path, []byte(head+a.after+a.text+rest), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// What is added breaks no test of the packages that have a list of such things or look
// through one.
func TestRecipesBreakNoTest(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the packages' own tests beside what the recipes add")
	byTheRecipes(t)
	out, err := inCopy(filepath.Join(scratch, "recipes"), "test", "./bridge/dialect", "./bridge/mcp", "./cmd/askpane", "./integrations", "./integrations/agents/...", "./integrations/chat/account", "./notify", "./popup/keymap",
		"./settings", "./settings/menu")
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
