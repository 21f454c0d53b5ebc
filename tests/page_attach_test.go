package tests

import (
	"encoding/json"
	"image/png"
	"os"
	"testing"

	"github.com/askpane/askpane/tests/must"
	"github.com/askpane/askpane/tests/needs"
)

// A picture that is pasted and one that is chosen are on view, and come to the agent with the answer.
func TestPageAttaches(t *testing.T) {
	t.Parallel()
	needs.Long(t, "the page in a browser")
	p := newPerson(t, newSpool(t))
	b := p.browse()
	a, id := p.ask(colour)
	b.at("q=" + id).sees("#q0-c0").isRight()
	b.eval(`window.picture = async (width) => { // noise, so that it is sent in several parts
		const canvas = new OffscreenCanvas(width, 600)
		const data = new ImageData(width, 600)
		for (let i = 0; i < data.data.length; i++) data.data[i] = i % 4 == 3 ? 255 : Math.random() * 256
		canvas.getContext('2d').putImageData(data, 0, 0)
		const files = new DataTransfer()
		files.items.add(new File([await canvas.convertToBlob()], 'shot.png', {type: 'image/png'}))
		return files
	}; 0`)
	b.eval(`picture(500).then((files) => document.body.dispatchEvent(new ClipboardEvent('paste', {clipboardData: files, bubbles: true, cancelable: true}))); 0`)
	b.until("document.querySelector('#attach img')?.naturalWidth == 500")
	b.eval(`picture(400).then((files) => {
		document.getElementById('pictures').files = files.files
		document.getElementById('pictures').dispatchEvent(new Event('change', {bubbles: true}))
	}); 0`)
	b.until("[...document.querySelectorAll('#attach img')].map((i) => i.naturalWidth).join() == '500,400'").judged("attached")
	b.eval(`(() => {
		const files = new DataTransfer()
		files.items.add(new File(['x'], 'photo.heic', {type: 'image/heic'}))
		document.getElementById('pictures').files = files.files
		document.getElementById('pictures').dispatchEvent(new Event('change', {bubbles: true}))
	})()`)
	b.sees("photo.heic is not attached: it is image/heic; PNG, JPEG, GIF, WebP are taken.").well()
	b.isRight().types("3").sees(said)
	a.answered("Colour: user selected: 3. Blue")
	var got struct {
		Details struct {
			Attachments []struct{ Path, Type string }
		}
	}
	must.Do(t, json.Unmarshal([]byte(a.read("out")), &got))
	if len(got.Details.Attachments) != 2 {
		t.Fatalf("the agent has got %+v", got)
	}
	for i, width := range []int{500, 400} {
		f, err := os.Open(got.Details.Attachments[i].Path)
		must.Do(t, err)
		defer f.Close()
		if c, err := png.DecodeConfig(f); err != nil || c.Width != width {
			t.Errorf("picture %d is %d wide, %v", i+1, c.Width, err)
		}
	}
}
