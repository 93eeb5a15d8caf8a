package lint

import (
	"path/filepath"
	"strings"

	"github.com/proemhq/proem/internal/near"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/files"
)

// shadowed reports instruction files that another one hides, which is meant more
// often than not.
func (l *linter) shadowed(notes []prompt.Note) {
	for _, n := range notes {
		if n.Stage == files.Stage && strings.HasPrefix(n.Reason, "shadowed by ") && !l.points(n.Path) {
			was := l.agent
			l.agent = ""
			l.add(Finding{Rule: ruleUnreachable, Severity: prompt.Info, Place: Place{Path: n.Path}, Message: "is never read: " + n.Reason})
			l.agent = was
		}
	}
}

// unreachable reports files whose names are not looked for. Where another one is
// read in the same directory it may be the same text for another tool.
func (l *linter) unreachable() {
	said := map[string]bool{} // doc.foreign and doc.case say it too
	for _, f := range l.found {
		said[f.Path] = said[f.Path] || f.Rule == "doc.foreign" || f.Rule == "doc.case"
	}
	for _, u := range l.in.Unread {
		if said[u.Path] || u.Beside && l.points(u.Path) {
			continue
		}
		f := Finding{Rule: ruleUnreachable, Severity: prompt.Warning, Place: Place{Path: u.Path},
			Message: near.Show(filepath.Base(u.Path)) + " is never read; what is looked for is " + u.Names}
		if u.Beside {
			f.Severity = prompt.Info
		}
		l.add(f)
	}
}

// points reports whether all that a file says is the path of another one, as one does
// that leads another tool to the same text.
func (l *linter) points(path string) bool {
	fields := strings.Fields(l.file(path).norm.Text)
	return len(fields) == 1 && (strings.HasPrefix(fields[0], "@") || isMarkdown(fields[0]))
}
