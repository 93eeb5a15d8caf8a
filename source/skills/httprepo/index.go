package httprepo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/skills"
	"github.com/proemhq/proem/source/skills/snapshot"
	"github.com/proemhq/proem/source/skills/tree"
)

// Format is what an index of this version says of itself.
const Format = "proem-skills/1"

// The bounds of an index.
const (
	maxIndex = 4 << 20 // bytes
	maxFiles = 20000
)

// index is the document.
type index struct {
	Format string  `json:"format"`
	Skills []skill `json:"skills"`
}

// skill is a folder with its files.
type skill struct {
	Folder string `json:"folder"`
	Files  []file `json:"files"`
}

// file is one of a skill.
type file struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
}

// sum matches a hash.
var sum = regexp.MustCompile(`^[0-9a-f]{64}$`)

// parseIndex reads an index. What is not understood of it is an error, but for
// members of other names, which a later version may have.
func parseIndex(b []byte) (*index, error) {
	x := &index{}
	if err := json.Unmarshal(b, x); err != nil {
		return nil, fmt.Errorf("the index is not read: %w", err)
	}
	if x.Format != Format {
		return nil, fmt.Errorf("the index has the format %.40q; this version reads %s", x.Format, Format)
	}
	seen := make(map[string]bool)
	n := 0
	for _, s := range x.Skills {
		if !fs.ValidPath(s.Folder) || s.Folder == "." || strings.ContainsAny(s.Folder, `/\`) {
			return nil, fmt.Errorf("the index has a folder called %.100q", s.Folder)
		}
		if seen[s.Folder] {
			return nil, fmt.Errorf("the index has the folder %.100q twice", s.Folder)
		}
		seen[s.Folder] = true
		if n += len(s.Files); n > maxFiles {
			return nil, fmt.Errorf("the index has more than %d files", maxFiles)
		}
		for _, f := range s.Files {
			switch {
			case !fs.ValidPath(f.Path) || f.Path == ".":
				return nil, fmt.Errorf("the index has a file %.200q of %.100q, which is no path below it", f.Path, s.Folder)
			case !sum.MatchString(f.SHA256) || f.Size < 0:
				return nil, fmt.Errorf("the index has no SHA-256 in lower-case hex, or no size, of %.200q", s.Folder+"/"+f.Path)
			}
		}
	}
	return x, nil
}

func (r *repo) read(ctx context.Context, last *snapshot.Tree) (*snapshot.Tree, error) {
	at, err := r.cfg.base()
	if err != nil {
		return nil, err
	}
	if last == nil || !r.whole {
		r.etag = "" // what is lacking is asked for again
	}
	a, err := r.get(ctx, at, r.etag, maxIndex)
	if err != nil {
		return nil, err
	}
	version := hash(a.body)
	if a.unchanged || last != nil && r.whole && last.Version == version {
		return last, nil
	}
	x, err := parseIndex(a.body)
	if err != nil {
		return nil, err
	}
	used, diags := r.choose(ctx, at, x)
	t := &snapshot.Tree{Path: where(at), Version: version, Diagnostics: diags}
	for _, s := range used {
		for _, f := range s.Files {
			t.Files = append(t.Files, r.file(at, s.Folder, f))
		}
	}
	r.etag, r.used = a.etag, used
	r.prune()
	return t, nil
}

func hash(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// together is how many files are asked for at the same time.
const together = 4

// manifests reads the manifest of each skill and returns why it cannot be read.
func (r *repo) manifests(ctx context.Context, at *url.URL, x *index) []error {
	errs := make([]error, len(x.Skills))
	slots := make(chan struct{}, together)
	var wg sync.WaitGroup
	for i, s := range x.Skills {
		for _, f := range s.Files {
			if f.Path == skills.Manifest && f.Size <= snapshot.MaxFile {
				wg.Go(func() {
					slots <- struct{}{}
					defer func() { <-slots }()
					_, errs[i] = r.content(ctx, beside(at, s.Folder, f.Path), f)
				})
			}
		}
	}
	wg.Wait()
	return errs
}

// choose returns the skills to show. Their manifests are read now, everything else
// when somebody opens it. A skill whose manifest cannot be read stays as it was
// before, or is left out.
func (r *repo) choose(ctx context.Context, at *url.URL, x *index) (used []skill, diags []prompt.Diagnostic) {
	warn := func(folder, name, format string, args ...any) {
		diags = append(diags, prompt.Diagnostic{Severity: prompt.Warning, Code: snapshot.CodeFile,
			Path: path.Join(where(at), folder, name), Message: fmt.Sprintf(format, args...)})
	}
	r.whole = true
	for i, err := range r.manifests(ctx, at, x) {
		s := x.Skills[i]
		if err != nil {
			r.whole = false
			before := slices.IndexFunc(r.used, func(u skill) bool { return u.Folder == s.Folder })
			if before < 0 {
				warn(s.Folder, skills.Manifest, "cannot be read: %v; the skill is left out", err)
				continue
			}
			warn(s.Folder, skills.Manifest, "cannot be read: %v; the skill stays as it was", err)
			used = append(used, r.used[before])
			continue
		}
		own := skill{Folder: s.Folder}
		for _, f := range s.Files {
			if f.Size > snapshot.MaxFile {
				warn(s.Folder, f.Path, "has %d bytes; at most %d are read; it is left out", f.Size, snapshot.MaxFile)
				continue
			}
			own.Files = append(own.Files, f)
		}
		used = append(used, own)
	}
	return used, diags
}

// where is how the place of an index is called for people.
func where(at *url.URL) string { return path.Join("/", at.Host, path.Dir(path.Join("/", at.Path))) }

// file is one whose content is read when somebody opens it. Who opens it has no
// context to give; the request is bounded by its own time.
func (r *repo) file(at *url.URL, folder string, f file) tree.File {
	u := beside(at, folder, f.Path)
	return tree.File{Name: path.Join(folder, f.Path), Size: f.Size, Read: func() ([]byte, error) {
		return r.content(context.Background(), u, f)
	}}
}

// beside returns the URL of a file that lies beside the index.
func beside(at *url.URL, folder, name string) *url.URL {
	return &url.URL{Scheme: at.Scheme, Host: at.Host, Path: path.Join("/", path.Dir(at.Path), folder, name)}
}
