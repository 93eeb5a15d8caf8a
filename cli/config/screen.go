package config

import "github.com/goccy/go-yaml/token"

// screen refuses, before anything is built, what makes a small text a large or a
// strange value: anchors, aliases, merges, tags, directives, deep nesting.
func (r *reader) screen(tokens token.Tokens) bool {
	if len(tokens) > maxTokens {
		r.fault(tokens[maxTokens].Position, "more than %d words and signs", maxTokens)
		return false
	}
	depth, dashes, line := 0, 0, 0
	for _, t := range tokens {
		if t.Position.Line != line {
			line, dashes = t.Position.Line, 0
		}
		switch t.Type {
		case token.InvalidType:
			r.fault(t.Position, "%s", t.Error)
			return false
		case token.AnchorType:
			r.fault(t.Position, "anchors are not supported; quote a text that begins with &")
		case token.AliasType:
			r.fault(t.Position, "aliases are not supported; quote a text that begins with *")
		case token.MergeKeyType:
			r.fault(t.Position, "merge keys are not supported")
		case token.TagType:
			r.fault(t.Position, "tags are not supported; quote a text that begins with !")
		case token.DirectiveType:
			r.fault(t.Position, "directives are not supported; quote a text that begins with %%")
		case token.SequenceStartType, token.MappingStartType:
			depth++
		case token.SequenceEndType, token.MappingEndType:
			depth--
		case token.SequenceEntryType, token.MappingKeyType:
			dashes++
		}
		if depth > maxDepth || dashes > maxDepth {
			r.fault(t.Position, "nested deeper than %d", maxDepth)
			return false
		}
	}
	return len(r.faults) == 0
}
