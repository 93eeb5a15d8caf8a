package shell

import (
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// Allowed are the names of variables that a command sees: where things are and
// how to speak. A name that ends in * stands for all that begin so. Nothing that
// makes another program run, such as PAGER or LD_PRELOAD, and no credential is
// among them.
var Allowed = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "TMP", "TEMP", "TZ", "LANG", "LANGUAGE", "LC_*",
	"XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NIX_SSL_CERT_FILE",
	"http_proxy", "https_proxy", "no_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY",
	"GOPATH", "GOROOT", "GOBIN", "GOCACHE", "GOMODCACHE", "GOPROXY", "GOTOOLCHAIN", "CGO_ENABLED",
	"CARGO_HOME", "RUSTUP_HOME", "JAVA_HOME", "MAVEN_HOME", "GRADLE_USER_HOME", "NVM_DIR", "VOLTA_HOME", "PNPM_HOME",
	"VIRTUAL_ENV", "CONDA_PREFIX", "PYENV_ROOT", "RBENV_ROOT", "GEM_HOME", "ANDROID_HOME", "DOTNET_ROOT",
	"SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "USERPROFILE", "HOMEDRIVE", "HOMEPATH", "APPDATA", "LOCALAPPDATA",
	"PROGRAMDATA", "PROGRAMFILES", "PROGRAMFILES(X86)", "PROGRAMW6432", "COMMONPROGRAMFILES", "USERNAME", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE",
}

// fixed are set for every command: nothing asks, pages or colours.
var fixed = []string{"TERM=dumb", "NO_COLOR=1", "PAGER=cat", "GIT_PAGER=cat", "GIT_TERMINAL_PROMPT=0"}

var (
	// credential matches names that no list lets through.
	credential = regexp.MustCompile(`(?i)(^|_)(api_?key|.*_?token|secret|password|passwd|passphrase|credentials?|auth|private_?key|access_?key(_id)?|.*_key|dsn)(_|$)`)
	// login matches a value that holds a name and a password, as addresses may.
	login = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://[^/\s@]*@`)
)

// environ returns the variables of every command, in order of their names.
func environ(c Config) []string {
	vars := map[string]string{}
	for _, v := range c.Environ {
		name, value, ok := strings.Cut(v, "=")
		if ok && passes(name, c.Vars) && !login.MatchString(value) {
			vars[name] = value
		}
	}
	if vars["PATH"] == "" && runtime.GOOS != "windows" {
		vars["PATH"] = "/usr/local/bin:/usr/bin:/bin"
	}
	for _, v := range slices.Concat(fixed, c.Set) {
		if name, value, ok := strings.Cut(v, "="); ok {
			vars[name] = value
		}
	}
	out := make([]string, 0, len(vars))
	for name, value := range vars {
		if !strings.ContainsRune(name+value, 0) {
			out = append(out, name+"="+value)
		}
	}
	slices.Sort(out)
	return out
}

func passes(name string, more []string) bool {
	if credential.MatchString(name) {
		return false
	}
	for _, list := range [][]string{Allowed, more} {
		for _, a := range list {
			prefix, open := strings.CutSuffix(a, "*")
			if name == a || open && strings.HasPrefix(name, prefix) || runtime.GOOS == "windows" && strings.EqualFold(name, a) {
				return true
			}
		}
	}
	return false
}
