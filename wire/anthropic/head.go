package anthropic

import (
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/wire"
	"github.com/proemhq/proem/wire/internal/dialect"
)

// head writes everything before the messages.
func head(e *dialect.Encoder) error {
	if err := e.ForceOutput(e.Cap.OutputSchema); err != nil {
		return err
	}
	if err := options(e); err != nil {
		return err
	}
	if err := tools(e); err != nil {
		return err
	}
	system(e)
	if err := e.Extra("messages"); err != nil {
		return err
	}
	e.Raw(`,"messages":[`)
	return nil
}

func tools(e *dialect.Encoder) error {
	n := 0
	return e.Tools(func(t *chat.ToolSpec) error {
		e.Raw("{")
		e.ToolHead(t)
		schema, err := inputSchema(e, t)
		if err != nil {
			return err
		}
		e.Raw(`,"input_schema":`)
		e.Value(schema, t.From)
		if e.Strict(t) {
			e.Raw(`,"strict":true`)
		}
		e.ReportStrict(t)
		if n++; n == len(e.Req.Tools) {
			point(e, wire.AfterTools, 0)
		}
		e.Raw("}")
		return nil
	})
}

// inputSchema returns the parameters of a tool. The protocol demands a schema,
// and that it is one of an object.
func inputSchema(e *dialect.Encoder, t *chat.ToolSpec) ([]byte, error) {
	const object = `{"type":"object"`
	if t.Parameters == nil {
		return []byte(object + "}"), nil
	}
	p, err := e.ToolSchema(t)
	if err != nil || hasType(p) {
		return p, err
	}
	if len(p) > len("{}") {
		return wire.CanonicalJSON(append([]byte(object+","), p[1:]...))
	}
	return []byte(object + "}"), nil
}

// point writes the breakpoint that the plan has for a place of the head, if any.
func point(e *dialect.Encoder, place wire.CachePlace, at int) {
	pt := e.Own.(*plan).point(place, at)
	if pt == nil {
		return
	}
	lo := len(e.JSON)
	e.Raw(marker(pt.TTL))
	name := "tools"
	if place == wire.AfterSection {
		name = pt.Section
	}
	e.Breakpoints = append(e.Breakpoints, wire.Breakpoint{Name: name, Lo: lo, Hi: len(e.JSON), TTL: pt.TTL})
}

// system writes the two text channels.
func system(e *dialect.Encoder) {
	sys, ins := e.Channels()
	if len(sys) == 0 && len(ins) == 0 {
		return
	}
	e.Raw(`,"system":[`)
	blocks(e, sys, 0)
	blocks(e, ins, len(e.Req.System))
	e.Raw("]")
	if len(sys) > 0 && len(ins) > 0 {
		e.Lose(prompt.Info, wire.CodeMerged,
			"system text and instructions share one list of blocks: the protocol has one place for both", nil)
	}
}

// blocks writes a text block per section. The separator before a section ends
// the block before it, and a section of white space shares the block of the
// section before it or, at the beginning, of the one after it. First is the index
// of the first section among those of both channels.
func blocks(e *dialect.Encoder, parts []prompt.Part, first int) {
	open, visible, from := false, false, 0
	for i := range parts {
		p := &parts[i]
		if p.Text.Len() == 0 {
			continue
		}
		blank := p.Text.IsBlank()
		if open {
			e.Separator(p.Sep)
			if visible && !blank {
				endBlock(e, first+from, first+i)
				open, visible, from = false, false, i
			}
		}
		if !open {
			e.Next()
			e.Raw(`{"type":"text","text":"`)
			open = true
		}
		e.Text(p.Text)
		visible = visible || !blank
	}
	if open {
		endBlock(e, first+from, first+len(parts))
	}
}

// endBlock closes the block of the sections from lo to hi, with the breakpoint
// that one of them has.
func endBlock(e *dialect.Encoder, lo, hi int) {
	e.Raw(`"`)
	for i := lo; i < hi; i++ {
		point(e, wire.AfterSection, i)
	}
	e.Raw("}")
}
