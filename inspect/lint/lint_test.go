package lint_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/inspect/lint"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/internal/textnorm"
	"github.com/proemhq/proem/preset/standard"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/provider"
	"github.com/proemhq/proem/registry"
	"github.com/proemhq/proem/source/files"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/openaichat"
)

var update = flag.Bool("update", false, "rewrite the table of rules in docs/lint.md")

// disk reads real files.
type disk struct{}

func (disk) Read(path string) ([]byte, error) { return os.ReadFile(path) }

// A model that only encodes.
type model struct{ provider.Model }

func (model) Encode(prev *wire.Body, r wire.Request) (wire.Body, error) {
	return openaichat.Dialect.Encode(prev, r)
}

// look lints a project with the agent of the given base prompt. Texts of files have
// \r and others as they are.
func look(t testing.TB, dir, base string) lint.Report {
	t.Helper()
	reg := registry.New()
	src := files.New(files.Config{Cwd: dir, Root: dir, MaxBytes: 1 << 20})
	filetest.Must(t, standard.Define(reg.Global(), standard.Texts{Files: src}))
	_, err := reg.Global().Tools(prompt.ToolDef{Specs: []chat.ToolSpec{
		{Name: "read_file", Description: "Reads a file.", Parameters: json.RawMessage(`{"type":"object","properties":{"file_path":{}}}`)},
		{Name: "shell", Description: "Runs a command."},
	}})
	filetest.Must(t, err)
	a, err := agent.New(agent.Config{Model: model{}, ModelName: "m", Registry: reg, System: base})
	filetest.Must(t, err)
	p, err := a.Preview(context.Background(), "lint", agent.Input{Text: "hello there, agent"})
	filetest.Must(t, err)
	v, err := src.Inventory(context.Background())
	filetest.Must(t, err)
	in := lint.Input{Root: dir, Reader: disk{}, Docs: v.Docs, Notes: v.Notes, Diagnostics: v.Diagnostics,
		Prompts: []lint.Prompt{{Agent: "default", Preview: p, Text: "hello there, agent", Steps: 10}}}
	for _, u := range v.Unread {
		in.Unread = append(in.Unread, lint.Unread{Path: u.Path, Beside: u.Beside, Names: "AGENTS.md"})
	}
	return lint.Check(in)
}

// lines returns findings as lines, with paths from the project's root and the text
// that their place covers.
func lines(dir string, fs []lint.Finding) []string {
	out := []string{}
	for _, f := range fs {
		covered := ""
		if raw, err := os.ReadFile(f.Path); err == nil && f.End > f.Start && f.End <= len(raw) {
			covered = fmt.Sprintf(" %q", raw[f.Start:f.End])
		}
		f.Path = strings.TrimPrefix(filepath.ToSlash(f.Path), filepath.ToSlash(dir)+"/")
		out = append(out, f.String()+covered)
	}
	return out
}

const rule14 = "Every price in this shop is a whole number in fen, and a fraction of it is a fault of whoever wrote it."

const other14 = "Nobody translates the names of teas, not in the menu, not in tests and not in what the checkout prints."

func TestRules(t *testing.T) {
	for _, tt := range []struct {
		name, base string
		tree       map[string]string
		want       []string
	}{
		{"nothing", "You help.", map[string]string{"AGENTS.md": "Be brief.\n"}, nil},
		{"tools", "Use `read_fil`.", map[string]string{"AGENTS.md": "Take `read_files`, `file_path`, `shell`, `my_function` and `read_fil()`.\n\n```\n`read_fil`\n```\nThe tool `send_mail` and the `Read` tool help; `Read` alone does not.\n"}, []string{
			"warning tool.unknown: section base, line 1: there is no tool read_fil; did you mean read_file?",
			"warning tool.unknown AGENTS.md:1:6: there is no tool read_files; did you mean read_file? \"`read_files`\"",
			"info tool.unknown AGENTS.md:6:10: there is no tool send_mail in this prompt \"`send_mail`\"",
			"warning tool.unknown AGENTS.md:6:30: there is no tool Read here; read_file does that \"`Read`\"",
		}},
		{"twice", rule14, map[string]string{
			"AGENTS.md":   "# Shop\n\n* every price in this shop is a whole number in fen and a fraction of it is a fault of whoever wrote it\n\nShort is fine.\n",
			"b/AGENTS.md": "Short is fine.\n"}, []string{
			"warning text.duplicate AGENTS.md:3:1: this paragraph says what section base, line 1 says " +
				"\"* every price in this shop is a whole number in fen and a fraction of it is a fault of whoever wrote it\"",
		}},
		{"several paragraphs twice", "", map[string]string{
			"AGENTS.md":   rule14 + "\n\n" + other14 + "\n",
			"b/AGENTS.md": "# B\n\n" + rule14 + "\n\n" + other14 + "\n"}, []string{
			"warning text.duplicate b/AGENTS.md:3:1: these 2 paragraphs say what AGENTS.md:1 says " +
				fmt.Sprintf("%q", strings.TrimSuffix(rule14+"\n\n"+other14, ".")),
		}},
		{"twice without spaces", "", map[string]string{"AGENTS.md": "这个商店里的每个价格都是以分为单位的整数,小数是错误。\n\n这个商店里的每个价格都是以分为单位的整数,小数是错误。\n"}, []string{
			"warning text.duplicate AGENTS.md:3:1: this paragraph says what AGENTS.md:1 says \"这个商店里的每个价格都是以分为单位的整数,小数是错误\"",
		}},
		{"twice with a comment between", "", map[string]string{"AGENTS.md": rule14 + "\n" + other14 + "\n", "b/AGENTS.md": "<!-- why this\nis here -->\n" + strings.Replace(rule14, " a ", " a <!-- really --> ", 1) + "\n"}, []string{
			"warning text.duplicate b/AGENTS.md:3:1: this paragraph says what AGENTS.md:1 says " +
				fmt.Sprintf("%q", strings.TrimSuffix(strings.Replace(rule14, " a ", " a <!-- really --> ", 1), ".")),
		}},
		{"encodings", "", map[string]string{"AGENTS.md": "\xef\xbb\xbfone\r\ntwo\r\n", "b/AGENTS.md": "one\rtwo\nthree\r\n", "c/AGENTS.md": "\xff\xfeo\x00k\x00\n\x00"}, []string{
			"info file.bom AGENTS.md:1:1: begins with a byte order mark \"\\ufeff\"",
			"info file.crlf AGENTS.md:1:7: ends 2 lines in CR LF \"\\r\"",
			"warning file.line_ends b/AGENTS.md:1:4: ends 1 line in CR LF, 1 in CR and 1 in LF \"\\r\"",
			"warning file.utf16 c/AGENTS.md:1:1: is UTF-16 \"\\xff\\xfe\"",
		}},
		{"a fence", "```\nnever closed", map[string]string{"AGENTS.md": "Text\n\n  ~~~ sh\nmake\n"}, []string{
			"warning markdown.unclosed_fence: section base, line 1: this code fence is never closed",
			"warning markdown.unclosed_fence AGENTS.md:3:1: this code fence is never closed \"  ~~~ sh\"",
		}},
		{"imports", "", map[string]string{"AGENTS.md": "@a.md\nsee @none.md\n", "a.md": "A\n@b.md\n", "b.md": "B `read_fil`\n@a.md\n"}, []string{
			"warning import.missing AGENTS.md:2:5: @none.md does not exist",
			"warning tool.unknown b.md:1:3: there is no tool read_fil; did you mean read_file? \"`read_fil`\"",
			"warning import.cycle b.md:2:1: @a.md closes a circle: a.md → b.md → a.md",
		}},
		{"unread", "", map[string]string{"AGENTS.md": "x", "CLAUDE.md": "other", "a/AGENTS.md": "x", "a/CLAUDE.md": "@AGENTS.md\n", "b/GEMINI.md": "y",
			".gitignore": "gen/\n", "gen/CLAUDE.md": "made", "node_modules/m/AGENTS.md": "theirs", "c/AGENTS.override.md": "z", "c/AGENTS.md": "hidden"}, []string{
			"info file.unreachable CLAUDE.md: CLAUDE.md is never read; what is looked for is AGENTS.md",
			"warning file.unreachable b/GEMINI.md: GEMINI.md is never read; what is looked for is AGENTS.md",
			"info file.unreachable c/AGENTS.md: is never read: shadowed by AGENTS.override.md",
		}},
		{"secrets and hidden characters of one's own", "token sk-test-0000000000000000000000000000000000000000 and zero\u200bwidth", map[string]string{"AGENTS.md": "a\u200bb\n"}, []string{
			"warning doc.invisible: section base, line 1: holds invisible characters: U+200B at byte 63",
			"warning doc.secret_like: section base, line 1: looks like a secret: sk-…[redacted 48]",
			"warning doc.invisible AGENTS.md:1:2: removed invisible characters: U+200B at byte 1",
		}},
		{"the user's message", "Answer: hello there, agent!", map[string]string{"AGENTS.md": "x"}, []string{
			"warning prompt.input_copied: section base, line 1: system repeats the user's message",
		}},
		{"suppressed", "", map[string]string{"AGENTS.md": "<!-- proem-lint-ignore tool.unknown, import.missing: an example\nover two lines -->\n\nTake `read_fil`\nand @none.md.\n\nTake `read_fil`.\n"}, []string{
			"warning tool.unknown AGENTS.md:7:6: there is no tool read_fil; did you mean read_file? \"`read_fil`\"",
		}},
		{"suppressed in the file", "", map[string]string{"AGENTS.md": "Take `read_fil`.\n\n```\n<!-- proem-lint-ignore no.rule -->\n```\n\n`read_fil` <!-- proem-lint-ignore-file tool.unknown: the name of a function -->\n"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			filetest.Must(t, err)
			filetest.Write(t, dir, tt.tree)
			got := look(t, dir, tt.base)
			if diff := cmp.Diff(lines(dir, got.Findings), append([]string{}, tt.want...)); diff != "" {
				t.Errorf("findings (-got +want):\n%s", diff)
			}
			if again := look(t, dir, tt.base); !cmp.Equal(lines(dir, again.Findings), lines(dir, got.Findings)) {
				t.Error("not the same twice")
			}
		})
	}
}

// TestMany looks at a text with the same fault in many places, and takes time in
// proportion to it.
func TestMany(t *testing.T) {
	dir := t.TempDir()
	filetest.Write(t, dir, map[string]string{"AGENTS.md": strings.Repeat("`read_fil` {{x}} <!-- y -->\r\n", 20_000)})
	start := time.Now()
	n := 0
	for _, f := range look(t, dir, "").Findings {
		if f.Rule == "tool.unknown" {
			n++
		}
	}
	if n != 51 {
		t.Errorf("%d findings", n)
	}
	if d := time.Since(start); d > 10*time.Second {
		t.Errorf("took %v", d)
	}
}

// TestFix repairs all that can be: afterwards nothing is left to repair, and what the
// model is sent is what it was.
func TestFix(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"a mark", "\xef\xbb\xbfone\n", "one\n"},
		{"line ends", "one\r\ntwo\rthree\n", "one\ntwo\nthree\n"},
		{"hidden", "a\u200bb \U000e0041\U000e0042 \U0001F3F4\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F \u202er\n\u2060", "ab  \U0001F3F4\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F r\n"},
		{"all", "\xef\xbb\xbfa\u200b\r\nb\r", "a\nb\n"},
		{"UTF-16", "\xfe\xff\x00a\x20\x0b\x00\r\x00\n", "a\n"},
		{"an inner mark stays", "a\ufeffb\n", "a\ufeffb\n"},
		{"what is no text stays", "caf\xe9\u200b rules\n", "caf\xe9 rules\n"},
		{"after a NUL nothing is touched", "a\u200bb\x00c\u200b\r\n", "ab\x00c\u200b\r\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			filetest.Write(t, dir, map[string]string{"AGENTS.md": tt.in})
			if got := repaired(t, dir); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// repaired repairs AGENTS.md until nothing is left to repair.
func repaired(t testing.TB, dir string) string {
	path := filepath.Join(dir, "AGENTS.md")
	for range 4 {
		fixes := look(t, dir, "").Fixes()
		if len(fixes) == 0 {
			got, err := os.ReadFile(path)
			filetest.Must(t, err)
			return string(got)
		}
		filetest.Must(t, os.WriteFile(path, []byte(fixes[0].After()), 0o666))
	}
	t.Fatal("there is always something left to repair")
	return ""
}

func FuzzFix(f *testing.F) {
	for _, s := range []string{"a\u200bb\r\nc", "\xef\xbb\xbf\xef\xbb\xbfx", "\xff\xfea\x00", "```\n<!-- proem-lint-ignore a: b -->", "a\x00\r", "\xef\xbb\xbf\xef\xbb\xbfx", "\u200b\xff\xfe", "\xe9\u200b\r\r\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		dir := t.TempDir()
		filetest.Write(t, dir, map[string]string{"AGENTS.md": s})
		before := look(t, dir, "")
		for _, x := range before.Findings {
			if x.Start < 0 || x.End < x.Start || x.End > len(s) || x.Line < 0 || x.Column < 0 {
				t.Fatalf("%q: %+v", s, x)
			}
		}
		after := repaired(t, dir)
		if was, is := textnorm.Bytes([]byte(s), false).Text, textnorm.Bytes([]byte(after), false).Text; was != is {
			t.Errorf("%q: the model was sent %q and is sent %q", s, was, is)
		}
	})
}

// TestTable checks the table of rules: it is in order, each rule says what it is, and
// every code that sources, stages and the configuration report is in it.
func TestTable(t *testing.T) {
	rules := lint.Rules()
	if !slices.IsSortedFunc(rules, func(a, b lint.Rule) int { return strings.Compare(a.ID, b.ID) }) {
		t.Error("the rules are not ascending")
	}
	for i, r := range rules {
		if !regexp.MustCompile(`^[a-z]+\.[a-z0-9_]+$`).MatchString(r.ID) || !strings.HasSuffix(r.Doc, ".") || i > 0 && rules[i-1].ID == r.ID {
			t.Errorf("%+v", r)
		}
		if got, ok := lint.RuleOf(r.ID); !ok || got != r {
			t.Errorf("RuleOf(%s): %+v", r.ID, got)
		}
	}
	code := regexp.MustCompile(`Code:\s+"([a-z]+\.[a-z0-9_]+)"`)
	seen := 0
	for _, area := range []string{"source", "stage", "prompt", "cli"} {
		err := filepath.WalkDir(filepath.Join("..", "..", area), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
				return err
			}
			src, err := os.ReadFile(path)
			for _, m := range code.FindAllStringSubmatch(string(src), -1) {
				seen++
				if _, ok := lint.RuleOf(m[1]); !ok && !elsewhere[m[1]] {
					t.Errorf("%s reports %s, which is no rule", path, m[1])
				}
			}
			return err
		})
		filetest.Must(t, err)
	}
	if seen < 20 {
		t.Errorf("only %d codes were found", seen)
	}
}

// elsewhere are codes that no preview reports: of registrations and of runs.
var elsewhere = map[string]bool{
	"section.channel": true, "section.duplicate": true, "section.order": true, "var.duplicate": true, "var.name": true,
	"skill.missing": true, "skill.refused": true, "skill.unknown": true, "skill.file": true, "skill.stale": true, "trust.record": true,
	"layer.duplicate": true, "mute.channel": true, "replay.hooks": true,
}

// TestDocument keeps the table of rules in docs/lint.md that of the package.
func TestDocument(t *testing.T) {
	const path, begin, end = "../../docs/lint.md", "<!-- rules -->\n", "<!-- /rules -->\n"
	data, err := os.ReadFile(path)
	filetest.Must(t, err)
	head, rest, ok := strings.Cut(string(data), begin)
	got, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s: no place for the table of rules", path)
	}
	var b strings.Builder
	b.WriteString("\n| rule | severity | what is wrong | `--fix` |\n|---|---|---|---|\n")
	braces := strings.NewReplacer("{{", "`{{", "}}", "}}`")
	for _, r := range lint.Rules() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", r.ID, r.Severity, braces.Replace(r.Doc), r.Fix)
	}
	b.WriteString("\n")
	switch {
	case got == b.String():
	case *update:
		filetest.Must(t, os.WriteFile(path, []byte(head+begin+b.String()+end+tail), 0o644))
	default:
		t.Errorf("%s: the table of rules is stale; go test ./inspect/lint -run TestDocument -update rewrites it", path)
	}
}
