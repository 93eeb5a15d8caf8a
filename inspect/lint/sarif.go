package lint

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/proemhq/proem/prompt"
)

// SARIF returns the report in the form 2.1.0 of SARIF, which code hosts show beside
// the lines. Paths below root are relative to it.
func (r Report) SARIF(tool, version, root string) any {
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	run.Tool.Driver = sarifDriver{Name: tool, Version: version, Rules: []sarifRule{}}
	index := map[string]int{}
	add := func(f Finding, suppressed bool) {
		i, ok := index[f.Rule]
		if !ok {
			i = len(run.Tool.Driver.Rules)
			index[f.Rule] = i
			run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, ruleSARIF(f))
		}
		run.Results = append(run.Results, r.resultSARIF(f, i, root, suppressed))
	}
	for _, f := range r.Findings {
		add(f, false)
	}
	for _, f := range r.Suppressed {
		add(f, true)
	}
	return sarifLog{Schema: "https://json.schemastore.org/sarif-2.1.0.json", Version: "2.1.0", Runs: []sarifRun{run}}
}

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool struct {
		Driver sarifDriver `json:"driver"`
	} `json:"tool"`
	ColumnKind string        `json:"columnKind"`
	Results    []sarifResult `json:"results"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	Rules   []sarifRule `json:"rules"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifRule struct {
	ID      string    `json:"id"`
	Short   sarifText `json:"shortDescription"`
	Default struct {
		Level string `json:"level"`
	} `json:"defaultConfiguration"`
}

type sarifResult struct {
	RuleID       string             `json:"ruleId"`
	RuleIndex    int                `json:"ruleIndex"`
	Level        string             `json:"level"`
	Message      sarifText          `json:"message"`
	Locations    []sarifLocation    `json:"locations,omitempty"`
	Fingerprints map[string]string  `json:"partialFingerprints"`
	Fixes        []sarifFix         `json:"fixes,omitempty"`
	Suppressions []sarifSuppression `json:"suppressions,omitempty"`
}

type sarifLocation struct {
	Physical sarifPhysical `json:"physicalLocation"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   *sarifRegion  `json:"region,omitempty"`
}

type sarifArtifact struct {
	URI  string `json:"uri"`
	Base string `json:"uriBaseId,omitempty"`
}

type sarifRegion struct {
	StartLine   int  `json:"startLine,omitempty"`
	StartColumn int  `json:"startColumn,omitempty"`
	EndLine     int  `json:"endLine,omitempty"`
	EndColumn   int  `json:"endColumn,omitempty"`
	ByteOffset  *int `json:"byteOffset,omitempty"`
	ByteLength  *int `json:"byteLength,omitempty"`
}

type sarifFix struct {
	Description sarifText     `json:"description"`
	Changes     []sarifChange `json:"artifactChanges"`
}

type sarifChange struct {
	Artifact     sarifArtifact      `json:"artifactLocation"`
	Replacements []sarifReplacement `json:"replacements"`
}

type sarifReplacement struct {
	Deleted  sarifRegion `json:"deletedRegion"`
	Inserted *sarifText  `json:"insertedContent,omitempty"`
}

type sarifSuppression struct {
	Kind          string `json:"kind"`
	Justification string `json:"justification"`
}

func level(s prompt.Severity) string {
	if s == prompt.Info {
		return "note"
	}
	return s.String()
}

func ruleSARIF(f Finding) sarifRule {
	rule, known := RuleOf(f.Rule)
	if !known {
		rule.Severity, rule.Doc = f.Severity, f.Rule
	}
	out := sarifRule{ID: rule.ID, Short: sarifText{rule.Doc}}
	out.Default.Level = level(rule.Severity)
	return out
}

func (r Report) resultSARIF(f Finding, index int, root string, suppressed bool) sarifResult {
	out := sarifResult{RuleID: f.Rule, RuleIndex: index, Level: level(f.Severity), Message: sarifText{f.Message}}
	artifact := artifactOf(f.Path, root)
	if f.Path != "" {
		out.Locations = []sarifLocation{{sarifPhysical{artifact, r.region(f.Place)}}}
	}
	line, _ := r.Source(f.Path, f.Line)
	sum := sha256.Sum256([]byte(f.Rule + "\x00" + artifact.URI + "\x00" + strings.TrimSpace(line) + "\x00" + f.Section))
	out.Fingerprints = map[string]string{"proem/v1": hex.EncodeToString(sum[:8])}
	if len(f.Edits) > 0 {
		rule, _ := RuleOf(f.Rule)
		fix := sarifFix{Description: sarifText{rule.Fix}, Changes: []sarifChange{{Artifact: artifact}}}
		for _, e := range f.Edits {
			lo, n := e.Start, e.End-e.Start
			rep := sarifReplacement{Deleted: sarifRegion{ByteOffset: &lo, ByteLength: &n}}
			if e.Text != "" {
				rep.Inserted = &sarifText{e.Text}
			}
			fix.Changes[0].Replacements = append(fix.Changes[0].Replacements, rep)
		}
		out.Fixes = []sarifFix{fix}
	}
	if suppressed {
		out.Suppressions = []sarifSuppression{{"inSource", f.Reason}}
	}
	return out
}

// artifactOf names a file by a URI: relative if it lies below root.
func artifactOf(path, root string) sarifArtifact {
	if rel, err := filepath.Rel(root, path); root != "" && err == nil && filepath.IsLocal(rel) {
		return sarifArtifact{(&url.URL{Path: filepath.ToSlash(rel)}).String(), "%SRCROOT%"}
	}
	if filepath.IsAbs(path) {
		slashed := filepath.ToSlash(path)
		if !strings.HasPrefix(slashed, "/") {
			slashed = "/" + slashed
		}
		return sarifArtifact{URI: (&url.URL{Scheme: "file", Path: slashed}).String()}
	}
	return sarifArtifact{URI: url.PathEscape(path)}
}

// region returns a place with columns that count characters; nil: only the file is
// known.
func (r Report) region(p Place) *sarifRegion {
	if p.Line == 0 {
		return nil
	}
	out := &sarifRegion{StartLine: p.Line, StartColumn: r.characters(p.Path, p.Line, p.Column)}
	if p.EndLine > p.Line || p.EndLine == p.Line && p.EndColumn > p.Column {
		out.EndLine, out.EndColumn = p.EndLine, r.characters(p.Path, p.EndLine, p.EndColumn)
		if out.EndColumn == 0 {
			out.EndLine = 0
		}
	}
	return out
}

// characters turns a column in bytes into one in characters; 0: not known.
func (r Report) characters(path string, line, column int) int {
	text, ok := r.Source(path, line)
	if !ok || column < 1 {
		return 0
	}
	return 1 + utf8.RuneCountInString(text[:min(column-1, len(text))])
}

// Markdown returns the table of rules for documents.
func Markdown() string {
	var b strings.Builder
	b.WriteString("| rule | severity | what is wrong | `--fix` |\n|---|---|---|---|\n")
	for _, r := range rules {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", r.ID, r.Severity, strings.ReplaceAll(strings.ReplaceAll(r.Doc, "{{", "`{{"), "}}", "}}`"), r.Fix)
	}
	return b.String()
}
