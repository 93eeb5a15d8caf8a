package lint_test

import (
	"bytes"
	"encoding/json"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/proemhq/proem/inspect/lint"
	"github.com/proemhq/proem/inspect/lint/sarif"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/prompt"
)

// What the standard (OASIS SARIF 2.1.0) says of the members that are written.
type (
	sarifMessage  struct{ Text string }
	sarifArtifact struct{ URI, URIBaseID string }
	sarifRegion   struct{ StartLine, StartColumn, EndLine, EndColumn, ByteOffset, ByteLength *int }
	sarifLog      struct {
		Schema  string `json:"$schema"`
		Version string
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name, Version string
					Rules         []struct {
						ID                   string
						ShortDescription     sarifMessage
						DefaultConfiguration struct{ Level string }
					}
				}
			}
			ColumnKind string
			Results    []struct {
				RuleID    string
				RuleIndex int
				Level     string
				Message   sarifMessage
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation sarifArtifact
						Region           *sarifRegion
					}
				}
				PartialFingerprints map[string]string
				Fixes               []struct {
					Description     sarifMessage
					ArtifactChanges []struct {
						ArtifactLocation sarifArtifact
						Replacements     []struct {
							DeletedRegion   sarifRegion
							InsertedContent *sarifMessage
						}
					}
				}
				Suppressions []struct{ Kind, Justification string }
			}
		}
	}
)

// TestSARIF checks that a report keeps to the standard: no member that it does not
// know, none missing that it requires, and values within its bounds.
func TestSARIF(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	filetest.Must(t, err)
	filetest.Write(t, dir, map[string]string{
		"AGENTS.md":     "\xef\xbb\xbf价格 `read_fil` here\r\nzero\u200bwidth\n",
		"a b/AGENTS.md": "<!-- proem-lint-ignore tool.unknown: on purpose -->\n`read_fil`\n",
	})
	r := look(t, dir, "Use `read_fil`.")
	r.Findings = append(r.Findings, lint.Finding{Rule: "not.known", Severity: prompt.Error, Place: lint.Place{Path: "/else/where.md", Line: 3, Column: 1}, Message: "x"},
		lint.Finding{Rule: "config.value", Severity: prompt.Error, Place: lint.Place{Path: "--set", Line: 1, Column: 1}, Message: "x"})
	data, err := json.Marshal(sarif.New(r, sarif.Tool{Name: "proem", Version: "v1", Root: dir}))
	filetest.Must(t, err)
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	var log sarifLog
	if err := d.Decode(&log); err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	if log.Version != "2.1.0" || len(log.Runs) != 1 || !strings.Contains(log.Schema, "sarif-2.1.0") {
		t.Fatalf("%s", data)
	}
	run := log.Runs[0]
	levels := []string{"none", "note", "warning", "error"}
	if run.Tool.Driver.Name == "" || !slices.Contains([]string{"utf16CodeUnits", "unicodeCodePoints"}, run.ColumnKind) {
		t.Errorf("run: %s", data)
	}
	for i, rule := range run.Tool.Driver.Rules {
		if rule.ID == "" || rule.ShortDescription.Text == "" || !slices.Contains(levels, rule.DefaultConfiguration.Level) {
			t.Errorf("rule %d: %+v", i, rule)
		}
	}
	uris := map[string]bool{}
	for _, x := range run.Results {
		if x.Message.Text == "" || !slices.Contains(levels, x.Level) || run.Tool.Driver.Rules[x.RuleIndex].ID != x.RuleID {
			t.Errorf("result: %+v", x)
		}
		for _, l := range x.Locations {
			a := l.PhysicalLocation.ArtifactLocation
			u, err := url.Parse(a.URI)
			if err != nil || a.URI == "" || a.URIBaseID != "" && (u.IsAbs() || strings.HasPrefix(a.URI, "/")) {
				t.Errorf("%+v: %v", a, err)
			}
			uris[a.URI] = true
			if r := l.PhysicalLocation.Region; r != nil {
				r.check(t)
			}
		}
		for _, f := range x.Fixes {
			if f.Description.Text == "" || len(f.ArtifactChanges) != 1 || len(f.ArtifactChanges[0].Replacements) == 0 {
				t.Errorf("fix: %+v", f)
			}
			for _, r := range f.ArtifactChanges[0].Replacements {
				r.DeletedRegion.check(t)
			}
		}
		for _, s := range x.Suppressions {
			if s.Kind != "inSource" || s.Justification != "on purpose" {
				t.Errorf("suppression: %+v", s)
			}
		}
	}
	for _, want := range []string{"AGENTS.md", "a%20b/AGENTS.md", "file:///else/where.md"} {
		if !uris[want] {
			t.Errorf("no %s in %v", want, uris)
		}
	}
	// Columns count characters, not bytes; a byte order mark is one.
	if !strings.Contains(string(data), `"region":{"startLine":1,"startColumn":5,"endLine":1,"endColumn":15}`) {
		t.Errorf("no place of read_fil in %s", data)
	}
}

// check checks the bounds of a region.
func (r *sarifRegion) check(t *testing.T) {
	t.Helper()
	at := func(p *int, least int) int {
		if p != nil && *p < least {
			t.Errorf("region: %d is less than %d", *p, least)
		}
		if p == nil {
			return -1
		}
		return *p
	}
	line, column := at(r.StartLine, 1), at(r.StartColumn, 1)
	endLine, endColumn := at(r.EndLine, 1), at(r.EndColumn, 1)
	at(r.ByteOffset, 0)
	at(r.ByteLength, 0)
	if line < 0 && r.ByteOffset == nil || endLine > 0 && (endLine < line || endLine == line && endColumn < column) {
		t.Errorf("region: %+v", r)
	}
}
