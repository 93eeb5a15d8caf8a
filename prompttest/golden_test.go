package prompttest_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/prompttest"
	"github.com/proemhq/proem/span"
)

// A test package may define -update: it must not clash, and it is honoured.
var update = flag.Bool("update", false, "rewrite golden files")

func TestGolden(t *testing.T) {
	prompttest.Golden(t, sample())
	t.Run("sub test: ../x", func(t *testing.T) { prompttest.Golden(t, prompt.Assembly{}) })
}

func TestFormat(t *testing.T) {
	want := `mute reminder
system "base" stable builtin
|You help.
|Be brief.
|Be kind.
|Be exact.
|
system "odd" turn project sep "\n" required
"a\r"
"b\x00\u202ec"
||bar
|"quoted"
|	tab ` + `
system "empty" stable builtin
context "system \"x\"" stable builtin
|now
|
|then
tool "read" strict
|Reads.
|A file.
|{"type":"object"}
tool "stop"
`
	diff(t, "format", prompttest.Format(sample()), want)
}

func TestGoldenDifferences(t *testing.T) {
	if *update {
		t.Skip("the files are made to differ")
	}
	t.Chdir(t.TempDir())
	if err := os.MkdirAll("testdata", 0o755); err != nil {
		t.Fatal(err)
	}
	golden := func(text string) {
		if err := os.WriteFile(filepath.Join("testdata", "TestX.golden"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name string
		do   func(*prompt.Assembly)
		want []string
	}{
		{"nothing", func(*prompt.Assembly) {}, nil},
		{"notes and paths", func(a *prompt.Assembly) { a.Notes, a.Sections[0].From.Path = nil, "/home/x" }, nil},
		{"changed", func(a *prompt.Assembly) {
			a.Sections[0].Text = span.Of(strings.Replace(a.Sections[0].Text.String(), "kind", "nice", 1), nil)
		}, []string{"system section \"base\" was changed (- golden, + now):\n\t  …\n\t  You help.\n\t  Be brief.\n\t- Be kind.\n\t+ Be nice.\n\t  Be exact.\n\t  \n"}},
		{"trust", func(a *prompt.Assembly) { a.Sections[0].From.Trust = span.User },
			[]string{"system section \"base\" was changed", "\t- (stable builtin)\n\t+ (stable user)\n"}},
		{"separator", func(a *prompt.Assembly) { a.Sections[1].Sep = "" }, []string{`system section "odd" was changed`, `+ (turn project required)`}},
		{"removed and added", func(a *prompt.Assembly) { a.Sections[0].Name = "root" },
			[]string{`system section "base" was removed`, `system section "root" was added`, "\t+ Be kind.\n"}},
		{"moved", func(a *prompt.Assembly) { a.Sections[0], a.Sections[1] = a.Sections[1], a.Sections[0] }, []string{"was moved among the others\n"}},
		{"tools", func(a *prompt.Assembly) { a.Tools = append(a.Tools[1:], chat.ToolSpec{Name: "new"}) },
			[]string{`tool "read" was removed`, `tool "new" was added`}},
		{"tool schema", func(a *prompt.Assembly) { a.Tools[0].Parameters = nil }, []string{`tool "read" was changed`, "\t- {\"type\":\"object\"}\n"}},
		{"mute", func(a *prompt.Assembly) { a.Mutes = nil }, []string{`mute "reminder" was removed`, "- (mute)"}},
	}
	for _, tt := range tests {
		golden(prompttest.Format(sample()))
		a := sample()
		tt.do(&a)
		wantAll(t, failing("TestX", func(t testing.TB) { prompttest.Golden(t, a) }), tt.want...)
	}

	golden(strings.ReplaceAll(prompttest.Format(sample()), "\n", "\r\n"))
	wantAll(t, failing("TestX", func(t testing.TB) { prompttest.Golden(t, sample()) }))
	golden("|rubbish\n\"\nsystem unquoted\n|x\nfoo\n")
	wantAll(t, failing("TestX", func(t testing.TB) { prompttest.Golden(t, sample()) }), `system section "unquoted" was removed`)
	wantAll(t, failing("TestNew/sub", func(t testing.TB) { prompttest.Golden(t, sample()) }), "there is no "+filepath.Join("testdata", "TestNew", "sub.golden"), "prompttest.update", "Be kind.")
}

func TestGoldenUpdate(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"update", "prompttest.update"} {
		old := flag.Lookup(name).Value.String()
		if err := flag.Set(name, "true"); err != nil {
			t.Fatal(err)
		}
		wantAll(t, failing("TestX/"+name+"/..", func(t testing.TB) { prompttest.Golden(t, sample()) }))
		flag.Set(name, old)
		b, err := os.ReadFile(filepath.Join("testdata", "TestX", strings.ReplaceAll(name, ".", "_"), "__.golden"))
		if err != nil {
			t.Fatal(err)
		}
		diff(t, name, string(b), prompttest.Format(sample()))
	}
}

// Large texts are compared without a table of all pairs of lines.
func TestGoldenLargeDifference(t *testing.T) {
	if *update {
		t.Skip("the files are made to differ")
	}
	t.Chdir(t.TempDir())
	big := func(word string) prompt.Assembly {
		return prompt.Assembly{Sections: []prompt.Section{section(prompt.System, "big", strings.Repeat(word+"\n", 3000))}}
	}
	os.MkdirAll("testdata", 0o755)
	os.WriteFile(filepath.Join("testdata", "TestX.golden"), []byte(prompttest.Format(big("one"))), 0o644)
	got := failing("TestX", func(t testing.TB) { prompttest.Golden(t, big("two")) })
	lines := strings.Split(got, "\n")
	minus := slices.IndexFunc(lines, func(l string) bool { return l == "\t- one" })
	plus := slices.IndexFunc(lines, func(l string) bool { return l == "\t+ two" })
	if minus < 0 || plus != minus+3000 {
		t.Errorf("the lines begin at %d and %d", minus, plus)
	}
}
