package cli

import (
	"context"
	"slices"
	"strings"

	"github.com/proemhq/proem/session"
)

// families puts the sessions of subagents behind those that began them.
func families(rows []sessionRow) []sessionRow {
	below := map[string][]sessionRow{}
	known := map[string]bool{}
	for _, r := range rows {
		known[r.ID] = true
	}
	out := make([]sessionRow, 0, len(rows))
	for _, r := range rows {
		if r.Parent != "" && known[r.Parent] && r.Parent != r.ID {
			below[r.Parent] = append(below[r.Parent], r)
		}
	}
	var add func(r sessionRow)
	add = func(r sessionRow) {
		out = append(out, r)
		children := below[r.ID]
		delete(below, r.ID)
		slices.SortStableFunc(children, func(a, b sessionRow) int { return byNumber(a.ID, b.ID) })
		for _, child := range children {
			add(child)
		}
	}
	for _, r := range rows {
		if r.Parent == "" || !known[r.Parent] || r.Parent == r.ID {
			add(r)
		}
	}
	for _, r := range rows { // those that are each other's, which only a forger makes
		out = append(out, below[r.Parent]...)
		delete(below, r.Parent)
	}
	return out
}

// byNumber compares ids of children: shorter numbers are smaller.
func byNumber(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// withChildren returns sessions together with those of their subagents.
func (r recorded) withChildren(ctx context.Context, infos []session.Info) ([]session.Info, error) {
	all, err := r.list(ctx)
	if err != nil {
		return nil, err
	}
	has := map[string]bool{}
	for _, i := range infos {
		has[i.ID] = true
	}
	slices.SortFunc(all, func(a, b session.Info) int { return byNumber(a.ID, b.ID) }) // parents have shorter ids
	for _, i := range all {
		up := strings.LastIndexByte(i.ID, '-')
		if up < 0 || has[i.ID] || !has[i.ID[:up]] {
			continue
		}
		p, err := parentOf(ctx, r.store, i.ID)
		if err != nil {
			return nil, err
		}
		if p != nil && p.Session == i.ID[:up] {
			has[i.ID] = true
			infos = append(infos, i)
		}
	}
	return infos, nil
}
