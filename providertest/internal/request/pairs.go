package request

import "slices"

// An entry is something of the conversation that matters to the pairing of calls
// and results.
type entry struct {
	kind     entryKind
	id, name string
	path     string
}

type entryKind uint8

const (
	turn   entryKind = iota // somebody speaks
	say                     // the assistant speaks beside its calls
	call                    // a tool call
	result                  // the result of one
)

// pair checks that every call has exactly one result, before anything else is
// said, and that every result has its call.
func (c *checker) pair() {
	var open, done []entry
	close := func(at entry) {
		for _, e := range open {
			c.fail(e.path, "the call %q has no result before %s", e.id, at.path)
		}
		open, done = nil, nil
	}
	for _, e := range c.said {
		has := func(o entry) bool { return o.id == e.id }
		switch e.kind {
		case turn:
			close(e)
		case say:
			if len(done) > 0 {
				close(e)
			}
		case call:
			c.Calls++
			if len(done) > 0 {
				close(e)
			}
			if slices.ContainsFunc(open, has) {
				c.fail(e.path, "two calls of one turn have the id %q", e.id)
			}
			if !slices.Contains(c.Tools, e.name) && !slices.Contains(c.rules.Tools, e.name) {
				c.fail(e.path, "the call %q is of tool %q, which the request does not have", e.id, e.name)
			}
			open = append(open, e)
		case result:
			c.Results++
			switch i := slices.IndexFunc(open, has); {
			case i >= 0:
				done = append(done, open[i])
				open = slices.Delete(open, i, i+1)
			case slices.ContainsFunc(done, has):
				c.fail(e.path, "a second result of the call %q", e.id)
			default:
				c.fail(e.path, "the result of %q follows no such call", e.id)
			}
		}
	}
	close(entry{path: "the end"})
}

func (c *checker) say(k entryKind, path string) { c.said = append(c.said, entry{kind: k, path: path}) }

func (c *checker) called(path, id, name string) {
	c.said = append(c.said, entry{call, id, name, path})
}

func (c *checker) answered(path, id string) {
	c.said = append(c.said, entry{kind: result, id: id, path: path})
}
