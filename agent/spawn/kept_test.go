package spawn_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/proemhq/proem/agent"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/preset"
	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/tool/plan"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/openaichat"
)

// check checks what holds of every log.
func (h *house) check() {
	t, ctx := h.t, h.t.Context()
	infos, err := h.store.List(ctx)
	filetest.Must(t, err)
	sums := map[string]string{}
	for _, r := range slices.Concat(h.main.Requests(), h.small.Requests()) {
		sums[session.Sum(r.Body)] = string(r.Body)
	}
	total, compacted, kids := 0, 0, 0
	for _, info := range infos {
		a := h.agent
		if strings.Contains(info.ID, "-") {
			child, ok, err := h.spawner.Agent(ctx, info.ID)
			if err != nil || !ok {
				t.Errorf("%s: %v", info.ID, err)
				continue
			}
			a = child
			kids++
		}
		n := 0
		var f session.Folder
		var last kept
		for _, e := range h.log(info.ID) {
			v := f.View()
			filetest.Must(t, f.Add(e))
			last.moved = last.moved || e.Kind == session.Pruned || e.Kind == session.Compacted
			last.fresh = last.fresh || h.refresh == preset.EachStep || e.Kind == session.Prefixed && len(e.Prefix.Sections) > 0
			if e.Message != nil && e.Message.Name == wire.Transient {
				t.Errorf("%s: a reminder is kept", info.ID)
			}
			if e.Kind == session.Compacted {
				compacted++
			}
			if e.Kind != session.Requested {
				continue
			}
			n++
			total++
			r, err := a.Replay(ctx, info.ID, n, h.dialect, openaichat.Dialect)
			if err != nil || !r.Whole {
				t.Errorf("%s@%d: %v\n%s", info.ID, n, err, firstDiff(string(r.Body.JSON), sums[e.Request.Body]))
			}
			last.follow(t, fmt.Sprintf("%s@%d", info.ID, n), r, plan.Parse(stateOf(v)).Active)
			if body := sums[e.Request.Body]; body != "" { // a turn that was broken off may not have sent its last
				h.request(fmt.Sprintf("%s@%d", info.ID, n), body)
			}
		}
		if a != h.agent {
			a.Close()
		}
	}
	t.Logf("%d requests, %d compactions, %d children, chain %v frozen %v refresh %v", total, compacted, kids, h.chain, h.frozen, h.refresh)
}

func stateOf(v session.View) json.RawMessage {
	s, _ := v.State(plan.StateName)
	return s.Value
}

// kept is what a request has to keep of the one before.
type kept struct {
	moved, fresh bool // something says that it may be otherwise
	system       string
	messages     []string
	web          bool
}

var version = regexp.MustCompile(`SKILL-BODY( \d+)?\n`)

func (k *kept) follow(t testing.TB, at string, r agent.Replayed, planning bool) {
	system := ""
	for _, p := range slices.Concat(r.Request.System, r.Request.Instructions) {
		system += "\n\n" + p.Text.String()
	}
	if k.system != "" && system != k.system && !k.fresh {
		t.Errorf("%s: the prefix moved: %s", at, firstDiff(k.system, system))
	}
	var messages []string
	reminder, all, skills := "", "", map[string]int{}
	for i, m := range r.Request.Messages {
		b, err := m.MarshalJSON()
		filetest.Must(t, err)
		text := m.Text().String()
		for _, res := range m.Results() {
			text += res.Text.String()
			for _, v := range version.FindAllString(res.Text.String(), -1) {
				if skills[v]++; skills[v] > 1 {
					t.Errorf("%s: the skill is there twice: %q", at, v)
				}
			}
		}
		if m.Name == wire.Transient {
			if reminder += text; i != len(r.Request.Messages)-1 {
				t.Errorf("%s: a reminder is not the last", at)
			}
			continue
		}
		all += text
		messages = append(messages, string(b))
	}
	if !k.moved && (len(messages) < len(k.messages) || !slices.Equal(messages[:len(k.messages)], k.messages)) {
		t.Errorf("%s: what was sent before is not the beginning", at)
	}
	if got := strings.Count(reminder, "Plan mode is on. Look, ask"); got > 1 || planning != (got == 1) && !strings.Contains(at, "-") { // a subagent has no reminders
		t.Errorf("%s: planning %v, %d reminders", at, planning, got)
	}
	web := strings.Count(all, "WEB-RULE")
	if web > 1 || k.web && web == 0 {
		t.Errorf("%s: the nested document is there %d times", at, web)
	}
	*k = kept{system: system, messages: messages, web: web > 0}
}

// request checks what holds of every request.
func (h *house) request(at, body string) {
	if body == "" {
		h.t.Errorf("%s: what was recorded was not sent", at)
	}
	for _, once := range []string{"Plan mode is on. Look, ask", "Open items of your list", "nested:WEB"} {
		if n := strings.Count(body, once); n > 1 {
			h.t.Errorf("%s: %q is there %d times", at, once, n)
		}
	}
}
