package record

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net/http"
	"sync"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/provider"
	"github.com/proemhq/proem/wire"
)

// A Recorder is a model that records. It may be used concurrently.
type Recorder struct {
	model   provider.Model // with the transport that records
	dialect wire.Dialect
	cap     wire.Capability
	folder  folder

	mu    sync.Mutex
	index index
	began int // sends
	clock int // begins and ends
}

// To returns the model with a recording of all it does in a folder, which is
// created. The folder must not hold a recording already. The model must be a
// [provider.Transported], as provider.HTTP is. E is the machine whose files are
// written; nil: the operating system.
func To(model provider.Model, dir string, e *env.Env) (*Recorder, error) {
	host, ok := model.(provider.Transported)
	if !ok {
		return nil, fmt.Errorf("record: a model of type %T has no bytes to record: it is not reached over HTTP", model)
	}
	e = env.OrSystem(e)
	root, err := open(e, dir)
	if err != nil {
		return nil, fmt.Errorf("record: %w", err)
	}
	r := &Recorder{folder: folder{root, e.IDs}, dialect: host.Protocol(), index: index{Version: version, Dialect: host.Protocol().Name}}
	if m, ok := model.(provider.Informer); ok {
		r.cap = m.Capability()
		r.index.Capability = r.cap
	}
	r.model = host.Via(func(inner http.RoundTripper) http.RoundTripper { return tap{inner} })
	return r, nil
}

// open opens a folder that holds no recording.
func open(e *env.Env, dir string) (env.Root, error) {
	if err := e.Files.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	root, err := e.Files.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	if _, err = root.Stat(indexName); err == nil {
		err = fmt.Errorf("%s holds a recording already", dir)
	} else if errors.Is(err, fs.ErrNotExist) {
		return root, nil
	}
	return nil, errors.Join(err, root.Close())
}

// Close releases the folder. What was recorded stays.
func (r *Recorder) Close() error { return r.folder.root.Close() }

// Capability implements [provider.Informer].
func (r *Recorder) Capability() wire.Capability { return r.cap }

// Protocol implements [provider.Speaker].
func (r *Recorder) Protocol() wire.Dialect { return r.dialect }

// Encode implements [provider.Model].
func (r *Recorder) Encode(prev *wire.Body, q wire.Request) (wire.Body, error) {
	return r.model.Encode(prev, q)
}

type key struct{}

// Send implements [provider.Model]. If what happened cannot be stored, the last
// value is an error that says so.
func (r *Recorder) Send(ctx context.Context, b wire.Body) iter.Seq2[wire.Event, error] {
	return func(yield func(wire.Event, error) bool) {
		t := &taken{}
		number, began := r.begin()
		wanted := true
		var failed error
		for ev, err := range r.model.Send(context.WithValue(ctx, key{}, t), b) {
			if err != nil {
				failed = err
				break
			}
			if wanted = yield(ev, nil); !wanted {
				break
			}
		}
		err := r.end(number, began, b.JSON, t)
		if err = errors.Join(failed, err); err != nil && wanted {
			yield(wire.Event{}, err)
		}
	}
}

func (r *Recorder) begin() (number, began int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.began++
	r.clock++
	return r.began, r.clock
}

// end stores a send: first its parts, then the index that names them.
func (r *Recorder) end(number, began int, body []byte, t *taken) error {
	attempts, keys := t.done()
	for _, s := range keys {
		if bytes.Contains(body, []byte(s)) {
			return errors.New("record: the request holds the credential of the endpoint, and is not stored")
		}
	}
	s := &send{Number: number, Began: began, Request: fmt.Sprintf("%04d.request.json", number), Attempts: attempts}
	if err := r.folder.write(s.Request, body); err != nil {
		return fmt.Errorf("record: %w", err)
	}
	for i := range s.Attempts {
		a := &s.Attempts[i]
		if a.Status == 0 {
			continue
		}
		a.Response = fmt.Sprintf("%04d-%d.response", number, i+1)
		if err := r.folder.write(a.Response, a.body); err != nil {
			return fmt.Errorf("record: %w", err)
		}
		a.body = nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.clock++
	s.Ended = r.clock
	r.index.insert(s)
	raw, err := json.MarshalIndent(r.index, "", "  ")
	if err == nil {
		err = r.folder.write(indexName, append(raw, '\n'))
	}
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	return nil
}

// insert keeps the sends in the order in which they began.
func (x *index) insert(s *send) {
	i := len(x.Sends)
	for i > 0 && x.Sends[i-1].Number > s.Number {
		i--
	}
	x.Sends = append(x.Sends[:i], append([]*send{s}, x.Sends[i:]...)...)
}
