//go:build unix

package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proemhq/proem/providertest"
)

// C87: what prompt shows is what run sends, in every dialect, with and without
// streaming.
func TestPromptShowsWhatRunSends(t *testing.T) {
	for _, tt := range []struct{ dialect, model string }{
		{"openai-chat", "openai:gpt-5"}, {"openai-responses", "openai:gpt-5"}, {"anthropic", "anthropic:claude-sonnet-4-5"},
	} {
		for _, stream := range []string{"", "--no-stream"} {
			t.Run(tt.dialect+stream, func(t *testing.T) {
				s := providertest.New(t, providertest.Config{Script: providertest.Script(t, `
turns:
  - calls: [{tool: read_file, args: {path: AGENTS.md}}]
  - text: "Done."
`)})
				w := newWorld(t, "mkdir -p .git .proem && printf 'Use tabs.\\n' > AGENTS.md && printf 'system_prompt: BASE\\ninstructions: TASK\\n' > .proem/agent.yaml")
				for k, v := range s.Environment() {
					w.env = append(w.env, k+"="+v)
				}
				common := []string{"--model", tt.model, "--set", "dialect=" + tt.dialect, "--trust", "project", "--now", "2026-01-02T03:04:05Z"}
				if stream != "" {
					common = append(common, stream)
				}
				out := w.run(append([]string{"run", "read it"}, common...)...)
				if w.exit != 0 || strings.TrimSpace(out) != "Done." {
					t.Fatalf("run: exit status %d, %q\n%s", w.exit, out, w.err)
				}
				shown := w.run(append([]string{"prompt", "--input", "read it", "--wire", tt.dialect}, common...)...)
				sent := s.Requests()
				if len(sent) != 2 {
					t.Fatalf("%d requests", len(sent))
				}
				if string(sent[0].Body) != shown {
					t.Errorf("sent\n%s\nshown\n%s", sent[0].Body, shown)
				}
				if tt.dialect != "anthropic" && !strings.HasPrefix(string(sent[1].Body), strings.TrimRight(shown, "]}")) {
					t.Errorf("the second request does not begin with the first:\n%s", sent[1].Body)
				}
				if _, err := os.Stat(filepath.Join(w.home, ".local", "state", "proem")); err != nil {
					t.Error("the session was not kept in user state")
				}
			})
		}
	}
}
