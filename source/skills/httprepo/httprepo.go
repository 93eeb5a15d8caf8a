// Package httprepo has the skills that a server offers in an index:
//
//	repo := httprepo.New(httprepo.Config{URL: "https://skills.example.com/team/index.json", Every: 5 * time.Minute, Trust: span.User})
//	set := skills.New(skills.Config{Tiers: []skills.Tier{{Scope: "team", Repo: repo}}})
//
// The index is a JSON document that names each file with its hash and its size:
//
//	{
//		"format": "proem-skills/1",
//		"skills": [
//			{"folder": "deploy", "files": [
//				{"path": "SKILL.md", "sha256": "9f86d081884c7d65…", "size": 812},
//				{"path": "ref/steps.md", "sha256": "60303ae22b998861…", "size": 4211}
//			]}
//		]
//	}
//
// The files lie beside it: this one has https://skills.example.com/team/deploy/ref/steps.md.
// [MakeIndex] writes the index of a folder, so that any server of static files
// will do.
//
// One host is talked to, the one that the URL names, and over https unless it is
// this machine. A redirect that leads elsewhere is not followed. A file counts
// only if it has the hash and the size that the index gives it; files are kept in
// memory by their hash. An index that did not change costs one request that has
// no body as its answer, if the server knows entity tags.
package httprepo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/source/skills/snapshot"
	"github.com/proemhq/proem/span"
)

// DefaultTimeout bounds one request.
const DefaultTimeout = 10 * time.Second

// A Config says what to read. It prints without credentials.
type Config struct {
	Env *env.Env // nil: the operating system's
	URL string   // of the index
	// Header is sent with every request, such as Authorization. Its values appear in
	// no error.
	Header http.Header `json:"-"`
	// Plain permits http to hosts that are not this machine: whoever stands between
	// can then say what the skills are.
	Plain bool
	Trust span.Trust
	// Every is for how long an index is good; 0: until somebody asks again, which is
	// one request for each step of an agent.
	Every   time.Duration
	Timeout time.Duration // of one request; 0: DefaultTimeout
}

// Format implements [fmt.Formatter]: no verb prints the headers.
func (c Config) Format(f fmt.State, _ rune) { fmt.Fprintf(f, "skills at %s", shown(c.URL)) }

// New returns a repository. Nothing is read yet; what is wrong with c is reported
// when it is used.
func New(c Config) *snapshot.Repository {
	e := env.OrSystem(c.Env)
	r := &repo{cfg: c, client: &http.Client{Transport: e.Net}, kept: map[string][]byte{}}
	r.client.CheckRedirect = r.redirect
	if r.cfg.Timeout <= 0 {
		r.cfg.Timeout = DefaultTimeout
	}
	return snapshot.New(snapshot.Config{Env: c.Env, Trust: c.Trust, Every: c.Every, Fetch: r.fetch})
}

type repo struct {
	cfg    Config
	client *http.Client

	// Of the last tree; one fetch at a time uses them.
	etag  string  // of its index
	used  []skill // what it shows
	whole bool    // all skills of the index could be read

	mu        sync.Mutex
	kept      map[string][]byte // contents by their hash
	keptBytes int
}

// base returns the URL of the index, or why it is not talked to.
func (c *Config) base() (*url.URL, error) {
	u, err := url.Parse(c.URL)
	switch {
	case err != nil:
		return nil, errors.New("the address is no URL") // the error would repeat it
	case u.User != nil:
		return nil, errors.New("the URL holds a user or a password; send a header instead")
	case u.Hostname() == "" || u.Opaque != "":
		return nil, errors.New("the URL names no host")
	case u.Scheme == "https", u.Scheme == "http" && (c.Plain || loopback(u.Hostname())):
		return u, nil
	case u.Scheme == "http":
		return nil, fmt.Errorf("http to %s: use https, or permit it with Plain", u.Host)
	}
	return nil, fmt.Errorf("the scheme %.20q is not https", u.Scheme)
}

// loopback reports whether a host is this machine by its name alone.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// maxRedirects is how often a request is sent on.
const maxRedirects = 3

// redirect follows to the same host by the same scheme only.
func (r *repo) redirect(req *http.Request, via []*http.Request) error {
	first := via[0].URL
	switch {
	case len(via) > maxRedirects:
		return errors.New("redirected too often")
	case req.URL.Scheme != first.Scheme || !strings.EqualFold(req.URL.Host, first.Host) || req.URL.User != nil:
		return fmt.Errorf("redirected to %.100q, which is another host; not followed", req.URL.Scheme+"://"+req.URL.Host)
	}
	return nil
}

// shown returns a URL for people, without what may be secret in it.
func shown(s string) string {
	u, err := url.Parse(s)
	if err != nil {
		return "?"
	}
	return u.Scheme + "://" + u.Host + u.EscapedPath()
}

// fetch implements the function of a snapshot.
func (r *repo) fetch(ctx context.Context, last *snapshot.Tree) (*snapshot.Tree, error) {
	t, err := r.read(ctx, last)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", shown(r.cfg.URL), err)
	}
	return t, nil
}
