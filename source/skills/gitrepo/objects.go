package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/skills"
	"github.com/proemhq/proem/source/skills/snapshot"
	"github.com/proemhq/proem/source/skills/tree"
)

// The bounds of a revision.
const (
	maxList  = 8 << 20  // bytes of the listing
	maxFiles = 50000    // files
	maxWhole = 8        // times as much of both, of a whole project
	maxLink  = 4 << 10  // bytes of where a link leads
	maxEager = 32 << 20 // bytes of all that is read at once: manifests and links
)

// An entry is a file or a link of a revision.
type entry struct {
	name string
	id   string // of the object
	size int64
	link bool
}

// list returns the files and links below a folder of a commit. Submodules are
// passed over.
func (g *git) list(ctx context.Context, commit, dir string, whole bool) ([]entry, error) {
	times, hint := 1, "; name a folder with less in it"
	if whole {
		times, hint = maxWhole, ""
	}
	root := commit + "^{tree}"
	if dir = path.Clean(dir); dir != "." {
		root = commit + ":" + dir
	}
	out, over, err := g.run(ctx, maxList*times, "", "ls-tree", "-r", "-z", "-l", "--end-of-options", root)
	switch f := (*failure)(nil); {
	case errors.As(err, &f) && dir != "." && strings.Contains(f.said, "Not a valid object name"), errors.As(err, &f) && strings.Contains(f.said, "not a tree object"):
		return nil, fmt.Errorf("the commit %s has no folder %.200q", commit[:12], dir)
	case err != nil:
		return nil, err
	case over:
		return nil, fmt.Errorf("the list of files exceeds %d bytes%s", maxList*times, hint)
	}
	list, err := parseList(out, maxFiles*times)
	if errors.Is(err, errFiles) {
		err = fmt.Errorf("there are more than %d files%s", maxFiles*times, hint)
	}
	return list, err
}

var errFiles = errors.New("there are too many files")

// parseList reads what ls-tree prints: mode, type, hash, size and name of each.
func parseList(out []byte, most int) ([]entry, error) {
	var list []entry
	for len(out) > 0 {
		line, rest, ok := bytes.Cut(out, []byte{0})
		if !ok {
			return nil, errors.New("the list of files is cut")
		}
		out = rest
		about, name, ok := strings.Cut(string(line), "\t")
		f := strings.Fields(about)
		if !ok || len(f) != 4 || !hash.MatchString(f[2]) {
			return nil, fmt.Errorf("the list of files has a line %.100q", line)
		}
		if f[1] != "blob" {
			continue
		}
		size, err := strconv.ParseInt(f[3], 10, 64)
		if err != nil || size < 0 {
			return nil, fmt.Errorf("the list of files has a line %.100q", line)
		}
		if len(list) == most {
			return nil, errFiles
		}
		list = append(list, entry{name: name, id: f[2], size: size, link: f[0] == "120000"})
	}
	return list, nil
}

// files makes files of entries. What each look at the skills needs is read at
// once, and everything else when somebody opens it. Of a whole, links that stand
// beside all folders are kept.
func (g *git) files(ctx context.Context, entries []entry, whole bool) ([]tree.File, []prompt.Diagnostic, error) {
	var ids []string
	total := int64(0)
	for _, e := range entries {
		small := e.size <= snapshot.MaxFile
		if e.link {
			small = e.size <= maxLink
		}
		if small && total+e.size <= maxEager && (e.link || path.Base(e.name) == skills.Manifest && strings.Count(e.name, "/") == 1) {
			total += e.size
			ids = append(ids, e.id)
		}
	}
	read, err := g.blobs(ctx, ids, int(total)+len(ids)*128)
	if err != nil {
		return nil, nil, err
	}
	folders := make(map[string]bool)
	for _, e := range entries {
		if first, _, below := strings.Cut(e.name, "/"); below {
			folders[first] = true
		}
	}
	var files []tree.File
	var diags []prompt.Diagnostic
	for _, e := range entries {
		content, ok := read[e.id]
		switch {
		case e.link && !whole && !strings.Contains(e.name, "/") && !folders[path.Clean(string(content))]:
			// beside the skills, and no folder of one
		case e.link && (!ok || len(content) == 0):
			diags = append(diags, prompt.Diagnostic{Severity: prompt.Warning, Code: snapshot.CodeFile, Path: e.name,
				Message: "where the link leads is too long or nothing; it is left out"})
		case e.link:
			files = append(files, tree.File{Name: e.name, Size: e.size, Link: string(content)})
		case ok:
			files = append(files, tree.Bytes(e.name, content))
		default:
			files = append(files, tree.File{Name: e.name, Size: e.size, Read: func() ([]byte, error) { return g.blob(e) }})
		}
	}
	return files, diags, nil
}

// blob reads one file, up to what anybody uses of it. Whoever opens a file has no
// context to give; the process is bounded by its own time.
func (g *git) blob(e entry) ([]byte, error) {
	out, _, err := g.run(context.Background(), snapshot.MaxFile+256, e.id+"\n", "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	id, content, _, err := next(out)
	if err != nil || id != e.id {
		return nil, fmt.Errorf("cat-file: the object %s cannot be read", e.id)
	}
	return content[:min(len(content), snapshot.MaxFile+1)], nil
}

// blobs reads objects with one process, which prints at most max bytes.
func (g *git) blobs(ctx context.Context, ids []string, max int) (map[string][]byte, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	out, over, err := g.run(ctx, max, strings.Join(ids, "\n")+"\n", "cat-file", "--batch")
	if err == nil && over {
		err = errors.New("cat-file: more than the sizes in the list of files")
	}
	if err != nil {
		return nil, err
	}
	read := make(map[string][]byte, len(ids))
	for range ids {
		id, content, rest, err := next(out)
		if err != nil {
			return nil, err
		}
		read[id], out = content, rest
	}
	return read, nil
}

// next reads one object of what cat-file prints: hash, type and size on a line,
// then the content and the end of a line. A content that is cut is what there is.
func next(out []byte) (id string, content, rest []byte, err error) {
	line, rest, ok := bytes.Cut(out, []byte{'\n'})
	f := strings.Fields(string(line))
	if !ok || len(f) != 3 || f[1] != "blob" {
		return "", nil, nil, fmt.Errorf("cat-file: an object cannot be read: %.100q", line)
	}
	size, err := strconv.Atoi(f[2])
	if err != nil || size < 0 {
		return "", nil, nil, fmt.Errorf("cat-file: an object cannot be read: %.100q", line)
	}
	if len(rest) <= size {
		return f[0], rest, nil, nil
	}
	return f[0], rest[:size:size], rest[size+1:], nil
}
