package plain_test

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/tool/permit/plain"
)

var (
	cases = flag.Int("cases", 4000, "how many generated commands are compared with real shells")
	seed  = flag.Uint64("seed", 1, "of the generated commands")
)

// odd are texts that shells read in their own way.
var odd = []string{
	"$", "`", "$(", ")", "(", "{", "}", "{a,b}", "{1..3}", ",", "..", "*", "?", "[", "]", "[a]", "~", "~+", "=~", ":~", "#", " #", "!", "!!", "=",
	" =p", "+=", "<", ">", ">>", ">|", " 2>&1", " >/dev/null", ">/dev/null", " 1>/dev/null", "2>/dev/null", " &>/dev/null", " </dev/null", ">&", "<&", "<>", ">&1",
	"&", "&&", "|", "||", "|&", ";", ";;", "\n", " \n ", "\t", "\r", "\r\n", "\v", "\f", "\x01", "\x7f", "\\", "\\\n", "\\\\", "\\\"", "'", "\"", "''", `""`,
	"$IFS", "${IFS}", "$'", "$\"", "$'\\n'", "$((1))", "$[1]", "${x:-p}", "<<E", "<<<", "<(p)", "E\n", "p=1 ", "a=b", "a[0]=1 ", "p() ", "time ", "if ", "then ", "fi", "do ",
	"export ", "[[ ", " ]]", "@(a)", "+(a)", "!(a)", "^", "^a^b", "%", "%1", "@", "é", "\u00a0", "\u2003", "\u3000", "\u200b", "\ufeff", "\xa0", "\xff", "\xc3", "漢", "-", "--", "-x",
	" p", "p", "\\p", "'p'", " ", "  ", "1", "2", "{x}>/dev/null", "3>&1", "(:)", "<1-2>", "(e:'p':)", "a#b", "/", "./", "~p", "a~b", "a~~", "HEAD~1^", "=(p)", "$~x", "$=x", "${(e)x}",
}

// generate makes a command of which a good part is plain.
func generate(r *rand.Rand) string {
	var b strings.Builder
	pick := func(s ...string) string { return s[r.IntN(len(s))] }
	for i := range 1 + r.IntN(3) {
		if i > 0 {
			b.WriteString(pick(" && ", "&&", " || ", ";", " ; ", "\n", " | ", "|"))
		}
		b.WriteString(pick("p", "p", "p", "'p'", `"p"`, `\p`, `p""`))
		for range r.IntN(4) {
			b.WriteString(pick(" ", " ", "  ", "\t"))
			for range 1 + r.IntN(3) {
				switch r.IntN(12) {
				case 0, 1:
					b.WriteString("'" + strings.ReplaceAll(pick(odd...), "'", "") + pick("", "a", " ", "\n", `\`) + "'")
				case 2:
					b.WriteString(`"` + pick("a", " ", `\"`, `\\`, `\$`, `\a`, "*", "~", "'", "\n", "{a,b}", "", "é", "\t") + pick("", "b", `\x`, "#") + `"`)
				case 3:
					b.WriteString(`\` + pick(" ", "$", "*", "~", "\\", "'", `"`, "a", ";", "&", "(", "{", "!", "#", "=", "<", "|", "\t", "n"))
				default:
					b.WriteString(pick("a", "b1", "-x", "--k=v", "./c", "x:y", "%d", "a@b", "1,2", "+", "HEAD~1", "v^", "a#b", "é漢", "=", "_", "..."))
				}
			}
		}
		if r.IntN(6) == 0 {
			b.WriteString(pick(" >/dev/null", " 2>&1", " 2>/dev/null", " </dev/null", ">>/dev/null", " &>/dev/null"))
		}
	}
	s := b.String()
	for range r.IntN(3) {
		at := r.IntN(len(s) + 1)
		s = s[:at] + pick(odd...) + s[at:]
	}
	return s
}

// runs are the arguments of the program p that a plain list runs, if each
// succeeds: what a shell would have to do.
func runs(list []plain.Command) (out []string) {
	skip := false
	for _, c := range list {
		switch c.Join {
		case "||":
			skip = true
		case "&&", ";":
			skip = false
		}
		if !skip {
			out = append(out, strings.Join(append(c.Args()[1:], "\x01\x00"), "\x00"))
		}
	}
	slices.Sort(out) // the parts of a pipe run at the same time
	return out
}

// harmlessNames reports whether a list runs nothing but p.
func harmlessNames(list []plain.Command) bool {
	return len(list) > 0 && !slices.ContainsFunc(list, func(c plain.Command) bool { return c.Words[0].Text != "p" })
}

// shell runs commands in a real shell in which p writes down its arguments, and
// returns for each command what was written.
func shell(t testing.TB, name string, commands []string) [][]string {
	t.Helper()
	dir := t.TempDir()
	var script strings.Builder
	// Each call is one write, so that the parts of a pipe do not mix theirs.
	script.WriteString("e=$(printf '\\001')\np() { printf '%s\\000' \"$@\" \"$e\" >&3; }\n")
	for _, c := range commands {
		fmt.Fprintf(&script, "eval %s\nprintf '\\003' >&3\n", plain.Quote(c))
	}
	file := filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(file, []byte(script.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	args := map[string][]string{"bash": {"--noprofile", "--norc"}, "zsh": {"-f"}}[name]
	cmd := exec.Command(name, append(args, file)...)
	cmd.Dir, cmd.Env, cmd.ExtraFiles = dir, []string{"PATH=/nonexistent", "LC_ALL=C.UTF-8"}, []*os.File{w}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	all, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%s: %v: %s", name, err, stderr.String())
	}
	if entries, _ := os.ReadDir(dir); len(entries) > 0 {
		t.Errorf("%s: a file was written: %v", name, entries)
	}
	var out [][]string
	for _, c := range strings.Split(strings.TrimSuffix(string(all), "\x03"), "\x03") {
		// A record ends with \x01 and NUL; plain words hold neither.
		records := strings.SplitAfter(strings.TrimSuffix(c, "\x01\x00")+"\x01\x00", "\x01\x00")
		records = records[:len(records)-1]
		slices.Sort(records)
		out = append(out, records)
	}
	return out
}

// differential compares what is plain with what a shell does, for the command
// itself and for its quoted form.
func differential(t testing.TB, name string, commands []string) (judged int) {
	t.Helper()
	var asked, again []string
	var want [][]string
	for _, c := range commands {
		s, err := plain.Parse(c, plain.Limits{})
		if err != nil || !harmlessNames(s.List) || strings.Contains(s.Quoted(), " | '") && strings.Contains(s.Quoted(), "\n") {
			continue // the parts of a pipe write line by line, so lines would mix
		}
		asked, again, want = append(asked, c), append(again, s.Quoted()), append(want, runs(s.List))
	}
	if len(asked) == 0 {
		return 0
	}
	for i, form := range [][]string{asked, again} {
		if got := shell(t, name, form); len(got) != len(want) {
			t.Errorf("%s, form %d: %d of %d commands were run", name, i, len(got), len(want))
		} else {
			for j := range got {
				if d := cmp.Diff(got[j], want[j]); d != "" {
					t.Errorf("%s, form %d: %q: %s", name, i, form[j], d)
				}
			}
		}
	}
	return len(asked)
}

func shells(t testing.TB) (out []string) {
	for _, name := range []string{"bash", "zsh", "dash"} {
		if _, err := exec.LookPath(name); err == nil {
			out = append(out, name)
		}
	}
	if len(out) == 0 {
		t.Skip("there is no shell here")
	}
	return out
}

// TestDifferential judges generated commands, and every pair of odd texts inside
// of a word.
func TestDifferential(t *testing.T) {
	n := *cases
	if testing.Short() {
		n /= 8
	}
	var commands []string
	for _, a := range odd {
		commands = append(commands, "p "+a, a+" p", "p a"+a, "p"+a, `p "`+a+`"`, "p 'x'"+a+"'y'")
		for _, b := range odd {
			commands = append(commands, "p a"+a+b+"c")
		}
	}
	r := rand.New(rand.NewPCG(*seed, 2))
	judged := map[string]int{}
	for left := n; left > 0 && !t.Failed(); left -= 4000 {
		for range min(left, 4000) {
			commands = append(commands, generate(r))
		}
		for _, name := range shells(t) {
			judged[name] += differential(t, name, commands)
		}
		commands = nil
	}
	for _, name := range shells(t) {
		t.Logf("%s: %d of %d generated commands and more are plain", name, judged[name], n)
		if judged[name] < n/4 {
			t.Errorf("%s: only %d commands were compared", name, judged[name])
		}
	}
}

// FuzzDifferential looks for a command that is called plain and that a shell reads
// in another way.
func FuzzDifferential(f *testing.F) {
	for _, a := range odd {
		f.Add("p a" + a + " b && p " + a)
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 100 {
		f.Add(generate(r))
	}
	f.Fuzz(func(t *testing.T, command string) {
		for _, name := range shells(t) {
			differential(t, name, []string{command})
		}
	})
}
