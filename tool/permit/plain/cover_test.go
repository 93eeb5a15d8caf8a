package plain_test

import (
	"strings"
	"testing"
	"unicode"

	"github.com/proemhq/proem/tool/permit/plain"
)

// TestCovers tries what the "*" behind the first n words covers. A row is n, and
// the words.
func TestCovers(t *testing.T) {
	for _, c := range []struct {
		from    int
		command string
		covered bool
	}{
		{1, "rg -n foo docs", true},
		{1, "rg --pre=x foo", false},
		{1, "rg --pre x foo", false},
		{1, "rg --pr x foo", false}, // abbreviated
		{1, "rg --pretty foo", true},
		{1, "rg --hostname-bin x foo", false},
		{1, "rg -nz foo", false}, // in a group
		{3, "rg --pre x foo", true},
		{1, "/usr/bin/rg --pre=x foo", false},
		{1, "find . -name x", true},
		{1, "find . -delete", false},
		{1, "find . -exec rm x", false},
		{1, "find . -execdir x", false},
		{1, "find . -ok x", false},
		{1, "find . -fprint x", false},
		{1, "find . -fls x", false},
		{1, "fd -x rm", false},
		{1, "fd a --exec-batch rm", false},
		{1, "fd -HIx rm", false},
		{1, "sed -n 5p a", true},
		{1, "sed -nE 1,20p a", true},
		{1, "sed /a/d b", true},
		{1, "sed s/a/b/g c", true},
		{1, "sed s/a/b/e c", false},
		{1, "sed s/a/b/w c", false},
		{1, "sed -n 1w/tmp/x a", false},
		{1, "sed 1e a", false},
		{1, "sed -i s/a/b/ c", false},
		{1, "sed s/a/b/ -i c", false},
		{1, "sed -ni s/a/b/ c", false},
		{1, "sed --in-place s/a/b/ c", false},
		{1, "sed --in s/a/b/ c", false},
		{1, "sed -e 1e c", false},
		{1, "sed -f x c", false},
		{2, "sed -i s/a/b/ c", true},
		{1, "sed s/[a-z]*/b/g c", true},
		{1, "sed -n /[^[:space:]]/p c", true},
		{1, "sed s/[]]/b/ c", true},
		{1, "sed s/[^]a]/[/ c", true},
		{1, `sed s/\[/b/ c`, true},
		{1, "sed /[/s/]/ex#/ c", false}, // the pattern may be "[/s/]"
		{1, "sed /[/s/]/w.git/p c", false},
		{1, "sed /[]/s/]/ex#/ c", false},
		{1, "sed /[^]/s/]/ex#/ c", false},
		{1, "sed /[[:a:]/s/]/ex#/ c", false},
		{1, "sed /[[.]/s/]/ex#/ c", false},
		{1, `sed /[\]/s/]/ex#/ c`, false},
		{1, "sed s/[/b/ c", false},
		{2, "git log --oneline -n3 -- docs", true},
		{2, "git log -p HEAD~2", true},
		{2, "git log --output=x", false},
		{2, "git log --outp=x", false},
		{2, "git log --ext-diff", false},
		{2, "git diff --textconv", false},
		{2, "git diff -- --output=x", false},
		{2, "git diff -- -x", false},
		{2, "git diff --end-of-options --output=x", false},
		{2, "git grep -Ox foo", false},
		{2, "git grep --open-files-in-pager=x foo", false},
		{2, "git fetch --upload-pack=x", false},
		{2, "git fetch --upl x", false},
		{2, "git clone -u x y", false},
		{2, "git push -u origin main", true},
		{2, "git push --receive-pack=x", false},
		{2, "git push --exec=x", false},
		{2, "git rebase -x rm", false},
		{2, "git rebase --exec rm", false},
		{2, "git format-patch -o x", false},
		{2, "git archive --output=x HEAD", false},
		{1, "git status", true},
		{1, "git status -s", true},
		{1, "git --no-pager status", true},
		{1, "uniq -- a b", false},
		{1, "git -c core.pager=x log", false},
		{1, "git -C x status", false},
		{1, "git --exec-path=x status", false},
		{1, "git --git-dir=x status", false},
		{1, "git --config-env=a=b status", false},
		{1, "git config alias.x y", false},
		{1, "git submodule foreach x", false},
		{1, "git bisect run x", false},
		{1, "git x", false},           // an alias
		{1, "git --bare diff", false}, // the folder's own configuration
		{1, "git init --separate-git-dir=x", false},
		{1, "git difftool", false},
		{2, "git bisect good", true},
		{2, "git bisect run x", false},
		{3, "git bisect run x", true},
		{2, "git submodule status", true},
		{2, "git submodule foreach x", false},
		{2, "git difftool -y -x y", false},
		{1, "uv sync", true},
		{1, "uv run x", false},
		{2, "uv run x", true},
		{1, "docker exec a x", false},
		{1, "bundle exec x", false},
		{1, "sort a", true},
		{1, "sort -u a -o a", false},
		{1, "sort -uoa a", false},
		{1, "sort --output=a a", false},
		{1, "sort --outp a a", false},
		{1, "sort --compress-program=x a", false},
		{1, "uniq -c a", true},
		{1, "uniq a b", false},
		{1, "xxd a b", false},
		{1, "xxd a -b", false}, // a file named "-b"
		{1, "xxd -b a", true},
		{1, "file -p a", false}, // sets the times of a
		{1, "file --pres a", false},
		{1, "tar -tf a", true},
		{1, "tar -xf a --checkpoint-action=exec=x", false},
		{1, "tar -xf a --checkpoint-act exec=x", false},
		{1, "tar --to-command=x -xf a", false},
		{1, "tar -I x -xf a", false},
		{1, "tar xIf x a", false}, // without a dash
		{1, "tar tf a", true},
		{1, "env", true},
		{1, "env ls", false},
		{1, "env -i", false},
		{2, "env ls x", false},
		{1, "xargs ls", false},
		{1, "sudo ls", false},
		{1, "timeout 5 ls", false},
		{1, "sh x", false},
		{1, "bash -c x", false},
		{1, "awk x y", false},
		{1, "cd x", false},
		{1, "source x", false},
		{1, ". x", false},
		{1, "eval x", false},
		{1, "exec x", false},
		{1, "alias x=y", false},
		{1, "unset PATH", false},
		{1, "command ls", false},
		{1, "python3 x.py -v", true},
		{1, "python3 -c x", false},
		{1, "python3 -Ic x", false},
		{1, "perl -e x", false},
		{1, "perl -F/x/ a", false},
		{1, "python3.12 x.py", true},
		{1, "python3.12 -c x", false},
		{1, "python2 -c x", false},
		{1, "nodejs -e x", false},
		{1, "gcc-12 -wrapper x a.c", false},
		{1, "x86_64-linux-gnu-gcc-12 -B x a.c", false},
		{1, "cc -c a.c", true},
		{1, "cc -wrapper x a.c", false},
		{1, "g++ -Bx a.c", false},
		{1, "gcc @x a.c", false},
		{2, "npm view @a/b", true},
		{1, "bash5 x", false},
		{1, "vim.tiny x", false},
		{1, "md5sum x", true},
		{1, "node --eval x", false},
		{1, "node --ev x", false},
		{1, "make all", true},
		{1, "make SHELL=x all", false},
		{1, "make -f x", false},
		{1, "make --eval=x", false},
		{1, "go test ./...", true},
		{1, "go run x", false},
		{2, "go test -exec x", false},
		{2, "go test --exec=x", false},
		{2, "go build -toolexec x", false},
		{2, "go vet -vettool=x", false},
		{2, "go env -w A=b", false},
		{2, "go test -test.run X", true},
		{2, "go test -test.cpuprofile=x", false},
		{2, "go test . -args -test.testlogfile=x", false},
		{1, "gofmt -l a", true},
		{1, "gofmt -w a", false},
		{1, "less +x a", false},
		{1, "man -P x y", false},
		{1, "nm --plugin x y", false},
		{1, "curl -o a b", false},
		{1, "curl --expand-output a b", false},
		{1, "curl -w %output{a} b", false},
		{1, "curl -sSLo a b", false},
		{1, "wget -O a b", false},
		{1, "split --filter=x a", false},
		{1, "hostname x", false},
		{1, "cat - a", true},
		{1, "cat -- -a", false},
		{2, "cat -- -a", false},
		{3, "cat -- -a", true},
		{1, "mytool --anything -x", true},
		{0, "mytool x", true},
		{0, "env x", false},
		{0, "rg --pre=x", false},
	} {
		words := strings.Fields(c.command)
		if why := plain.Covers(words, c.from); (why == "") != c.covered {
			t.Errorf("%d %q: %q", c.from, c.command, why)
		}
	}
}

// TestEveryEntry tries each entry of the table in the forms that it stands for.
func TestEveryEntry(t *testing.T) {
	refused := func(program string, args ...string) {
		words := append(strings.Fields(program), args...)
		if plain.Covers(words, len(strings.Fields(program))) == "" {
			t.Errorf("%q is covered", words)
		}
	}
	for line := range strings.SplitSeq(plain.Table, "\n") {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		program, entries := fields[0], fields[1:]
		if len(entries) > 0 && unicode.IsLower(rune(entries[0][0])) {
			program, entries = program+" "+entries[0], entries[1:]
		}
		for _, e := range entries {
			switch {
			case strings.HasPrefix(e, "--"):
				refused(program, e)
				refused(program, e+"=v")
				refused(program, e[:len(e)-1])
			case e[0] == '-':
				for _, c := range strings.ReplaceAll(e[1:], "+", "") {
					refused(program, "-"+string(c))
					refused(program, "-"+string(c)+"v")
					refused(program, "-9"+string(c))
				}
			case e[0] == '%':
				refused(program, "-"+e[1:])
				refused(program, "--"+e[1:]+"=v")
			case e[0] == '!' && !strings.Contains(program, " "):
				refused(program, e[1:])
			case e[0] == '<':
				refused(program, "a", "b")
			case e == "+":
				refused(program, "+x")
			}
		}
	}
}
