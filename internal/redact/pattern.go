package redact

import (
	"regexp"
	"strings"

	"github.com/proemhq/proem/internal/textnorm"
)

// lines are headers whose value goes on to the end of the line, names are other
// headers, members and variables whose values are credentials.
const lines = `(?:proxy-)?authorization|(?:set-)?cookie`

const names = `(?:x-)?(?:[a-z]+[-_])*api[-_]?key|(?:[a-z0-9]+[-_])*(?:access|auth|refresh|id|session|bearer|security)[-_]?token|(?:[a-z0-9]+[-_])*(?:secret|private|access|signing)(?:[-_]access)?[-_]?key(?:[-_]id)?|(?:[a-z0-9]+[-_])*(?:secret|password|passwd|passphrase|credentials?|token)`

var (
	header = regexp.MustCompile(`(?i)(\b(?:` + lines + `)\b\s*[:=]\s*)[^\s"'\\][^\r\n"']*`)
	// A name, a colon or equals sign, and a value in quotes or up to where it ends.
	named = regexp.MustCompile(`(?i)(\b(?:` + names + `)\b\\*["']?\s*(?:[:=]|=>)\s*|\b(?:` + lines + `)\b\\*["']\s*:\s*)(?:(")(?:[^"\\]|\\.)*("?)|(\\+")(?:[^"\\]|\\[^"])*(\\*"?)|'[^']*'?|[^\s"',;&})\]]+)`)
	// A word that every match of the two above holds.
	hints = regexp.MustCompile(`(?i)authorization|cookie|key|token|secret|pass|credential`)
	// What a URL is signed with.
	query = regexp.MustCompile(`(?i)([?&](?:key|sig|signature|code|auth)=)[^\s&"'#]+`)
	// Credentials of HTTP wherever they stand.
	scheme = regexp.MustCompile(`(?i)\b((?:bearer|basic)\s+)[A-Za-z0-9+/=._~-]{8,}`)
	// The user's part of a URL.
	userinfo = regexp.MustCompile(`(://)[^\s/?#@"'<>]+@`)
)

// Patterns returns a text without what looks like a credential: tokens of known
// forms and private keys, values behind a name that says so, and the user's part of
// URLs.
func Patterns(text string) string {
	text = textnorm.Redact(text)
	text = userinfo.ReplaceAllString(text, "${1}"+Mark+"@")
	if hints.MatchString(text) { // the others are slow
		text = header.ReplaceAllString(text, "${1}"+Mark)
		text = named.ReplaceAllString(text, "${1}${2}${4}"+Mark+"${3}${5}")
	}
	text = query.ReplaceAllString(text, "${1}"+Mark)
	return scheme.ReplaceAllString(text, "${1}"+Mark)
}

// Name reports whether what has this name, such as a header, a variable or an
// attribute, is a credential by the name alone.
func Name(name string) bool { return whole.MatchString(name[strings.LastIndexByte(name, '.')+1:]) }

var whole = regexp.MustCompile(`(?i)^(?:` + lines + `|` + names + `|(?:[a-z0-9]+[-_])*key)$`)
