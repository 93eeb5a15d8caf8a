package redact

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"html"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// layers is how many encodings may lie upon each other.
const layers = 3

// reveals reports whether a text holds a secret, behind at most so many layers.
func (s *Set) reveals(text string, depth int) bool {
	simple := simplest(text)
	for _, n := range s.needles {
		if strings.Contains(simple, n) {
			return true
		}
	}
	if depth == 0 || len(simple) < least {
		return false
	}
	for _, d := range decoded(text) {
		if s.reveals(d, depth-1) {
			return true
		}
	}
	return false
}

// simplest returns the letters and digits of a text in small letters; wide ones are
// narrow.
func simplest(text string) string {
	b := make([]byte, 0, len(text))
	for _, r := range text {
		if r >= 0xff01 && r <= 0xff5e {
			r -= 0xfee0
		}
		switch {
		case r >= 'A' && r <= 'Z':
			b = append(b, byte(r)+'a'-'A')
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b = append(b, byte(r))
		}
	}
	return string(b)
}

func reversed(s string) string {
	b := []byte(s)
	for i, j := 0, len(b)-1; i < j; i, j = i+1, j-1 {
		b[i], b[j] = b[j], b[i]
	}
	return string(b)
}

func rot13(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'a' && c <= 'z' {
			b[i] = 'a' + (c-'a'+13)%26
		}
	}
	return string(b)
}

// decoded returns what a text may stand for.
func decoded(text string) []string {
	var out []string
	if d := unescaped(text); d != text {
		out = append(out, d)
	}
	for _, run := range base64Runs.FindAllString(text, -1) {
		run = strings.NewReplacer("-", "+", "_", "/").Replace(run)
		out = shifted(out, run, 4, base64.RawStdEncoding.DecodeString)
	}
	for _, run := range hexRuns.FindAllString(text, -1) {
		out = shifted(out, hexOnly.Replace(run), 2, hex.DecodeString)
	}
	for _, run := range base32Runs.FindAllString(text, -1) {
		run = strings.ToUpper(run)
		for _, e := range []*base32.Encoding{base32.StdEncoding, base32.HexEncoding} {
			out = shifted(out, run, 8, e.WithPadding(base32.NoPadding).DecodeString)
		}
	}
	for _, base := range []int{10, 8, 16, 2} {
		if d := codes(text, base); d != "" {
			out = append(out, d)
		}
	}
	return out
}

var (
	base64Runs = regexp.MustCompile(`[A-Za-z0-9+/_-]{8,}`)
	base32Runs = regexp.MustCompile(`[A-Za-z0-9]{10,}`)
	hexRuns    = regexp.MustCompile(`[0-9A-Fa-f](?:[:, .%_-]{0,2}(?:0x|\\x)?[0-9A-Fa-f]){11,}`)
	hexOnly    = strings.NewReplacer("0x", "", `\x`, "", ":", "", ",", "", " ", "", ".", "", "%", "", "_", "", "-", "")
	escapes    = regexp.MustCompile(`%u[0-9A-Fa-f]{4}|[%=][0-9A-Fa-f]{2}|\\+(?:u\{[0-9A-Fa-f]+\}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[0-7]{3}|.)`)
	softBreaks = strings.NewReplacer("=\r\n", "", "=\n", "")
	numbers    = regexp.MustCompile(`[0-9]+`)
	hexNumbers = regexp.MustCompile(`[0-9A-Fa-f]+`)
)

// shifted adds what a run means to a decoder that takes so many characters at once,
// whatever character it begins at.
func shifted(out []string, run string, group int, decode func(string) ([]byte, error)) []string {
	for i := 0; i < group && i < len(run); i++ {
		s := run[i:]
		for cut := 0; cut < group && cut < len(s); cut++ {
			b, err := decode(s[:len(s)-cut])
			if err == nil || len(b) > 0 {
				out = readable(out, b)
			}
			if err == nil {
				break
			}
		}
	}
	return out
}

// readable adds the parts of decoded bytes that are text.
func readable(out []string, b []byte) []string {
	if plain := inflated(b); plain != nil {
		b = plain
	}
	if wide := narrowed(b); wide != nil {
		b = wide
	}
	at := 0
	for i := 0; i <= len(b); {
		r, n := utf8.RuneError, 1
		if i < len(b) {
			r, n = utf8.DecodeRune(b[i:])
		}
		if r == utf8.RuneError || r < ' ' && r != '\n' && r != '\r' && r != '\t' {
			if i-at >= least {
				out = append(out, string(b[at:i]))
			}
			at = i + n
		}
		i += n
	}
	return out
}

// inflated returns what compressed bytes hold; nil: they are not compressed.
func inflated(b []byte) []byte {
	var r io.Reader
	var err error
	switch {
	case bytes.HasPrefix(b, []byte{0x1f, 0x8b}):
		r, err = gzip.NewReader(bytes.NewReader(b))
	case len(b) > 2 && b[0] == 0x78:
		r, err = zlib.NewReader(bytes.NewReader(b))
	default:
		return nil
	}
	if err != nil {
		return nil
	}
	plain, _ := io.ReadAll(io.LimitReader(r, maxText)) // what is there before an error counts
	return plain
}

// narrowed returns text in UTF-16 as bytes; nil: it is none.
func narrowed(b []byte) []byte {
	zeros := [2]int{}
	for i, c := range b {
		if c == 0 {
			zeros[i%2]++
		}
	}
	half := len(b) / 2
	if half < least || max(zeros[0], zeros[1]) < half*3/4 {
		return nil
	}
	return bytes.ReplaceAll(b, []byte{0}, nil)
}

// unescaped takes away one layer of escapes: those of URLs, JSON, programs, HTML and
// mail.
func unescaped(text string) string {
	text = escapes.ReplaceAllStringFunc(softBreaks.Replace(text), func(e string) string {
		digits := strings.TrimLeft(e, `%=\`)
		switch {
		case digits == "":
			return ""
		case len(digits) == 3 && digits[0] <= '7' && e[0] == '\\':
			return runeOf(digits, 8)
		case e[0] == '\\' && len(digits) == 1:
			return strings.NewReplacer("n", "\n", "t", "\t", "r", "\r").Replace(digits)
		}
		return runeOf(strings.Trim(digits, "ux{}"), 16)
	})
	return html.UnescapeString(text)
}

func runeOf(digits string, base int) string {
	n, err := strconv.ParseInt(digits, base, 32)
	if err != nil || n > utf8.MaxRune {
		return ""
	}
	return string(rune(n))
}

// codes returns the characters whose numbers a text lists; "" if it lists few.
func codes(text string, base int) string {
	var b strings.Builder
	pattern := numbers
	if base == 16 {
		pattern = hexNumbers
	}
	found := pattern.FindAllString(text, -1)
	if len(found) < least {
		return ""
	}
	for _, n := range found {
		if c, err := strconv.ParseUint(n, base, 32); err == nil && c >= ' ' && c < 0x7f {
			b.WriteByte(byte(c))
		} else if b.Len() > 0 {
			b.WriteByte('\n')
		}
	}
	if b.Len() < least {
		return ""
	}
	return b.String()
}
