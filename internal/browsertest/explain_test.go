package browsertest_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/proemhq/proem/cli"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/browsertest"
	"github.com/proemhq/proem/internal/filetest"
)

// explained writes the page of a project whose files would like to do harm, and
// returns its address. The counter counts whoever comes to the server that they
// name.
func explained(t *testing.T) (address string, visitors *atomic.Int64) {
	t.Helper()
	visitors = &atomic.Int64{}
	canary := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { visitors.Add(1) }))
	t.Cleanup(canary.Close)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	filetest.Must(t, err)
	filetest.Write(t, dir, map[string]string{
		"home/.config/proem/config.yaml": "system_prompt: You are a careful Go programmer.\nprices: {gpt-5: {input: 1.25, cached: 0.125, output: 10}}\ntools: {deny: [shell]}\n",
		"home/.config/proem/AGENTS.md":   "Answer briefly.\n",
		"w/.git/HEAD":                    "",
		"w/AGENTS.md":                    "# House rules\n\nUse tabs.\nRun the tests before you answer.\n\n@docs/style.md\n",
		"w/docs/style.md":                "Names are short.\r\nComments say why.\r\n",
		"w/CLAUDE.md":                    "c\n",
		"w/svc/AGENTS.override.md": "The service speaks JSON. 世界\ntoken: sk-test-0000000000000000000000000000000000000000 end\n" +
			"</script><script>fetch('" + canary.URL + "')</script><img src='" + canary.URL + "/i' onerror=\"fetch('" + canary.URL + "/e')\">" +
			"![x](" + canary.URL + "/m)\n<style>@import '" + canary.URL + "/s';</style>\u200fright to left\n",
		"w/svc/AGENTS.md": "old\n",
	})
	page := filepath.Join(dir, "page.html")
	var out bytes.Buffer
	code := cli.Run(context.Background(), cli.App{}, cli.Process{
		Args:  []string{"explain", "--html", page, "--model", "openai:gpt-5", "--input", "What is <b>this</b>?", "--now", "2026-01-02T03:04:05Z"},
		Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Environ: []string{"HOME=" + filepath.Join(dir, "home")},
		Dir: filepath.Join(dir, "w", "svc"), Env: env.System(),
	})
	if code != cli.ExitOK {
		t.Fatalf("exit status %d\n%s", code, out.String())
	}
	return (&url.URL{Scheme: "file", Path: page}).String(), visitors
}

func TestExplainPage(t *testing.T) {
	b := browsertest.Start(t)
	address, visitors := explained(t)
	p := b.Open(t, address)
	panel := func(parts ...string) {
		t.Helper()
		for _, part := range parts {
			p.Wait(t, fmt.Sprintf("document.querySelector('#what').textContent.includes(%q)", part))
		}
	}

	// Select two words with the mouse: file and bytes in it.
	var at struct{ X, Y, X2, Y2 float64 }
	p.Eval(t, `(() => {
		const walk = document.createTreeWalker(document.querySelector("pre[data-t]"), NodeFilter.SHOW_TEXT);
		for (let n = walk.nextNode(); n; n = walk.nextNode()) {
			const i = n.data.indexOf("Use tabs");
			if (i < 0) continue;
			const r = document.createRange();
			r.setStart(n, i);
			r.setEnd(n, i + 8);
			r.startContainer.parentElement.scrollIntoView({block: "center"});
			const c = r.getBoundingClientRect();
			return {X: c.left + 1, Y: c.top + c.height / 2, X2: c.right - 1, Y2: c.top + c.height / 2};
		}
	})()`, &at)
	p.Drag(t, at.X, at.Y, at.X2, at.Y2)
	p.Wait(t, `document.getSelection().toString() === "Use tabs"`)
	panel("project:AGENTS.md", "fromAGENTS.md", "15–23", "as it stands there", "the first of AGENTS.override.md, AGENTS.md in the project's root that is not blank")
	p.Screenshot(t, "explain-select.png")

	// A selection behind a credential and behind wide characters still has the right
	// bytes.
	p.Eval(t, `document.getSelection().removeAllRanges()`, nil)
	p.Eval(t, `(() => { const f = document.querySelector("#find"); f.focus(); })()`, nil)
	p.Type(t, "end")
	p.Press(t, "Enter")
	p.Wait(t, `document.querySelector("#found").textContent.startsWith("1 of")`)
	panel("fromsvc/AGENTS.override.md", "88–91")

	// Choose a section.
	p.Click(t, `button[data-section="3"]`)
	p.Wait(t, `document.querySelectorAll("pre .on").length > 1`)
	panel("keeps out", "svc/AGENTS.md: shadowed by AGENTS.override.md", "generated:fence")
	p.Click(t, `button[data-tool="0"]`)
	panel("no rule hides it")

	// The keyboard.
	p.Eval(t, `document.querySelector("pre[data-t]").focus()`, nil)
	p.Press(t, "ArrowDown")
	panel("config.yaml", "a key of the configuration says it")
	p.Press(t, "ArrowDown")
	panel("generated:separator")

	compare(t, p)
	looks(t, p)
	if got := p.Requests(); len(got) > 0 || visitors.Load() > 0 {
		t.Errorf("the page asked for %q; %d visitors", got, visitors.Load())
	}
	if got := p.Troubles(); len(got) > 0 {
		t.Errorf("the console says %s", strings.Join(got, "\n"))
	}
}

// compare looks at the difference of two stages.
func compare(t *testing.T, p *browsertest.Page) {
	t.Helper()
	diff := p.Text(t, "#diff")
	for _, part := range []string{"system · project:AGENTS.md", "+ <block ", "tools · shell (removed)"} {
		if !strings.Contains(diff, part) {
			t.Errorf("the difference lacks %q:\n%s", part, diff)
		}
	}
	p.Eval(t, `(() => { const s = document.querySelector("#from"); s.value = s.options[s.options.length - 1].value; s.dispatchEvent(new Event("change")); })()`, nil)
	if got := p.Text(t, "#diff"); got != "no difference" {
		t.Errorf("the difference of a stage with itself: %s", got)
	}
}

// looks takes pictures in both colour schemes and on a narrow screen, and checks
// what is seen of credentials and hidden characters.
func looks(t *testing.T, p *browsertest.Page) {
	t.Helper()
	var labels, escapes string
	p.Eval(t, `[...document.querySelectorAll("pre .label")].map((e) => e.textContent).join()`, &labels)
	p.Eval(t, `[...document.querySelectorAll("pre .esc")].map((e) => e.textContent).join()`, &escapes)
	if labels != "sk-…[redacted 48]" || escapes != `\u{200f}` {
		t.Errorf("labels %q, escapes %q", labels, escapes)
	}
	for _, scheme := range []string{"light", "dark"} {
		p.Scheme(t, scheme)
		p.Click(t, `button[data-section="3"]`)
		p.Screenshot(t, "explain-"+scheme+".png")
	}
	p.Eval(t, `(() => { const s = document.querySelector("#from"); s.value = "0"; s.dispatchEvent(new Event("change")); })()`, nil)
	p.Eval(t, `document.querySelector("#compare").scrollIntoView()`, nil)
	p.Wait(t, `document.querySelector("#diff .add").getBoundingClientRect().top < innerHeight`)
	p.Screenshot(t, "explain-compare.png")
	p.Scheme(t, "light")
	p.Size(t, 480, 900)
	p.Eval(t, `document.querySelector("pre[data-t]").scrollIntoView()`, nil)
	p.Screenshot(t, "explain-narrow.png")
	var wide bool
	p.Eval(t, `document.documentElement.scrollWidth > window.innerWidth`, &wide)
	if wide {
		t.Error("a narrow page has to be moved sideways")
	}
}
