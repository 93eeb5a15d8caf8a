package cli

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/wire"
)

// A modelRow is a line of `proem models`.
type modelRow struct {
	Provider   string          `json:"provider"`
	BaseURL    string          `json:"baseURL"`
	Dialect    string          `json:"dialect"`
	Key        string          `json:"key"`    // the variable that holds it; never the key
	State      string          `json:"state"`  // "answers", "no key", "no answer: …"
	Models     []string        `json:"models"` // at most a few
	Count      int             `json:"count"`
	Capability wire.Capability `json:"capability"` // of the first model
}

func (c *command) modelsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "models",
		Short: "List providers and local servers that answer, with what is known of them",
		Long: "Asks every provider for which a key is set, every configured one, and the local servers on their usual ports for\n" +
			"their models. Keys are never printed.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			b := &bench{}
			machine := *c.p.Env
			b.env = env.OrSystem(&machine)
			if err := c.configure(b, options{}); err != nil {
				return err
			}
			rows := c.modelRows(cmd.Context(), b)
			if c.flags.json {
				return c.printJSON(rows)
			}
			cells := [][]string{{"provider", "base URL", "dialect", "key", "state", "models", "capabilities"}}
			for _, r := range rows {
				names := strings.Join(r.Models, ", ")
				if more := r.Count - len(r.Models); more > 0 {
					names += fmt.Sprintf(" and %d more", more)
				}
				cells = append(cells, []string{r.Provider, visibleLine(r.BaseURL), r.Dialect, r.Key, visibleLine(r.State), visibleLine(names), abilities(r.Capability)})
			}
			for i, line := range table(cells, len(cells[0])) {
				if i == 0 {
					line = c.paint("1", line)
				}
				fmt.Fprintln(c.p.Stdout, line)
			}
			return nil
		},
	}
}

// modelRows asks everybody who may answer.
func (c *command) modelRows(ctx context.Context, b *bench) []modelRow {
	rows := []modelRow{}
	seen := map[string]bool{}
	for _, h := range hosts {
		if h.name == "scripted" || h.name == "openai-compatible" {
			continue
		}
		r := modelRow{Provider: h.name, BaseURL: h.baseURL, Dialect: h.dialect, Key: h.key, Models: []string{}}
		if v := c.getenv(h.base); h.base != "" && v != "" {
			r.BaseURL = baseURL(h.name, v)
		}
		seen[r.BaseURL] = true
		rows = append(rows, c.askHost(ctx, b, r, nil))
	}
	for _, p := range b.cfg.Providers {
		r := modelRow{Provider: p.Name, BaseURL: p.BaseURL, Dialect: p.Dialect, Key: p.KeyEnv, Models: []string{}}
		if r.BaseURL == "" {
			continue
		}
		seen[r.BaseURL] = true
		rows = append(rows, c.askHost(ctx, b, r, headers(p)))
	}
	for _, l := range locals {
		if !seen[l.baseURL] {
			r := c.askHost(ctx, b, modelRow{Provider: "openai-compatible", BaseURL: l.baseURL, Dialect: protocols[0].Name, Models: []string{}}, nil)
			r.Provider += " (" + l.name + ")"
			rows = append(rows, r)
		}
	}
	return rows
}

// shownModels is how many names a row shows.
const shownModels = 4

// askHost asks one provider for its models.
func (c *command) askHost(ctx context.Context, b *bench, r modelRow, extra map[string]string) modelRow {
	if r.Dialect == "" {
		r.Dialect = protocols[0].Name
	}
	r.Capability = capability(r.Provider, r.BaseURL, "")
	key := ""
	if r.Key != "" {
		if key = c.getenv(r.Key); key == "" {
			r.State = "no key: " + r.Key + " is not set"
			return r
		}
	}
	names, err := listModels(ctx, b.env, r, key, extra)
	if err != nil {
		r.State = "no answer: " + withoutKeys(err.Error(), key, extra)
		return r
	}
	r.State, r.Count = "answers", len(names)
	for _, name := range names[:min(len(names), shownModels)] {
		r.Models = append(r.Models, withoutKeys(name, key, extra))
	}
	first := ""
	if len(names) > 0 {
		first = names[0]
	}
	r.Capability = capability(r.Provider, r.BaseURL, first)
	return r
}

// withoutKeys replaces what was sent as a credential in what a server says.
func withoutKeys(s, key string, headers map[string]string) string {
	secrets := []string{key}
	for _, v := range headers {
		_, token, _ := strings.Cut(v, " ")
		secrets = append(secrets, v, token)
	}
	// The longest first: one may be part of another.
	slices.SortFunc(secrets, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	for _, secret := range secrets {
		if len(secret) >= 8 {
			s = strings.ReplaceAll(s, secret, "[redacted]")
		}
	}
	return s
}

func listModels(ctx context.Context, e *env.Env, r modelRow, key string, extra map[string]string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	path := "/models"
	d, err := protocol(r.Dialect)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(d.Path, "/v1/") { // its base URL has no version
		path = "/v1/models"
	}
	h := http.Header{}
	if key != "" {
		if d.KeyHeader != "" {
			h.Set(d.KeyHeader, key)
		} else {
			h.Set("Authorization", "Bearer "+key)
		}
	}
	for k, v := range d.Headers {
		h.Set(k, v)
	}
	for k, v := range extra {
		h.Set(k, v)
	}
	return modelNames(ctx, e, strings.TrimSuffix(r.BaseURL, "/")+path, h)
}

// abilities says in short what a capability record allows.
func abilities(c wire.Capability) string {
	if c.Source == "" {
		return "nothing is known: the strictest form"
	}
	var out []string
	for _, a := range []struct {
		has  bool
		name string
	}{
		{c.ManySystem, "several system messages"}, {c.Images, "images"}, {c.Parallel, "parallel calls"}, {c.Reasoning, "reasoning effort"},
		{c.CacheKey, "cache key"}, {c.StrictTools, "strict tools"},
	} {
		if a.has {
			out = append(out, a.name)
		}
	}
	if c.Window > 0 {
		out = append(out, fmt.Sprintf("%d tokens of context", c.Window))
	}
	return strings.Join(out, ", ")
}
