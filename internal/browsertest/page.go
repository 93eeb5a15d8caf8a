package browsertest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"image/png"
	"os"
	"strings"
	"testing"
	"time"
)

// A Page is a page in a tab of its own.
type Page struct {
	b       *Browser
	session string
	url     string

	// What happened, guarded by the browser's lock.
	requests []string
	troubles []string // exceptions, errors in the console, what the policy refused
}

// Open opens a page and waits until it is loaded.
func (b *Browser) Open(t *testing.T, url string) *Page {
	t.Helper()
	var target struct {
		TargetID string `json:"targetId"`
	}
	must(t, b.call("", "Target.createTarget", map[string]any{"url": "about:blank"}, &target))
	var attached struct {
		SessionID string `json:"sessionId"`
	}
	must(t, b.call("", "Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached))
	p := &Page{b: b, session: attached.SessionID, url: url}
	b.mu.Lock()
	b.pages[p.session] = p
	b.mu.Unlock()
	for _, domain := range []string{"Page", "Runtime", "Network", "Log"} {
		must(t, p.call(domain+".enable", nil, nil))
	}
	must(t, p.call("Page.navigate", map[string]any{"url": url}, nil))
	p.Wait(t, `document.readyState === "complete" && location.href !== "about:blank"`)
	return p
}

func (p *Page) call(method string, params map[string]any, result any) error {
	if params == nil {
		params = map[string]any{}
	}
	return p.b.call(p.session, method, params, result)
}

// event notes what the page did. The caller holds the browser's lock.
func (p *Page) event(m message) {
	switch m.Method {
	case "Network.requestWillBeSent":
		var e struct {
			Request struct {
				URL string `json:"url"`
			} `json:"request"`
		}
		if json.Unmarshal(m.Params, &e) == nil && e.Request.URL != p.url {
			p.requests = append(p.requests, e.Request.URL)
		}
	case "Runtime.exceptionThrown":
		p.troubles = append(p.troubles, string(m.Params))
	case "Log.entryAdded":
		if strings.Contains(string(m.Params), `"level":"error"`) || strings.Contains(string(m.Params), `"source":"security"`) {
			p.troubles = append(p.troubles, string(m.Params))
		}
	case "Runtime.consoleAPICalled":
		if strings.Contains(string(m.Params), `"type":"error"`) {
			p.troubles = append(p.troubles, string(m.Params))
		}
	}
}

// Requests returns the addresses that the page asked for, besides its own.
func (p *Page) Requests() []string {
	p.b.mu.Lock()
	defer p.b.mu.Unlock()
	return append([]string(nil), p.requests...)
}

// Troubles returns exceptions and messages that the page left in the console.
func (p *Page) Troubles() []string {
	p.b.mu.Lock()
	defer p.b.mu.Unlock()
	return append([]string(nil), p.troubles...)
}

// Eval evaluates an expression and reads its value into result, which may be nil.
func (p *Page) Eval(t *testing.T, expression string, result any) {
	t.Helper()
	var got struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		Exception *struct {
			Exception struct {
				Description string `json:"description"`
			} `json:"exception"`
		} `json:"exceptionDetails"`
	}
	must(t, p.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}, &got))
	if got.Exception != nil {
		t.Fatalf("%s: %s", expression, got.Exception.Exception.Description)
	}
	if result != nil {
		must(t, json.Unmarshal(got.Result.Value, result))
	}
}

// Wait waits until an expression is true.
func (p *Page) Wait(t *testing.T, expression string) {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		ok := false
		p.Eval(t, "!!("+expression+")", &ok)
		if ok {
			return
		}
		if time.Now().After(end) {
			var text string
			p.Eval(t, "document.body.innerText", &text)
			t.Fatalf("it never holds that %s; the page says\n%s\n%s", expression, text, strings.Join(p.Troubles(), "\n"))
		}
	}
}

// Text returns the text of an element.
func (p *Page) Text(t *testing.T, selector string) string {
	t.Helper()
	var s string
	p.Eval(t, fmt.Sprintf("document.querySelector(%q).textContent", selector), &s)
	return s
}

// Click clicks into the middle of an element with the mouse.
func (p *Page) Click(t *testing.T, selector string) {
	t.Helper()
	var at struct{ X, Y float64 }
	p.Eval(t, fmt.Sprintf(`(() => {
		const e = document.querySelector(%q);
		e.scrollIntoView({block: "center"});
		const r = e.getClientRects()[0];
		return {X: r.x + r.width / 2, Y: r.y + r.height / 2};
	})()`, selector), &at)
	p.mouse(t, "mousePressed", at.X, at.Y)
	p.mouse(t, "mouseReleased", at.X, at.Y)
}

// Drag moves the mouse with its button held, which selects text.
func (p *Page) Drag(t *testing.T, fromX, fromY, toX, toY float64) {
	t.Helper()
	p.mouse(t, "mousePressed", fromX, fromY)
	for i := 1; i <= 5; i++ {
		f := float64(i) / 5
		p.mouse(t, "mouseMoved", fromX+(toX-fromX)*f, fromY+(toY-fromY)*f)
	}
	p.mouse(t, "mouseReleased", toX, toY)
}

func (p *Page) mouse(t *testing.T, kind string, x, y float64) {
	t.Helper()
	must(t, p.call("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1}, nil))
}

// Type types a text into the element that has the focus.
func (p *Page) Type(t *testing.T, text string) {
	t.Helper()
	must(t, p.call("Input.insertText", map[string]any{"text": text}, nil))
}

// keyCodes are those of the keys that tests press.
var keyCodes = map[string]int{"Enter": 13, "Tab": 9, "ArrowDown": 40, "ArrowUp": 38}

// Press presses a key, such as "Enter" or "ArrowDown".
func (p *Page) Press(t *testing.T, key string) {
	t.Helper()
	text := ""
	if key == "Enter" {
		text = "\r"
	}
	for _, kind := range []string{"keyDown", "keyUp"} {
		must(t, p.call("Input.dispatchKeyEvent", map[string]any{"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": keyCodes[key], "text": text}, nil))
		text = ""
	}
}

// Scheme asks the page for light or dark colours.
func (p *Page) Scheme(t *testing.T, scheme string) {
	t.Helper()
	must(t, p.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}, nil))
}

// Size gives the page a window of so many pixels.
func (p *Page) Size(t *testing.T, width, height int) {
	t.Helper()
	must(t, p.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil))
}

// Screenshot keeps a picture of what is seen and fails if it shows next to
// nothing.
func (p *Page) Screenshot(t *testing.T, name string) {
	t.Helper()
	p.Eval(t, "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))", nil)
	var shot struct {
		Data string `json:"data"`
	}
	must(t, p.call("Page.captureScreenshot", map[string]any{"format": "png"}, &shot))
	data, err := base64.StdEncoding.DecodeString(shot.Data)
	must(t, err)
	must(t, os.WriteFile(artifact(t, name), data, 0o644))
	img, err := png.Decode(bytes.NewReader(data))
	must(t, err)
	colours := map[[3]uint32]bool{}
	for y := img.Bounds().Min.Y; y < img.Bounds().Max.Y; y += 2 {
		for x := img.Bounds().Min.X; x < img.Bounds().Max.X; x += 2 {
			r, g, b, _ := img.At(x, y).RGBA()
			colours[[3]uint32{r, g, b}] = true
		}
	}
	if len(colours) < 20 {
		t.Errorf("%s shows %d colours; it is as good as empty", name, len(colours))
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
