package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/cli/config"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/redact"
	"github.com/proemhq/proem/trace"
	"github.com/proemhq/proem/trace/jsonl"
)

// traceFlags are those by which a command writes a trace.
type traceFlags struct {
	file     string
	contents bool
}

func (f *traceFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.file, "trace", "", "append what is done and how long it takes to this file, a line for each span")
	cmd.Flags().BoolVar(&f.contents, "trace-contents", false, "put messages, arguments and results into the trace too")
}

func (f *traceFlags) check() error {
	if f.contents && f.file == "" {
		return usage(errors.New("--trace-contents says what is in a trace: name its file with --trace"))
	}
	return nil
}

// A traceFile is the file of --trace, which is opened once in a command.
type traceFile struct {
	name string
	file env.File
	sink *jsonl.Sink
}

// tracing returns what an agent is to do about traces.
func (c *command) tracing(b *bench, o options) (agent.Tracing, error) {
	if o.trace.file == "" {
		return agent.Tracing{}, nil
	}
	if c.trace.file == nil {
		path := c.absolute(o.trace.file)
		root, err := b.env.Files.OpenRoot(filepath.Dir(path))
		if err != nil {
			return agent.Tracing{}, err
		}
		defer root.Close()
		f, err := root.OpenFile(filepath.Base(path), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			return agent.Tracing{}, err
		}
		c.trace.name, c.trace.file = o.trace.file, f
		c.trace.sink = &jsonl.Sink{W: f, Resource: c.resource(), Redact: trace.NewRedactor(c.secrets(b.cfg)...)}
	}
	return agent.Tracing{Sink: c.trace.sink, Name: b.agentName, Contents: o.trace.contents}, nil
}

// close closes the file and says if something was not written.
func (t *traceFile) close(c *command) {
	if t.file == nil {
		return
	}
	if err := errors.Join(t.sink.Err(), t.file.Close()); err != nil {
		c.say("warning trace.failed: %s is not whole: %v", t.name, err)
	}
}

// resource says what the spans come from, by the variables that OpenTelemetry
// defines.
func (c *command) resource() []trace.Attr {
	name := c.getenv("OTEL_SERVICE_NAME")
	var more []trace.Attr
	for pair := range strings.SplitSeq(c.getenv("OTEL_RESOURCE_ATTRIBUTES"), ",") {
		key, value, ok := strings.Cut(pair, "=")
		if key = strings.TrimSpace(key); !ok || key == "" {
			continue
		}
		value = strings.TrimSpace(value)
		if plain, err := url.PathUnescape(value); err == nil {
			value = plain
		}
		if key != "service.name" {
			more = append(more, trace.String(key, value))
		} else if name == "" {
			name = value
		}
	}
	if name == "" {
		name = c.app.Name
	}
	return append([]trace.Attr{trace.String("service.name", name)}, more...)
}

// leastSecret is how long a value is that is taken for a secret because of its
// name.
const leastSecret = 8

// secrets returns the values that must not be written or shown: those of variables
// and headers that are credentials by their name, or are used as one.
func (c *command) secrets(cfg config.Config) []string {
	keys := map[string]bool{}
	for _, p := range cfg.Providers {
		keys[p.KeyEnv] = true
	}
	var out []string
	add := func(value string) {
		_, token, _ := strings.Cut(value, " ") // behind "Bearer"
		for _, v := range []string{value, token} {
			if len(v) >= leastSecret {
				out = append(out, v)
			}
		}
	}
	for _, pair := range c.p.Environ {
		name, value, _ := strings.Cut(pair, "=")
		if keys[name] || redact.Name(name) {
			add(value)
		}
		if u, err := url.Parse(value); err == nil && u.User != nil {
			if p, ok := u.User.Password(); ok {
				add(p)
			}
		}
	}
	for _, p := range cfg.Providers {
		for _, h := range p.Headers {
			add(h.Value)
		}
	}
	return out
}

// line returns a line for people, in which nothing moves the cursor and no known
// credential stands.
func (c *command) line(s string) string { return visibleLine(c.hidden.Values(s)) }

// lockSum returns the sum of the project's proem.lock; "": there is none.
func (c *command) lockSum(b *bench, o options) (string, error) {
	if !o.run || !b.trusted {
		return "", nil
	}
	data, err := readFile(b.env, filepath.Join(b.place.root, lockName), maxLock)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), nil
}
