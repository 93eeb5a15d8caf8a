package plain

import (
	"path"
	"strings"
)

func set(names string) map[string]bool {
	m := map[string]bool{}
	for _, n := range strings.Fields(names) {
		m[n] = true
	}
	return m
}

var (
	// wrappers run the program that their arguments name.
	wrappers = set(`sudo doas env command builtin exec nice ionice chrt taskset nohup time timeout stdbuf setsid xargs
		parallel busybox toybox chroot unshare nsenter strace ltrace gdb valgrind perf noglob nocorrect repeat catchsegv
		chpst setpriv runuser pkexec systemd-run flock caffeinate torsocks proxychains faketime unbuffer winpty
		npx bunx pnpx uvx pipx entr watchexec cmd start rlwrap firejail bwrap`)
	// operandFirst are the wrappers that have an argument of their own before it.
	operandFirst = set(`flock chroot repeat runuser perf`)
	// shells run the text of their arguments.
	shells = set(`sh bash zsh dash ash ksh mksh fish csh tcsh rbash pwsh powershell eval source . trap alias su ssh
		watch script expect tmux screen osascript hash`)
	// code is what has programs of its own language as arguments, from which
	// others can be started or files be written.
	code = set(`awk gawk mawk nawk sqlite3 psql mysql mariadb ed ex vi vim nvim view emacs nano m4 dc gdb lldb tclsh
		wish xterm at batch crontab make-kpkg`)
	// stateful change the shell that runs them, and so what the next command does.
	stateful = set(`cd pushd popd dirs export declare typeset local readonly unset set shopt setopt unsetopt enable disable
		zmodload autoload emulate bind bindkey alias unalias hash rehash ulimit umask trap read readarray mapfile getopts
		let eval source . exec command builtin exit return logout break continue shift suspend fc history bg fg jobs disown
		coproc function select`)
)

// others are names of programs that have a row in the table under another one.
var others = map[string]string{
	"gsed": "sed", "gmake": "make", "gfind": "find", "gtar": "tar", "gsort": "sort", "gsplit": "split", "gshuf": "shuf", "guniq": "uniq",
	"fdfind": "fd", "batcat": "bat", "nodejs": "node", "pypy": "python", "ipython": "python", "pythonw": "python", "luajit": "lua",
	"cc": "gcc", "g++": "gcc", "c++": "gcc", "clang++": "clang", "javaw": "java",
}

// argumentFiles are the programs that read options from a file which is named
// behind an "@".
var argumentFiles = set(`gcc clang nm ar ranlib objcopy java pytest ffmpeg 7z`)

// program is the name by which the table knows a program: without its folder, the
// machine that it makes programs for, and its version, as of python3.12.
func program(word string) string {
	name := path.Base(word)
	if rows()[name] != nil && others[name] == "" {
		return name
	}
	short := strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(name, ".tiny"), ".basic"), "0123456789.-")
	for _, suffix := range []string{"-gcc", "-g++", "-cc", "-c++"} { // x86_64-linux-gnu-gcc
		if strings.HasSuffix(short, suffix) {
			short = suffix[1:]
		}
	}
	switch {
	case others[short] != "":
		return others[short]
	case rows()[short] != nil, wrappers[short], shells[short], code[short]:
		return short
	}
	return name
}

// launchers are the subcommands that run the program which stands behind them.
var launchers = func() map[string]map[string]bool {
	m := map[string]map[string]bool{}
	for program, verbs := range map[string]string{
		"uv": "run tool", "poetry": "run", "pipenv": "run", "pdm": "run", "hatch": "run", "rye": "run", "conda": "run", "mamba": "run",
		"bundle": "exec", "npm": "exec x", "pnpm": "exec dlx", "yarn": "exec dlx", "bun": "x", "corepack": "npm pnpm yarn",
		"docker": "run exec", "podman": "run exec", "kubectl": "exec run", "nix": "run shell develop", "rustup": "run", "cabal": "exec", "stack": "exec",
		"opam": "exec", "rbenv": "exec", "pyenv": "exec", "asdf": "exec", "mise": "exec x", "direnv": "exec", "op": "run", "go": "run", "deno": "run eval",
	} {
		m[program] = set(verbs)
	}
	return m
}()

// Launches reports whether the first argument of a program says that what comes
// behind it is another program, as in uv run.
func Launches(words []string) bool {
	return len(words) > 1 && launchers[program(words[0])][words[1]]
}

// Stateful reports whether a program's name is that of something a shell does by
// itself and that changes what the next command does.
func Stateful(name string) bool { return stateful[name] }

// introduces reports whether an argument says that a command follows.
func introduces(name string, w Word) bool {
	if !w.Known {
		return false
	}
	switch name {
	case "find", "gfind":
		return strings.HasPrefix(w.Text, "-exec") || strings.HasPrefix(w.Text, "-ok")
	case "fd", "fdfind":
		return w.Text == "-x" || w.Text == "-X" || strings.HasPrefix(w.Text, "--ex")
	case "git":
		return w.Text == "run" || w.Text == "foreach" || w.Text == "--tree-filter" || w.Text == "-x"
	case "go":
		return w.Text == "-exec" || w.Text == "-toolexec"
	case "docker", "podman", "kubectl":
		return w.Text == "--"
	}
	return false
}

// Base is the name of a program without its folder, for what forbids.
func Base(name string) string { return path.Base(strings.ReplaceAll(name, `\`, "/")) }
