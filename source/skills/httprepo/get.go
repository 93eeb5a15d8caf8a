package httprepo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/proemhq/proem/internal/frontmatter"
)

// An answer is what a server said to a request.
type answer struct {
	body      []byte
	etag      string
	unchanged bool // there is no body, because the tag is still that of the file
}

// get reads at most max bytes from a place of the host.
func (r *repo) get(ctx context.Context, at *url.URL, etag string, max int64) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, r.cfg.Timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return answer{}, errors.New("the address is no URL")
	}
	for name, values := range r.cfg.Header {
		req.Header[http.CanonicalHeaderKey(name)] = values
	}
	if etag != "" {
		req.Header.Set("If-None-Match", etag)
	}
	res, err := r.client.Do(req)
	if err != nil {
		var u *url.Error // its text repeats the URL, which may be secret
		if errors.As(err, &u) {
			err = u.Err
		}
		return answer{}, err
	}
	defer res.Body.Close()
	switch {
	case res.StatusCode == http.StatusNotModified && etag != "":
		return answer{unchanged: true}, nil
	case res.StatusCode != http.StatusOK:
		return answer{}, fmt.Errorf("the server answers %.60s", frontmatter.OneLine(strings.ToValidUTF8(res.Status, "\uFFFD")))
	case res.ContentLength > max:
		return answer{}, fmt.Errorf("the answer has %d bytes; at most %d are read", res.ContentLength, max)
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, max+1))
	switch {
	case err != nil:
		return answer{}, err
	case int64(len(body)) > max:
		return answer{}, fmt.Errorf("the answer exceeds %d bytes", max)
	}
	return answer{body: body, etag: res.Header.Get("ETag")}, nil
}

// maxKept bounds the contents that are kept in memory for the next index.
const maxKept = 32 << 20

// content returns a file of the index: one that is kept, or what the server has,
// if it is what the index says.
func (r *repo) content(ctx context.Context, at *url.URL, f file) ([]byte, error) {
	r.mu.Lock()
	b, ok := r.kept[f.SHA256]
	r.mu.Unlock()
	if ok {
		return b, nil
	}
	a, err := r.get(ctx, at, "", f.Size)
	if err != nil {
		return nil, err
	}
	if got := hash(a.body); got != f.SHA256 || int64(len(a.body)) != f.Size {
		return nil, fmt.Errorf("it is not what the index says: %d bytes with SHA-256 %s, not %d with %s", len(a.body), got[:12], f.Size, f.SHA256[:12])
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.kept[f.SHA256]; !ok && r.keptBytes+len(a.body) <= maxKept {
		r.kept[f.SHA256] = a.body
		r.keptBytes += len(a.body)
	}
	return a.body, nil
}

// prune forgets the contents that the last tree does not show.
func (r *repo) prune() {
	shown := make(map[string]bool)
	for _, s := range r.used {
		for _, f := range s.Files {
			shown[f.SHA256] = true
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for sum, b := range r.kept {
		if !shown[sum] {
			delete(r.kept, sum)
			r.keptBytes -= len(b)
		}
	}
}
