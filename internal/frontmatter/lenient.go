package frontmatter

import (
	"fmt"
	"regexp"
	"strings"
)

// key is a top-level key at the start of a line. The blank after the colon may
// be missing.
var key = regexp.MustCompile(`^([A-Za-z_][A-Za-z0-9_-]*):[ \t]*(.*)$`)

// repair returns the YAML with the same number of lines in which each top-level
// key that cannot be read by itself has a quoted value: what stands after its
// colon and on the indented lines below. Tabs that indent become blanks.
func repair(src string, first int) (string, []Slip) {
	lines := strings.Split(src, "\n")
	var slips []Slip
	for i := 0; i < len(lines); {
		end := i + 1
		for end < len(lines) && (lines[end] == "" || strings.HasPrefix(lines[end], " ") || strings.HasPrefix(lines[end], "\t")) {
			end++
		}
		if s, ok := repairKey(lines[i:end], first+i); ok {
			slips = append(slips, s)
		}
		i = end
	}
	return strings.Join(lines, "\n"), slips
}

// repairKey changes the lines of one key in place, and says how.
func repairKey(lines []string, at int) (Slip, bool) {
	m := key.FindStringSubmatch(lines[0])
	if m == nil {
		return Slip{}, false
	}
	_, _, err := parse(strings.Join(lines, "\n")+"\n", at)
	if err == nil || err.final {
		return Slip{}, false
	}
	name, value := m[1], strings.TrimSpace(m[2])
	if untabbed, ok := untab(lines, at); ok {
		copy(lines, untabbed)
		return Slip{Line: at, Message: name + ": indented with tabs; YAML wants blanks"}, true
	}
	if value == "" {
		return Slip{}, false
	}
	for i, l := range lines[1:] {
		if l = strings.TrimSpace(l); l != "" {
			value += " " + l
		}
		lines[i+1] = ""
	}
	if q := value[0]; len(value) > 1 && (q == '"' || q == '\'') && value[len(value)-1] == q {
		value = value[1 : len(value)-1]
	}
	lines[0] = name + ": '" + strings.ReplaceAll(value, "'", "''") + "'"
	return Slip{Line: at, Message: fmt.Sprintf("%s: taken as plain text, as it is no YAML (%s); put it in quotes", name, err.Message)}, true
}

// untab returns the lines indented with blanks, if that makes them readable.
func untab(lines []string, at int) ([]string, bool) {
	out := make([]string, len(lines))
	changed := false
	for i, l := range lines {
		rest := strings.TrimLeft(l, " \t")
		indent := l[:len(l)-len(rest)]
		out[i] = strings.ReplaceAll(indent, "\t", "  ") + rest
		changed = changed || out[i] != l
	}
	if !changed {
		return nil, false
	}
	_, _, err := parse(strings.Join(out, "\n")+"\n", at)
	return out, err == nil
}
