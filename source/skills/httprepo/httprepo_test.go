package httprepo_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/skills"
	"github.com/proemhq/proem/source/skills/httprepo"
	"github.com/proemhq/proem/source/skills/skillstest"
	"github.com/proemhq/proem/span"
)

// A server offers files below /team and counts what is asked for.
type server struct {
	*httptest.Server
	mu    sync.Mutex
	files map[string][]byte
	asked []string // "GET /path status"
	tags  bool     // it knows entity tags
	// wrap, if not nil, answers instead and reports whether it did.
	wrap func(http.ResponseWriter, *http.Request) bool
}

func serve(t testing.TB, files map[string]string) *server {
	t.Helper()
	s := &server{tags: true}
	s.put(t, files)
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

// put replaces the files and makes an index of them.
func (s *server) put(t testing.TB, files map[string]string) {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	index, err := httprepo.MakeIndex(fsys)
	filetest.Must(t, err)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.files = map[string][]byte{"index.json": index}
	for name, text := range files {
		s.files[name] = []byte(text)
	}
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	name := strings.TrimPrefix(r.URL.Path, "/team/")
	content, ok := s.files[name]
	wrap, tags := s.wrap, s.tags
	s.mu.Unlock()
	log := func(status int) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asked = append(s.asked, fmt.Sprintf("%s %d", name, status))
	}
	if wrap != nil && wrap(w, r) {
		log(0)
		return
	}
	tag := fmt.Sprintf(`"%x"`, len(content)*7919+int(sum(content)))
	switch {
	case !ok:
		log(404)
		http.NotFound(w, r)
	case tags && r.Header.Get("If-None-Match") == tag:
		log(304)
		w.WriteHeader(304)
	default:
		log(200)
		if tags {
			w.Header().Set("ETag", tag)
		}
		w.Write(content)
	}
}

func sum(b []byte) (n byte) {
	for _, c := range b {
		n = n*31 + c
	}
	return n
}

// took returns what was asked for since the last time.
func (s *server) took() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := s.asked
	s.asked = nil
	return out
}

func (s *server) repo() skills.Repository {
	return httprepo.New(httprepo.Config{URL: s.URL + "/team/index.json", Trust: span.User})
}

func skill(name, description string) string {
	return "---\nname: " + name + "\ndescription: " + description + "\n---\nbody of " + name + "\n"
}

func seen(t testing.TB, r skills.Repository) []string {
	t.Helper()
	l, err := r.List(context.Background(), prompt.Who{})
	if err != nil {
		return []string{"error: " + err.Error()}
	}
	out := []string{}
	for _, s := range l.Skills {
		out = append(out, s.Name+": "+s.Description)
	}
	for _, d := range l.Diagnostics {
		out = append(out, d.Code+" "+path.Base(path.Dir(d.Path))+"/"+path.Base(d.Path))
	}
	return out
}

func same(t testing.TB, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("%s (-got +want):\n%s", what, diff)
	}
}

func TestRepository(t *testing.T) {
	skillstest.Run(t, func(t *testing.T, files map[string]string) skills.Repository { return serve(t, files).repo() })
}

// TestRefresh: what did not change is asked for once, also when the index did.
func TestRefresh(t *testing.T) {
	files := map[string]string{"a/SKILL.md": skill("a", "one"), "a/ref/x y%.md": "1", "b/SKILL.md": skill("b", "d")}
	for _, tags := range []bool{true, false} {
		t.Run(fmt.Sprintf("tags %t", tags), func(t *testing.T) {
			s := serve(t, files)
			s.tags = tags
			again := map[bool]string{true: "index.json 304", false: "index.json 200"}[tags]
			r := s.repo()
			same(t, "first", seen(t, r), []string{"a: one", "b: d"})
			if n := len(s.took()); n != 3 {
				t.Errorf("%d requests", n)
			}
			seen(t, r)
			same(t, "unchanged", s.took(), []string{again})
			for range 2 {
				res, err := r.Open(context.Background(), prompt.Who{}, "a", "ref/x y%.md")
				filetest.Must(t, err)
				same(t, "text", res.Text, "1")
			}
			same(t, "opened twice", s.took(), []string{"a/ref/x y%.md 200"})
			s.put(t, map[string]string{"a/SKILL.md": skill("a", "two"), "a/ref/x y%.md": "1", "b/SKILL.md": skill("b", "d")})
			same(t, "changed", seen(t, r), []string{"a: two", "b: d"})
			same(t, "changed costs", s.took(), []string{"index.json 200", "a/SKILL.md 200"})
			_, err := r.Open(context.Background(), prompt.Who{}, "a", "ref/x y%.md")
			filetest.Must(t, err)
			same(t, "is still known", len(s.took()), 0)
		})
	}
}

// TestWrongContent: a file that is not what the index says does not count. Its
// skill stays as it was, others go on, and it is asked for until it is right.
func TestWrongContent(t *testing.T) {
	s := serve(t, map[string]string{"a/SKILL.md": skill("a", "one"), "a/x.md": "old", "b/SKILL.md": skill("b", "one")})
	r := s.repo()
	seen(t, r)
	s.put(t, map[string]string{"a/SKILL.md": skill("a", "two"), "a/x.md": "old", "b/SKILL.md": skill("b", "two"), "c/SKILL.md": skill("c", "new")})
	s.mu.Lock()
	right := s.files["a/SKILL.md"]
	s.files["a/SKILL.md"] = []byte(skill("a", "TWO"))
	s.files["c/SKILL.md"] = []byte(skill("c", "new") + "more")
	s.mu.Unlock()
	want := []string{"a: one", "b: two", "skill.file a/SKILL.md", "skill.file c/SKILL.md"}
	same(t, "wrong", seen(t, r), want)
	same(t, "wrong again", seen(t, r), want)
	s.mu.Lock()
	s.files["a/SKILL.md"] = right
	s.mu.Unlock()
	same(t, "right", seen(t, r), []string{"a: two", "b: two", "skill.file c/SKILL.md"})

	s.mu.Lock()
	s.files["a/x.md"] = []byte("new")
	s.mu.Unlock()
	res, err := r.Open(context.Background(), prompt.Who{}, "a", "x.md")
	var bad *skills.Error
	if !errors.As(err, &bad) || bad.Code != skills.CodeRefused || res.Text != "" {
		t.Errorf("%q, %v", res.Text, err)
	}
}

// TestLastGood: an index that cannot be read leaves what was there, with a
// warning; the server's return ends it.
func TestLastGood(t *testing.T) {
	s := serve(t, map[string]string{"a/SKILL.md": skill("a", "one")})
	clock := env.NewFakeClock(time.Unix(0, 0))
	r := httprepo.New(httprepo.Config{Env: &env.Env{Clock: clock}, URL: s.URL + "/team/index.json", Every: time.Minute})
	seen(t, r)
	for what, wrap := range map[string]func(http.ResponseWriter, *http.Request) bool{
		"status": func(w http.ResponseWriter, _ *http.Request) bool { w.WriteHeader(503); return true },
		"cut": func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Content-Length", "1000")
			w.Write([]byte("{"))
			return true
		},
		"json":   func(w http.ResponseWriter, _ *http.Request) bool { w.Write([]byte("<html>")); return true },
		"format": func(w http.ResponseWriter, _ *http.Request) bool { w.Write([]byte(`{"skills":[]}`)); return true },
		"endless": func(w http.ResponseWriter, _ *http.Request) bool {
			for range 5 << 20 / 1024 {
				w.Write(make([]byte, 1024))
			}
			return true
		},
		"no tag asked": func(w http.ResponseWriter, r *http.Request) bool {
			r.Header.Del("If-None-Match")
			w.WriteHeader(204)
			return true
		},
	} {
		s.mu.Lock()
		s.wrap = wrap
		s.mu.Unlock()
		clock.Advance(10 * time.Minute)
		same(t, what, seen(t, r)[:1], []string{"a: one"})
		if got := seen(t, r); len(got) != 2 || !strings.HasPrefix(got[1], "skill.stale") {
			t.Errorf("%s: %q", what, got)
		}
	}
	s.mu.Lock()
	s.wrap = nil
	s.mu.Unlock()
	clock.Advance(10 * time.Minute)
	same(t, "back", seen(t, r), []string{"a: one"})
	s.Close()
	clock.Advance(10 * time.Minute)
	same(t, "no server", seen(t, r)[:1], []string{"a: one"})
}

// TestRedirect: within the host a redirect is followed, to another one it is not,
// and the other one is never asked.
func TestRedirect(t *testing.T) {
	other := serve(t, map[string]string{"a/SKILL.md": skill("a", "OUT")})
	s := serve(t, map[string]string{"a/SKILL.md": skill("a", "one")})
	s.wrap = func(w http.ResponseWriter, r *http.Request) bool {
		switch r.URL.Path {
		case "/moved/index.json":
			http.Redirect(w, r, "/team/index.json", http.StatusFound)
		case "/away/index.json":
			http.Redirect(w, r, other.URL+"/team/index.json", http.StatusFound)
		case "/user/index.json":
			http.Redirect(w, r, "http://x@"+r.Host+"/team/index.json", http.StatusFound)
		case "/round/index.json":
			http.Redirect(w, r, "/round/index.json", http.StatusFound)
		case "/moved/a/SKILL.md":
			http.Redirect(w, r, "/team/a/SKILL.md", http.StatusFound)
		default:
			return false
		}
		return true
	}
	same(t, "moved", seen(t, httprepo.New(httprepo.Config{URL: s.URL + "/moved/index.json"})), []string{"a: one"})
	for _, p := range []string{"/away/index.json", "/user/index.json", "/round/index.json"} {
		got := seen(t, httprepo.New(httprepo.Config{URL: s.URL + p, Header: http.Header{"Authorization": {"secret"}}}))
		if len(got) != 1 || !strings.HasPrefix(got[0], "error: http://127.0.0.1") || !strings.Contains(got[0], "redirected") {
			t.Errorf("%s: %q", p, got)
		}
	}
	same(t, "asked of the other host", len(other.took()), 0)
}

func TestConfig(t *testing.T) {
	for _, c := range []struct {
		url  string
		want string
	}{
		{"http://skills.example.com/i.json", "use https"},
		{"http://127.0.0.1.example.com/i.json", "use https"},
		{"http://localhost.example.com/i.json", "use https"},
		{"https://u:hunter2@example.com/i.json", "holds a user"},
		{"http://localhost@example.com/i.json", "holds a user"},
		{"file:///etc/passwd", "names no host"},
		{"ftp://example.com/x", "is not https"},
		{"/relative", "names no host"},
		{"https:opaque", "names no host"},
		{"http://[::1", "no URL"},
		{"https://example.com/\x00hunter2", "no URL"},
	} {
		dial := &env.Env{Net: refuse{t}}
		got := seen(t, httprepo.New(httprepo.Config{Env: dial, URL: c.url}))
		if len(got) != 1 || !strings.Contains(got[0], c.want) || strings.Contains(got[0], "hunter2") {
			t.Errorf("%q: %q", c.url, got)
		}
	}
	plain := httprepo.New(httprepo.Config{Env: &env.Env{Net: answers{}}, URL: "http://skills.example.com/i.json", Plain: true})
	same(t, "plain", seen(t, plain), []string{})
}

// refuse is a network that is not to be used.
type refuse struct{ t *testing.T }

func (r refuse) RoundTrip(req *http.Request) (*http.Response, error) {
	r.t.Errorf("%s is asked", req.URL.Host)
	return nil, errors.New("no")
}

type answers struct{}

func (answers) RoundTrip(*http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	w.WriteString(`{"format":"` + httprepo.Format + `","skills":[]}`)
	return w.Result(), nil
}

// TestSecrets: headers are sent, and printed nowhere; neither is the query.
func TestSecrets(t *testing.T) {
	s := serve(t, map[string]string{"a/SKILL.md": skill("a", "d")})
	var mu sync.Mutex
	got := map[string]string{}
	s.wrap = func(w http.ResponseWriter, r *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		got[r.URL.Path] = r.Header.Get("Authorization")
		return false
	}
	c := httprepo.Config{URL: s.URL + "/team/index.json?token=hunter2", Header: http.Header{"authorization": {"Bearer hunter2"}}}
	r := httprepo.New(c)
	seen(t, r)
	same(t, "headers", got, map[string]string{"/team/index.json": "Bearer hunter2", "/team/a/SKILL.md": "Bearer hunter2"})
	s.Close()
	said := fmt.Sprintf("%v %+v %#v %s", c, c, &c, seen(t, r))
	said += fmt.Sprint(seen(t, httprepo.New(c)))
	if strings.Contains(said, "hunter2") {
		t.Error(said)
	}
	if !strings.Contains(said, "skill.stale") || !strings.Contains(said, "refused") {
		t.Error(said)
	}
}

// TestBounds: a file that is too long is told and left out; one whose server says
// more than the index is not read to its end.
func TestBounds(t *testing.T) {
	s := serve(t, map[string]string{"a/SKILL.md": skill("a", "d"), "a/long.md": strings.Repeat("x", 1<<20+1), "a/full.md": strings.Repeat("x", 1<<20), "b/SKILL.md": skill("b", "d")})
	s.wrap = func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path != "/team/b/SKILL.md" {
			return false
		}
		for range 100 {
			if _, err := w.Write(make([]byte, 1<<16)); err != nil {
				return true
			}
		}
		return true
	}
	r := s.repo()
	same(t, "list", seen(t, r), []string{"a: d", "skill.file a/long.md", "skill.file b/SKILL.md"})
	res, err := r.Open(context.Background(), prompt.Who{}, "a", "full.md")
	filetest.Must(t, err)
	same(t, "full", []any{len(res.Text), res.Partial}, []any{1 << 20, false})
}

// TestSlow: a server that hangs is given up after the time of one request.
func TestSlow(t *testing.T) {
	hold := make(chan struct{})
	s := serve(t, nil)
	s.wrap = func(_ http.ResponseWriter, r *http.Request) bool {
		select {
		case <-hold:
		case <-r.Context().Done():
		}
		return true
	}
	defer close(hold)
	began := time.Now()
	got := seen(t, httprepo.New(httprepo.Config{URL: s.URL + "/team/index.json", Timeout: 50 * time.Millisecond}))
	if !strings.Contains(got[0], "deadline") || time.Since(began) > 5*time.Second {
		t.Errorf("%q after %v", got, time.Since(began))
	}
}

func TestMakeIndex(t *testing.T) {
	dir := t.TempDir()
	filetest.Write(t, dir, map[string]string{
		"a/SKILL.md": "A", "a/ref/x.md": "x", "a/.hidden/y": "y", "a/.z": "z", "a/node_modules/m.js": "m", "no-skill/README.md": "r", ".git/SKILL.md": "g", "top.md": "t"})
	if err := os.Symlink("ref/x.md", filepath.Join(dir, "a", "link.md")); err != nil {
		t.Log(err)
	}
	got, err := httprepo.MakeIndex(os.DirFS(dir))
	filetest.Must(t, err)
	same(t, "index", string(got), `{
  "format": "proem-skills/1",
  "skills": [
    {
      "folder": "a",
      "files": [
        {
          "path": "SKILL.md",
          "sha256": "559aead08264d5795d3909718cdd05abd49572e84fe55590eef31a88a08fdffd",
          "size": 1
        },
        {
          "path": "ref/x.md",
          "sha256": "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881",
          "size": 1
        }
      ]
    }
  ]
}
`)
}

// FuzzIndex: whatever a server says is an index or an error, and nothing is asked
// for that does not lie beside it.
func FuzzIndex(f *testing.F) {
	f.Add(`{"format":"proem-skills/1","skills":[{"folder":"a","files":[{"path":"SKILL.md","sha256":"` + strings.Repeat("0", 64) + `","size":3}]}]}`)
	f.Add(`{"format":"proem-skills/1","skills":[{"folder":"..","files":[{"path":"../../x","sha256":"","size":-1}]}]}`)
	f.Fuzz(func(t *testing.T, index string) {
		r := httprepo.New(httprepo.Config{Env: &env.Env{Net: indexed{t, index}}, URL: "https://h.example/x/i.json"})
		l, err := r.List(context.Background(), prompt.Who{})
		if err != nil && len(l.Skills) > 0 {
			t.Error("skills with an error")
		}
	})
}

type indexed struct {
	t     *testing.T
	index string
}

func (i indexed) RoundTrip(req *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	switch {
	case req.URL.Host != "h.example" || !strings.HasPrefix(req.URL.Path, "/x/"):
		i.t.Errorf("%s is asked", req.URL)
	case req.URL.Path == "/x/i.json":
		w.WriteString(i.index)
	default:
		w.WriteString("abc")
	}
	return w.Result(), nil
}
