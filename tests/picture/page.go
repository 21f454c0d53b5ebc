package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	cdpage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"github.com/askpane/askpane/bridge/address"
	"github.com/askpane/askpane/tests/needs"
)

// screen is a page in a browser: what it shows, as large as a phone or a desktop, dark or light.
type screen struct {
	name    string
	phone   bool
	scheme  string
	request string // whose question it shows; empty for the inbox, where all of them wait
	steps   []step // where keys in brackets are a button that is pressed
	upload  string // a picture that goes with the answer
	last    string // what is on view when all is done
}

// stillClocks has every clock of a page say the same, so that a second run gives the same picture.
const stillClocks = `Object.defineProperty(HTMLTimeElement.prototype, 'textContent', {set() { this.replaceChildren('12s') }})`

// desk is a home with a spool and a desk of its own, in which agents ask.
type desk struct {
	dir, bin string
	asking   []*exec.Cmd
	browser  context.Context
}

// command is askpane as an agent runs it, from where no form can open.
func (d *desk) command(args ...string) *exec.Cmd {
	cmd := exec.Command(d.bin, args...)
	cmd.Dir = filepath.Join(d.dir, "src/shop")
	cmd.Env = append(needs.Environ(), "HOME="+d.dir, "PATH="+os.Getenv("PATH"), "ASKPANE_SPOOL="+d.dir+"/spool", "ASKPANE_GUARD_MS=0", "ASKPANE_PAGE_ALONE=true", "ASKPANE_PERMISSIONS=always")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

// ask asks, and returns the id of the question.
func (d *desk) ask(request string) (id string, err error) {
	cmd := d.command("ask", "--agent", "claude")
	cmd.Stdin = strings.NewReader(request)
	if err := cmd.Start(); err != nil {
		return "", err
	}
	d.asking = append(d.asking, cmd)
	var waiting []struct{ ID string }
	if !needs.Within(10*time.Second, func() bool {
		var list []byte
		if list, err = d.command("list", "--json").Output(); err == nil {
			err = json.Unmarshal(list, &waiting)
		}
		return err == nil && len(waiting) == len(d.asking)
	}) {
		return "", errors.Join(err, fmt.Errorf("%d questions wait, not %d", len(waiting), len(d.asking)))
	}
	return waiting[len(waiting)-1].ID, nil
}

// close ends all that was started, and the desk.
func (d *desk) close() {
	if a, err := address.Last(d.dir + "/.local/state/askpane/desk"); err == nil && !a.Ended {
		_ = syscall.Kill(a.PID, syscall.SIGTERM)
	}
	for _, c := range d.asking {
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGTERM)
		_ = c.Wait()
	}
	_ = os.RemoveAll(d.dir)
}

// takeScreens takes the pictures of pages whose name begins with only. All questions wait in each.
func takeScreens(dir, only, bin string) (err error) {
	wanted := slices.DeleteFunc(slices.Clone(screens), func(s screen) bool { return !strings.HasPrefix(s.name, only) })
	if len(wanted) == 0 {
		return nil
	}
	d := &desk{bin: bin}
	if d.dir, err = os.MkdirTemp("", "askpane-desk-"); err != nil {
		return err
	}
	defer d.close()
	if err := os.MkdirAll(filepath.Join(d.dir, "src/shop"), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(d.dir, "src/shop/total.go"), []byte(code), 0o600); err != nil {
		return err
	}
	ids := map[string]string{"": ""}
	for _, s := range append(screens, screen{request: endToEnd}) {
		if _, asked := ids[s.request]; !asked {
			if ids[s.request], err = d.ask(s.request); err != nil {
				return err
			}
		}
	}
	browser, end := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.Env("TMPDIR="+d.dir))...)
	defer end()
	d.browser = browser
	for _, s := range wanted {
		picture, err := d.shoot(s, ids[s.request])
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, s.name+".png"), picture, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// shoot opens a page, does what a person does, and takes its picture.
func (d *desk) shoot(s screen, id string) (picture []byte, err error) {
	link, err := d.command(append([]string{"page", "--link"}, strings.Fields(id)...)...).Output()
	if err != nil {
		return nil, err
	}
	tab, end := chromedp.NewContext(d.browser)
	defer end()
	if err := chromedp.Do(tab); err != nil { // begins it, without a limit, which would be the browser's
		return nil, err
	}
	ctx, cancel := context.WithTimeout(tab, 30*time.Second)
	defer cancel()
	size := chromedp.EmulateViewport(1100, 720)
	if s.phone {
		size = chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch)
	}
	if err = chromedp.Do(ctx, size,
		call(cdpage.AddScriptToEvaluateOnNewDocument, cdpage.AddScriptToEvaluateOnNewDocumentParams{Source: stillClocks}),
		call(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: s.scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}}),
		chromedp.Navigate(strings.TrimSpace(string(link)))); err != nil {
		return nil, err
	}
	for _, step := range append(s.steps, step{see: s.last}) {
		if err := sees(ctx, step.see); err != nil {
			return nil, err
		}
		button, pressed := strings.CutPrefix(step.keys, "[")
		if pressed {
			_, err = chromedp.Run(ctx, chromedp.Evaluate[[]byte](fmt.Sprintf("[...document.querySelectorAll('button')].find((b) => b.innerText.includes(%q)).click()", strings.TrimSuffix(button, "]"))))
		} else {
			err = chromedp.Do(ctx, chromedp.KeyEvent(step.keys))
		}
		if err != nil {
			return nil, err
		}
	}
	if s.upload != "" {
		if s.upload, err = filepath.Abs(s.upload); err != nil {
			return nil, err
		}
		if err := chromedp.Do(ctx, chromedp.SetUploadFiles("#pictures", []string{s.upload})); err != nil {
			return nil, err
		}
		if err := sees(ctx, "Remove"); err != nil {
			return nil, err
		}
	}
	picture, err = chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		return nil, err
	}
	return small(picture)
}

// small has a PNG in the 256 colours that it has most of: the others are at the edges of letters.
func small(picture []byte) ([]byte, error) {
	full, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		return nil, err
	}
	uses := map[color.Color]int{}
	for y := range full.Bounds().Dy() {
		for x := range full.Bounds().Dx() {
			uses[full.At(x, y)]++
		}
	}
	palette := slices.SortedFunc(maps.Keys(uses), func(a, b color.Color) int {
		return cmp.Or(uses[b]-uses[a], cmp.Compare(fmt.Sprint(a), fmt.Sprint(b)))
	})
	few := image.NewPaletted(full.Bounds(), palette[:min(256, len(palette))])
	draw.Draw(few, few.Rect, full, image.Point{}, draw.Src)
	var b bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, few)
	return b.Bytes(), err
}

// call is one of the browser's own.
func call[P, R any](method cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, c *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, c, method, params)
		return chromedp.Void{}, err
	}
}

// sees waits until the words are on view, of which the blanks do not count.
func sees(ctx context.Context, words string) error {
	if !needs.Within(10*time.Second, func() bool {
		said, err := chromedp.Run(ctx, chromedp.Evaluate[string]("document.body.innerText.replace(/\\s+/g, ' ') + document.activeElement?.value"))
		return err == nil && strings.Contains(said, words)
	}) {
		said, err := chromedp.Run(ctx, chromedp.Evaluate[string]("document.body.innerText"))
		return fmt.Errorf("wait for %q: %v\n%s", words, err, said)
	}
	return nil
}
