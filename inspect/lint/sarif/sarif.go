// Package sarif writes what lint found in the form of SARIF 2.1.0, which code hosts
// show beside the lines:
//
//	log := sarif.New(report, sarif.Tool{Name: "proem", Version: "v1", Root: "/w"})
//	json.NewEncoder(os.Stdout).Encode(log)
package sarif

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/proemhq/proem/inspect/lint"
	"github.com/proemhq/proem/prompt"
)

// A Tool says who looked, and at what.
type Tool struct {
	Name    string
	Version string // may be empty
	Root    string // of the project: paths below it are relative to it
}

// New returns a report as a value whose JSON is a SARIF log.
func New(report lint.Report, tool Tool) any {
	r := writer{report, tool.Root}
	out := run{ColumnKind: "unicodeCodePoints", Results: []result{}}
	out.Tool.Driver = driver{Name: tool.Name, Version: tool.Version, Rules: []rule{}}
	index := map[string]int{}
	add := func(f lint.Finding, suppressed bool) {
		i, ok := index[f.Rule]
		if !ok {
			i = len(out.Tool.Driver.Rules)
			index[f.Rule] = i
			out.Tool.Driver.Rules = append(out.Tool.Driver.Rules, ruleOf(f))
		}
		out.Results = append(out.Results, r.result(f, i, suppressed))
	}
	for _, f := range report.Findings {
		add(f, false)
	}
	for _, f := range report.Suppressed {
		add(f, true)
	}
	return log{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []run{out}}
}

// A writer is a report on its way.
type writer struct {
	report lint.Report
	root   string
}

type log struct {
	Schema  string `json:"$schema"`
	Version string `json:"version"`
	Runs    []run  `json:"runs"`
}

type run struct {
	Tool struct {
		Driver driver `json:"driver"`
	} `json:"tool"`
	ColumnKind string   `json:"columnKind"`
	Results    []result `json:"results"`
}

type driver struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	Rules   []rule `json:"rules"`
}

type text struct {
	Text string `json:"text"`
}

type rule struct {
	ID      string `json:"id"`
	Short   text   `json:"shortDescription"`
	Default struct {
		Level string `json:"level"`
	} `json:"defaultConfiguration"`
}

type result struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      text              `json:"message"`
	Locations    []location        `json:"locations,omitempty"`
	Fingerprints map[string]string `json:"partialFingerprints"`
	Fixes        []fix             `json:"fixes,omitempty"`
	Suppressions []suppression     `json:"suppressions,omitempty"`
}

type location struct {
	Physical physical `json:"physicalLocation"`
}

type physical struct {
	Artifact artifact `json:"artifactLocation"`
	Region   *region  `json:"region,omitempty"`
}

type artifact struct {
	URI  string `json:"uri"`
	Base string `json:"uriBaseId,omitempty"`
}

type region struct {
	StartLine   int  `json:"startLine,omitempty"`
	StartColumn int  `json:"startColumn,omitempty"`
	EndLine     int  `json:"endLine,omitempty"`
	EndColumn   int  `json:"endColumn,omitempty"`
	ByteOffset  *int `json:"byteOffset,omitempty"`
	ByteLength  *int `json:"byteLength,omitempty"`
}

type fix struct {
	Description text     `json:"description"`
	Changes     []change `json:"artifactChanges"`
}

type change struct {
	Artifact     artifact      `json:"artifactLocation"`
	Replacements []replacement `json:"replacements"`
}

type replacement struct {
	Deleted  region `json:"deletedRegion"`
	Inserted *text  `json:"insertedContent,omitempty"`
}

type suppression struct {
	Kind          string `json:"kind"`
	Justification string `json:"justification"`
}

func level(s prompt.Severity) string {
	if s == prompt.Info {
		return "note"
	}
	return s.String()
}

func ruleOf(f lint.Finding) rule {
	known, ok := lint.RuleOf(f.Rule)
	if !ok {
		known.Severity, known.Doc = f.Severity, f.Rule
	}
	out := rule{ID: known.ID, Short: text{known.Doc}}
	out.Default.Level = level(known.Severity)
	return out
}

func (r writer) result(f lint.Finding, index int, suppressed bool) result {
	out := result{RuleID: f.Rule, RuleIndex: index, Level: level(f.Severity), Message: text{f.Message}}
	file := artifactOf(f.Path, r.root)
	if f.Path != "" {
		out.Locations = []location{{physical{file, r.region(f.Place)}}}
	}
	line, _ := r.report.Source(f.Path, f.Line)
	sum := sha256.Sum256([]byte(f.Rule + "\x00" + file.URI + "\x00" + strings.TrimSpace(line) + "\x00" + f.Section))
	out.Fingerprints = map[string]string{"proem/v1": hex.EncodeToString(sum[:8])}
	if len(f.Edits) > 0 {
		known, _ := lint.RuleOf(f.Rule)
		repair := fix{Description: text{known.Fix}, Changes: []change{{Artifact: file}}}
		for _, e := range f.Edits {
			lo, n := e.Start, e.End-e.Start
			rep := replacement{Deleted: region{ByteOffset: &lo, ByteLength: &n}}
			if e.Text != "" {
				rep.Inserted = &text{e.Text}
			}
			repair.Changes[0].Replacements = append(repair.Changes[0].Replacements, rep)
		}
		out.Fixes = []fix{repair}
	}
	if suppressed {
		out.Suppressions = []suppression{{"inSource", f.Reason}}
	}
	return out
}

// artifactOf names a file by a URI: relative if it lies below root.
func artifactOf(path, root string) artifact {
	if rel, err := filepath.Rel(root, path); root != "" && err == nil && filepath.IsLocal(rel) {
		return artifact{(&url.URL{Path: filepath.ToSlash(rel)}).String(), "%SRCROOT%"}
	}
	if filepath.IsAbs(path) {
		slashed := filepath.ToSlash(path)
		if !strings.HasPrefix(slashed, "/") {
			slashed = "/" + slashed
		}
		return artifact{URI: (&url.URL{Scheme: "file", Path: slashed}).String()}
	}
	return artifact{URI: url.PathEscape(path)}
}

// region returns a place with columns that count characters; nil: only the file is
// known.
func (r writer) region(p lint.Place) *region {
	if p.Line == 0 {
		return nil
	}
	out := &region{StartLine: p.Line, StartColumn: r.characters(p.Path, p.Line, p.Column)}
	if p.EndLine > p.Line || p.EndLine == p.Line && p.EndColumn > p.Column {
		out.EndLine, out.EndColumn = p.EndLine, r.characters(p.Path, p.EndLine, p.EndColumn)
		if out.EndColumn == 0 {
			out.EndLine = 0
		}
	}
	return out
}

// characters turns a column in bytes into one in characters; 0: not known.
func (r writer) characters(path string, line, column int) int {
	source, ok := r.report.Source(path, line)
	if !ok || column < 1 {
		return 0
	}
	return 1 + utf8.RuneCountInString(source[:min(column-1, len(source))])
}
