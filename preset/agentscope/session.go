package agentscope

import (
	"context"
	"strings"
	"time"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/internal/frontmatter"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
)

// A Session says what the prompt tells of the session it is for. Empty fields are
// left out.
type Session struct {
	Env       *env.Env       // whose clock; nil: the operating system's
	Zone      *time.Location // of the date; nil: UTC
	Name      string         // of the agent; empty: HarnessAgent
	OS        string         // name and version
	Workspace string         // absolute
	TempDir   string
	NoDate    bool // leave out the date
	NoID      bool // leave out the session's id
	// Memory is what is known of the environment, as it is to be shown.
	Memory string
}

// read returns the section. The session's id is that of the request.
func (s *Session) read(ctx context.Context, _ source.Query) (prompt.Fact, error) {
	id := tool.Session(ctx)
	if s.NoID {
		id = ""
	}
	return prompt.Fact{Text: s.text(env.OrSystem(s.Env).Clock.Now(), id), Class: prompt.Session}, nil
}

func (s *Session) text(now time.Time, id string) string {
	zone := s.Zone
	if zone == nil {
		zone = time.UTC
	}
	name := frontmatter.OneLine(s.Name)
	if name == "" {
		name = "HarnessAgent"
	}
	var b strings.Builder
	b.WriteString("## AgentStateStore Context\n")
	line := func(what, value string) {
		if value = frontmatter.OneLine(value); value != "" {
			b.WriteString("\n" + what + ": " + value)
		}
	}
	line("Agent", name)
	if !s.NoDate {
		line("Date", now.In(zone).Format("Monday Jan 2, 2006"))
	}
	line("Operating system", s.OS)
	line("Workspace", s.Workspace)
	line("Temporary directory", s.TempDir)
	line("AgentStateStore ID", id)
	if strings.TrimSpace(s.Memory) != "" {
		b.WriteString("\n\n" + s.Memory)
	}
	return escaped(b.String(), nil)
}

// escaped returns the text with tags of the format escaped.
func escaped(s string, more []string) string {
	return rewrite(span.Of(s, nil), tags(s, more)).String()
}
