// Package page writes a report of package explain as one HTML file for a browser:
// select text to see where it came from, choose a section to see its text, compare
// two stages or steps.
//
//	err := page.Page{Report: report}.Write(file)
//
// The file loads nothing. A policy in it forbids all that its own script and style
// do not need, every text is escaped, what cannot be seen is written as an escape,
// and what looks like a credential is a label with its length.
package page

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/proemhq/proem/inspect/explain"
	"github.com/proemhq/proem/internal/textnorm"
	"github.com/proemhq/proem/internal/visible"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

//go:embed page.css
var pageCSS string

//go:embed page.js
var pageJS string

// A View is an assembly to compare with others on a page.
type View struct {
	Label    string // such as "after fence"
	Doc      string
	Assembly prompt.Assembly
}

// A Page is a report for a browser.
type Page struct {
	Report *explain.Report
	Steps  []View // assemblies of other steps, to compare with; the stages are there anyway
}

// Write writes the page.
func (p Page) Write(w io.Writer) error {
	data, err := p.data()
	if err != nil {
		return err
	}
	h := &writer{Writer: bufio.NewWriter(w)}
	h.put(`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src '`,
		hash(pageCSS), `'; script-src '`, hash(pageJS), `'; base-uri 'none'; form-action 'none'"><meta name="referrer" content="no-referrer">`,
		`<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>`)
	h.text("Prompt of " + p.Report.About.Agent)
	h.put("</title><style>", pageCSS, "</style></head><body>")
	h.head(p.Report)
	h.put(`<main><nav aria-label="What the prompt is made of">`)
	h.sections(p.Report)
	h.costs(&p.Report.Costs)
	h.omitted(p.Report)
	h.put(`</nav><div class="texts">`)
	h.texts(p.Report)
	h.compare()
	h.put(`</div><aside id="origin" aria-live="polite"><h2>Origin</h2><div id="what"><p>Select some text, or choose a section.</p><p>With the keyboard: Tab to a text, then the arrow keys go from piece to piece.</p></div></aside></main>`)
	h.put(`<script type="application/json" id="data">`, string(data), `</script><script>`, pageJS, `</script></body></html>`, "\n")
	if h.err != nil {
		return h.err
	}
	return h.Flush()
}

// hash names a script or style in the page's policy.
func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// clean returns a text for showing, without credentials and with escapes.
func clean(s string) string { return marks.Replace(visible.Text(textnorm.Redact(s))) }

// marks turn the direction of text. Scripts need them, so a terminal shows what
// they do; a page that is read to find such things shows them.
var marks = strings.NewReplacer("\u061c", `\u{61c}`, "\u200e", `\u{200e}`, "\u200f", `\u{200f}`)

// writer writes HTML and keeps the first error.
type writer struct {
	*bufio.Writer
	err error
}

// put writes HTML.
func (h *writer) put(parts ...string) {
	for _, s := range parts {
		if _, err := h.WriteString(s); err != nil && h.err == nil {
			h.err = err
		}
	}
}

// text writes a text as it reads.
func (h *writer) text(s string) { h.put(html.EscapeString(clean(s))) }

// name writes a name that may be broken between its parts.
func (h *writer) name(s string) {
	for part := range strings.SplitAfterSeq(clean(s), "/") {
		before, after, ok := strings.Cut(part, ":")
		h.put(html.EscapeString(before))
		if ok {
			h.put(":<wbr>", html.EscapeString(after))
		}
		h.put("<wbr>")
	}
}

func (h *writer) head(r *explain.Report) {
	h.put("<header><h1>")
	h.text(r.About.Agent)
	h.put("</h1><p>")
	h.text(fmt.Sprintf("preset %s · model %s · turn %d, step %d · %d tokens a step, %d in %d steps", r.About.Preset, r.About.Model, r.About.Turn, r.About.Step,
		r.Costs.Total.Tokens, r.Costs.Total.TurnMax, r.Costs.StepsMax))
	if p := r.Costs.Total.Price; p != nil {
		h.text(fmt.Sprintf(" · $%.6f a step, $%.4f at most", *p, *r.Costs.Total.PriceMax))
	}
	h.put("</p><p>")
	if r.About.Root != "" {
		h.text("Project " + r.About.Root + ". ")
	}
	h.text("Where two instructions contradict each other: " + r.Conflicts + ".")
	h.put(`</p><ul class="legend" aria-label="Colours by trust">`)
	for t := span.Builtin; t <= span.Tool; t++ {
		h.put(`<li><span class="swatch t-`, t.String(), `"></span>`, t.String(), `</li>`)
	}
	h.put(`<li><span class="swatch t-generated"></span>generated</li></ul></header>`)
}

func (h *writer) sections(r *explain.Report) {
	h.put(`<h2>Sections</h2><label class="filter">Find <input id="find" type="search" placeholder="a text of the prompt"></label><p id="found" role="status"></p><table id="sections"><thead><tr><th>section<th>trust<th class="n">tokens<th class="n">×`,
		fmt.Sprint(r.Costs.StepsMax), `</tr></thead><tbody>`)
	last := ""
	row := func(group, name, trust string, i int, kind string, c explain.Cost) {
		if group != last {
			h.put(`<tr class="group"><th colspan="4">`, html.EscapeString(group))
			last = group
		}
		h.put(`<tr><td><button data-`, kind, `="`, fmt.Sprint(i), `">`)
		h.name(name)
		h.put(`</button><td><span class="t-`, trust, `">`, trust, `</span><td class="n">`, fmt.Sprint(c.Tokens), `<td class="n">`, fmt.Sprint(c.TurnMax))
	}
	for i, s := range r.Sections {
		row(s.Channel, s.Name, s.Trust.String(), i, "section", s.Cost)
	}
	for i, t := range r.Tools {
		row("tools", t.Name, t.Trust.String(), i, "tool", t.Cost)
	}
	h.put("</tbody></table>")
}

func (h *writer) costs(c *explain.Costs) {
	about := "estimated"
	if c.Exact {
		about = "exact"
	}
	h.put("<details><summary>Cost by channel, class and trust</summary><table><tbody>")
	for _, g := range []struct {
		name string
		sums []explain.Sum
	}{{"channel", c.Channels}, {"class", c.Classes}, {"trust", c.Trust}} {
		h.put(`<tr class="group"><th colspan="4">`, g.name)
		for _, s := range g.sums {
			h.put("<tr><td>")
			h.text(s.Name)
			h.put(`<td class="n">`, fmt.Sprint(s.Cost.Tokens), `<td class="n">`, fmt.Sprint(s.Cost.TurnMax))
			if s.Cost.PriceMax != nil {
				h.put(`<td class="n">`, fmt.Sprintf("$%.4f", *s.Cost.PriceMax))
			}
		}
	}
	h.put("</tbody></table><p>")
	h.text("Tokens of a step, and of the " + fmt.Sprint(c.StepsMax) + " steps a turn may take; " + about + " (" + c.Counter + ").")
	h.put("</p></details>")
}

func (h *writer) omitted(r *explain.Report) {
	h.put("<details", open(len(r.Omitted)), "><summary>Left out or changed (", fmt.Sprint(len(r.Omitted)), ")</summary><ul>")
	for _, o := range r.Omitted {
		h.put("<li><b>")
		h.text(o.Name)
		h.put("</b> ")
		h.text(o.Reason)
		h.put(` <small>`)
		h.text(o.Stage)
		h.put("</small></li>")
	}
	h.put("</ul></details><details><summary>Diagnostics (", fmt.Sprint(len(r.Diagnostics)), ")</summary><ul>")
	for _, d := range r.Diagnostics {
		h.put("<li>")
		h.text(d.String())
		h.put("</li>")
	}
	h.put("</ul></details>")
}

func open(n int) string {
	if n > 0 && n <= 20 {
		return " open"
	}
	return ""
}

// texts writes every text, a piece for each range.
func (h *writer) texts(r *explain.Report) {
	for i := range r.Texts {
		t := &r.Texts[i]
		h.put(`<section><h2>`)
		h.text(t.Name)
		h.put(` <small>`, fmt.Sprint(len(t.Text)), ` bytes</small></h2><pre tabindex="0" data-t="`, fmt.Sprint(i), `">`)
		pieces := t.Pieces()
		for j, g := range t.Ranges {
			class := "t-" + g.Trust.String()
			if strings.HasPrefix(g.Source, "generated:") {
				class = "t-generated"
			}
			h.put(`<span class="r `, class, `" data-i="`, fmt.Sprint(j), `">`)
			for _, p := range pieces[j] {
				if p.Label {
					h.put(`<b class="label" data-n="`, fmt.Sprint(p.Hi-p.Lo), `">`)
					h.text(p.Text)
					h.put("</b>")
					continue
				}
				h.plain(p.Text)
			}
			h.put("</span>")
		}
		h.put("</pre></section>")
	}
}

// plain writes a text of the prompt; what cannot be seen is marked.
func (h *writer) plain(s string) {
	at := 0
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		esc := ""
		switch {
		case r == utf8.RuneError && n == 1:
			esc = fmt.Sprintf("\\x%02x", s[i])
		case !visible.Is(r), r == 0x61c, r == 0x200e, r == 0x200f:
			esc = visible.Escape(r)
		}
		if esc != "" {
			h.put(html.EscapeString(s[at:i]), `<b class="esc" data-n="`, fmt.Sprint(n), `">`, esc, `</b>`)
			at = i + n
		}
		i += n
	}
	h.put(html.EscapeString(s[at:]))
}

// compare writes the form in which two stages or steps are compared; the script
// fills it.
func (h *writer) compare() {
	h.put(`<section id="compare"><h2>Compare two stages or steps</h2><p><label>from <select id="from"></select></label> <label>to <select id="to"></select></label></p><p id="doc"></p><div id="diff" tabindex="0"></div></section>`)
}
