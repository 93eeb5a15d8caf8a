package page

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/proemhq/proem/inspect/explain"
	"github.com/proemhq/proem/prompt"
)

// The data of a page, as its script reads it. Every string is cleaned.
type pageData struct {
	Texts    []pageText    `json:"texts"`
	Sections []pageSection `json:"sections"`
	Tools    []pageSection `json:"tools"`
	Views    []pageView    `json:"views"`
	Bodies   []string      `json:"bodies"` // the texts of views, each once
}

type pageText struct {
	Name   string      `json:"name"`
	Ranges []pageRange `json:"ranges"`
}

type pageRange struct {
	Start   int    `json:"s"`
	End     int    `json:"e"`
	Section string `json:"n,omitempty"`
	Origin  string `json:"o"`
	From    int    `json:"f"` // in the source; -1: no place
	To      int    `json:"t"`
	Exact   bool   `json:"x,omitempty"`
	Source  string `json:"k,omitempty"`
	Scope   string `json:"c,omitempty"`
	Stage   string `json:"g,omitempty"`
	Trust   string `json:"u"`
}

type pageSection struct {
	Name  string      `json:"name"`
	Text  int         `json:"text"` // its place in texts
	Start int         `json:"start"`
	End   int         `json:"end"`
	Rows  [][2]string `json:"rows"` // what is said of it: a word and a sentence
}

type pageView struct {
	Label string     `json:"label"`
	Doc   string     `json:"doc"`
	Items []pageItem `json:"items"`
}

type pageItem struct {
	Name string `json:"name"`
	Body int    `json:"body"` // its place in bodies
}

// short returns a path from the project's root, if it lies below it.
func (p Page) short(path string) string {
	rel, err := filepath.Rel(p.Report.About.Root, path)
	if p.Report.About.Root == "" || err != nil || !filepath.IsLocal(rel) {
		return clean(path)
	}
	return clean(filepath.ToSlash(rel))
}

// data returns the page's data as JSON that can stand in HTML.
func (p Page) data() ([]byte, error) {
	r := p.Report
	d := pageData{Texts: []pageText{}, Sections: []pageSection{}, Tools: []pageSection{}, Views: []pageView{}, Bodies: []string{}}
	place := map[string]int{}
	for i, t := range r.Texts {
		place[t.Name] = i
		out := pageText{Name: clean(t.Name), Ranges: []pageRange{}}
		for _, g := range t.Ranges {
			out.Ranges = append(out.Ranges, pageRange{g.Start, g.End, clean(g.Section), p.short(g.Origin), g.SrcStart, g.SrcEnd, g.Exact,
				clean(g.Source), clean(g.Scope), clean(g.Stage), g.Trust.String()})
		}
		d.Texts = append(d.Texts, out)
	}
	for i := range r.Sections {
		s := &r.Sections[i]
		d.Sections = append(d.Sections, pageSection{clean(s.Name), place[s.Channel], s.Start, s.End, p.rows(s)})
	}
	for _, t := range r.Tools {
		rows := [][2]string{{"why", clean(t.Rule)}, {"source", clean(t.Source)}, {"trust", t.Trust.String()}, {"costs", say(t.Cost, r.Costs.StepsMax)}}
		d.Tools = append(d.Tools, pageSection{clean(t.Name), place["tools"], t.Start, t.End, rows})
	}
	bodies := map[string]int{}
	for _, f := range r.Frames {
		d.add(View{"after " + f.Stage, f.Doc, f.Assembly}, bodies)
	}
	for _, v := range p.Steps {
		d.add(v, bodies)
	}
	return json.Marshal(d)
}

// add adds an assembly.
func (d *pageData) add(v View, bodies map[string]int) {
	out := pageView{clean(v.Label), clean(v.Doc), []pageItem{}}
	item := func(name, text string) {
		at, ok := bodies[text]
		if !ok {
			at = len(d.Bodies)
			bodies[text] = at
			d.Bodies = append(d.Bodies, clean(text))
		}
		out.Items = append(out.Items, pageItem{clean(name), at})
	}
	for ch := range prompt.Channels {
		for _, s := range v.Assembly.Sections {
			if s.Channel == ch && s.Text.Len() > 0 {
				item(ch.String()+" · "+s.Name, s.Text.String())
			}
		}
	}
	for _, t := range v.Assembly.Tools {
		item("tools · "+t.Name, t.Description+"\n"+string(t.Parameters))
	}
	d.Views = append(d.Views, out)
}

// maxUnused is how many unused ranges are listed.
const maxUnused = 8

// rows says of a section what a person wants to know.
func (p Page) rows(s *explain.Section) [][2]string {
	out := [][2]string{{"why", clean(s.Rule)}, {"place", fmt.Sprintf("%s, bytes %d–%d, order %g", s.Channel, s.Start, s.End, s.Order)},
		{"class", s.Class}, {"trust", s.Trust.String()}, {"source", clean(s.Source)}}
	if s.Path != "" {
		out = append(out, [2]string{"file", p.short(s.Path)})
	}
	for _, a := range s.Aliases {
		out = append(out, [2]string{"also", p.short(a)})
	}
	for _, c := range s.Changes {
		out = append(out, [2]string{clean(c.Stage), clean(c.Text)})
	}
	for i, u := range s.Unused {
		if i == maxUnused {
			out = append(out, [2]string{"not used", fmt.Sprintf("%d further ranges", len(s.Unused)-i)})
			break
		}
		out = append(out, [2]string{"not used", strings.TrimSpace(fmt.Sprintf("bytes %d–%d of %s %s", u.Start, u.End, p.short(u.Path), clean(u.Text)))})
	}
	for _, o := range s.Won {
		name := clean(o.Name)
		if o.Path != "" {
			name = p.short(o.Path)
		}
		out = append(out, [2]string{"keeps out", name + ": " + clean(o.Reason)})
	}
	return append(out, [2]string{"costs", say(s.Cost, p.Report.Costs.StepsMax)})
}

// say describes a cost.
func say(c explain.Cost, steps int) string {
	text := fmt.Sprintf("%d tokens, %d in %d steps", c.Tokens, c.TurnMax, steps)
	if c.Price != nil {
		text += fmt.Sprintf(", $%.6f and $%.4f", *c.Price, *c.PriceMax)
	}
	return text
}
