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
