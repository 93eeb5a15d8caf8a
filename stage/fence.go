package stage

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

// FenceConfig says which sections are fenced. The zero value fences what is
// trusted as little as [span.Workspace] or less.
type FenceConfig struct {
	// Trust is the most trusted level that is fenced; zero: [span.Workspace].
	Trust span.Trust
	// Path returns the path to show for a section; nil: that of its origin, of
	// which only the last element is shown if it is absolute. A section without a
	// path is shown with its name. It is pure.
	Path func(prompt.Section) string
}

const fenceSource = "generated:fence"

var fenceOrigin = &span.Origin{Source: fenceSource, Stage: "fence"}

// Fence returns a stage that puts each section of little trust into a block, so
// that its text can neither end the block nor begin one:
//
//	<block 5f0c3a9be1d2470b kind="file" path="AGENTS.md" trust="project">
//	Use tabs.
//	</block 5f0c3a9be1d2470b>
//
// The token is made of the SHA-256 of the block's own bytes, so equal sections
// give equal blocks, and it never occurs in them. [ParseFences] reads the blocks
// back. Nothing in the section's text is changed or escaped; the attributes are
// escaped.
//
// A more trusted section in which a line imitates the first line of a block is
// fenced too. A section that is fenced already is left alone. Text that a later
// stage adds is not fenced, so this one stands at or near the end.
func Fence(cfg FenceConfig) prompt.Stage {
	if cfg.Trust == span.Builtin {
		cfg.Trust = span.Workspace
	}
	return prompt.Stage{
		Name:  "fence",
		Doc:   "puts sections of trust " + cfg.Trust.String() + " and less into blocks they cannot leave",
		Local: true,
		Apply: func(_ prompt.Input, a prompt.Assembly) (prompt.Assembly, error) {
			copied := false
			for i := range a.Sections {
				s := &a.Sections[i]
				if !hasText(*s) || fenced(s) || s.Trust() < cfg.Trust && !imitates(s.Text) {
					continue
				}
				if !copied {
					copied = true
					a.Sections = slices.Clone(a.Sections)
				}
				a.Sections[i].Text = enclose(fenceAttrs(cfg, s), s.Text, lineStart(s))
			}
			return a, nil
		},
	}
}

// Content returns a section's text without the fence around it.
func Content(s prompt.Section) span.Text {
	if fenced(&s) {
		return s.Text[1 : len(s.Text)-1]
	}
	return s.Text
}

func fenced(s *prompt.Section) bool {
	n := len(s.Text)
	return n >= 2 && isFence(s.Text[0]) && isFence(s.Text[n-1])
}

func isFence(s span.Span) bool { return s.From != nil && s.From.Source == fenceSource }

const (
	fenceOpen  = "<block "
	fenceClose = "</block "
	tokenLen   = 16
)

// lineStart returns the line end that a section's first line needs before it
// because its separator does not end a line.
func lineStart(s *prompt.Section) string {
	if s.Sep == "" || strings.HasSuffix(s.Sep, "\n") {
		return ""
	}
	return "\n"
}

// enclose returns the content between the two lines of a fence.
func enclose(attrs string, content span.Text, before string) span.Text {
	token := fenceToken(attrs, content.String())
	out := make(span.Text, 0, len(content)+2)
	out = append(out, span.Span{Text: before + fenceOpen + token + attrs + ">\n", From: fenceOrigin, Off: span.NoOffset})
	out = append(out, content...)
	return append(out, span.Span{Text: "\n" + fenceClose + token + ">", From: fenceOrigin, Off: span.NoOffset})
}

// refence puts other content into the fence of a section.
func refence(s *prompt.Section, content span.Text) span.Text {
	before, line, _ := strings.Cut(s.Text[0].Text, fenceOpen)
	attrs := strings.TrimSuffix(line[tokenLen:], ">\n")
	return enclose(attrs, content, before)
}

// fenceToken derives the token of a block from its attributes and content. If it
// happens to occur in them, a counter is added to what is hashed.
func fenceToken(attrs, content string) string {
	h := sha256.New()
	h.Write([]byte(attrs))
	h.Write([]byte{0})
	h.Write([]byte(content))
	for n := 0; ; n++ {
		var sum [sha256.Size]byte
		token := hex.EncodeToString(h.Sum(sum[:0])[:tokenLen/2])
		if !strings.Contains(attrs, token) && !strings.Contains(content, token) {
			return token
		}
		h.Write(strconv.AppendInt([]byte{0}, int64(n), 10))
	}
}

// fenceAttrs returns the attributes of a block, each with a space before it.
func fenceAttrs(cfg FenceConfig, s *prompt.Section) string {
	kind, shown := "", ""
	if s.From != nil {
		kind = s.From.Source
	}
	if cfg.Path != nil {
		shown = cfg.Path(*s)
	} else {
		shown = relative(path(s.From))
	}
	var b strings.Builder
	b.WriteString(` kind="`)
	escapeAttr(&b, kind)
	if shown != "" {
		b.WriteString(`" path="`)
		escapeAttr(&b, shown)
	} else {
		b.WriteString(`" name="`)
		escapeAttr(&b, s.Name)
	}
	b.WriteString(`" trust="`)
	b.WriteString(s.Trust().String())
	b.WriteByte('"')
	return b.String()
}

// relative returns the last element of an absolute path, and any other path as
// it is. A prompt that names places of one machine is never shared.
func relative(p string) string {
	if !strings.HasPrefix(p, "/") && !strings.HasPrefix(p, `\`) && !(len(p) > 1 && p[1] == ':') {
		return p
	}
	p = strings.TrimRight(p, `/\`)
	return p[strings.LastIndexAny(p, `/\:`)+1:]
}

// imitates reports whether a line of the text could be taken for the first line
// of a block. Blocks begin at the start of a line, but a separator may end in the
// middle of one, so the first line counts from its first byte.
func imitates(t span.Text) bool {
	// Almost no text holds the opening characters, and looking for them in each
	// span would miss one that spans two: so look for the character they begin with.
	if !slices.ContainsFunc(t, func(s span.Span) bool { return strings.Contains(s.Text, fenceOpen[:1]) }) {
		return false
	}
	s := t.String()
	for {
		i := strings.Index(s, fenceOpen)
		if i < 0 {
			return false
		}
		s = s[i+len(fenceOpen):]
		if len(s) >= tokenLen && isToken(s[:tokenLen]) {
			return true
		}
	}
}

// Enclose returns a text inside a fence of its own, for places outside an
// assembly, such as a document that is handed over with a tool's result.
func Enclose(kind, path string, trust span.Trust, content span.Text) span.Text {
	s := prompt.Section{Name: path, From: &span.Origin{Source: kind, Path: path, Trust: trust}}
	cfg := FenceConfig{Path: func(prompt.Section) string { return path }}
	return enclose(fenceAttrs(cfg, &s), content, "")
}
