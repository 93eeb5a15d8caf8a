// Package record stores what goes to a model and comes back, and plays it again
// without a network.
//
// [To] wraps a model. Every send leaves its request and the bytes of its
// responses in a folder:
//
//	model, err := record.To(host, "testdata/run", nil)
//	…run an agent with it…
//
// [From] is a model that answers from the folder. A body that is not, byte for
// byte, the recorded one is an error that says where the first difference is and
// what text it belongs to; the recorded stream goes through the real decoder, and
// a failed attempt that was tried again is failed and tried again, without waiting:
//
//	model, err := record.From("testdata/run", openaichat.Dialect, nil)
//
// The folder holds an index, index.json, the bodies, 0001.request.json, and the
// responses, 0001-1.response for the first attempt. Headers of requests are not
// stored, and a credential that a host repeats in its response is replaced. What
// the prompt says is stored as it is.
package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/wire"
)

// version is that of the index.
const version = 1

const indexName = "index.json"

// An index says what a folder holds.
type index struct {
	Version    int             `json:"version"`
	Dialect    string          `json:"dialect"`
	Capability wire.Capability `json:"capability"`
	Sends      []*send         `json:"sends"`
}

// A send is one use of the model.
type send struct {
	Number   int       `json:"number"`
	Request  string    `json:"request"` // the name of a file
	Attempts []attempt `json:"attempts"`
	// Began and Ended count the begins and ends of all sends, so that those that
	// ran at the same time can be told from those that followed each other.
	Began int `json:"began"`
	Ended int `json:"ended"`

	body []byte
}

// An attempt is a request that went out and what came back.
type attempt struct {
	Status   int               `json:"status,omitempty"` // 0: no response
	Header   map[string]string `json:"header,omitempty"`
	Response string            `json:"response,omitempty"` // the name of a file
	// Failure is how reaching the host, or reading to the end, failed.
	Failure string `json:"failure,omitempty"`
	// Partial: the response was complete for its reader before its end, or nobody
	// wanted the rest.
	Partial bool `json:"partial,omitempty"`

	body []byte
}

// kept are the headers of responses that are stored.
var kept = []string{"Content-Type", "Retry-After", "Retry-After-Ms"}

// cut is the failure of a response that ended inside its body.
const cut = "unexpected EOF"

// left is what a player says who is asked for more than was read.
const left = "the rest of the response was not read"

// A folder is where a recording lies.
type folder struct {
	root env.Root
	ids  env.IDs
}

// write puts a file into the folder: all of it or nothing.
func (f folder) write(name string, data []byte) error {
	temp := f.ids.New("tmp")
	out, err := f.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = out.Write(data)
	if err == nil {
		err = out.Sync()
	}
	if cerr := out.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = f.root.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, f.root.Remove(temp))
	}
	return f.root.SyncDir(".")
}

// maxFile bounds what is read of a recording.
const maxFile = 512 << 20

func (f folder) read(name string) ([]byte, error) {
	in, err := f.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() > maxFile {
		return nil, fmt.Errorf("%s: longer than %d bytes", name, maxFile)
	}
	var out bytes.Buffer
	_, err = out.ReadFrom(in)
	return out.Bytes(), err
}

// load reads a whole recording.
func (f folder) load() (*index, error) {
	raw, err := f.read(indexName)
	if err != nil {
		return nil, err
	}
	var x index
	if err := json.Unmarshal(raw, &x); err != nil {
		return nil, fmt.Errorf("%s: %w", indexName, err)
	}
	if x.Version != version {
		return nil, fmt.Errorf("%s: version %d, this program reads %d", indexName, x.Version, version)
	}
	for _, s := range x.Sends {
		if s == nil || !fs.ValidPath(s.Request) {
			return nil, fmt.Errorf("%s: a send has no request", indexName)
		}
		if s.body, err = f.read(s.Request); err != nil {
			return nil, err
		}
		for i := range s.Attempts {
			if a := &s.Attempts[i]; a.Response != "" {
				if a.body, err = f.read(a.Response); err != nil {
					return nil, err
				}
			}
		}
	}
	return &x, nil
}
