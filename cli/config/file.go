package config

import "strings"

// A File names a text file, or picks one by model.
type File struct {
	Path   string  // absolute: where no rule matches; empty: none
	Models []Model // rules by model, in the order written
}

// A Model is the file for the models that a glob matches.
type Model struct {
	Glob string // "*" stands for any run of characters
	Path string // absolute
}

// IsZero reports whether no file is named.
func (f File) IsZero() bool { return f.Path == "" && len(f.Models) == 0 }

// Pick returns the file for a model, or an empty path. A glob matches the whole
// "provider:name" or the name alone. Of several that match, the one with the
// most characters besides its stars is taken, of equals the first.
func (f File) Pick(model string) string {
	_, name, _ := strings.Cut(model, ":")
	best, most := f.Path, -1
	for _, m := range f.Models {
		if !match(m.Glob, model) && (name == "" || !match(m.Glob, name)) {
			continue
		}
		if n := len(m.Glob) - strings.Count(m.Glob, "*"); n > most {
			best, most = m.Path, n
		}
	}
	return best
}

// match reports whether s is what the glob describes.
func match(glob, s string) bool {
	head, rest, star := strings.Cut(glob, "*")
	if !star {
		return glob == s
	}
	if !strings.HasPrefix(s, head) {
		return false
	}
	s = s[len(head):]
	for {
		part, more, star := strings.Cut(rest, "*")
		if !star {
			return strings.HasSuffix(s, rest)
		}
		i := strings.Index(s, part)
		if i < 0 {
			return false
		}
		s, rest = s[i+len(part):], more
	}
}
