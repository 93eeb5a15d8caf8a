package token

import "slices"

// An entry is a pair of neighbors that are a token together: from the highest bits
// its id, its length, and where it begins, so that the order of the numbers is the
// order of the merges.
type entry uint64

const (
	entryAtBits  = 32
	entryLenBits = 8
	entryIDShift = entryAtBits + entryLenBits
)

func newEntry(id, at, end int) entry {
	return entry(id)<<entryIDShift | entry(end-at)<<entryAtBits | entry(at)
}

func (e entry) at() int  { return int(e & (1<<entryAtBits - 1)) }
func (e entry) len() int { return int(e >> entryAtBits & (1<<entryLenBits - 1)) }
func (e entry) id() int  { return int(e >> entryIDShift) }

// A queue gives back the entries in order. Merges of one token proceed from left
// to right for the most part, and so do the entries that they add: these are kept
// as runs, lists of one id in rising order, and the heap holds the first of each
// run. It is therefore small for all but contrived texts, and for these the queue
// is still a heap.
type queue struct {
	heap  []run
	nodes []node
	free  uint32 // the first unused node, or 0
	// open holds runs that may go on, by the lowest bits of the id. Which are
	// there, only the time depends on.
	open  [openRuns]openRun
	steps int
}

const openRuns = 512 // a power of two

// A run is a list of entries: the first, and its node.
type run struct {
	first entry
	node  uint32
}

// A node is an entry of a run: where it begins and the next node, or 0.
type node struct{ at, next uint32 }

type openRun struct {
	id   int
	last uint32 // the last node of the run; 0: none is open
}

// reset empties the queue and makes room for n entries.
func (q *queue) reset(n int) {
	q.heap = q.heap[:0]
	q.nodes = append(slices.Grow(q.nodes[:0], n+1), node{}) // so that no node is 0
	q.free = 0
	clear(q.open[:])
}

func (q *queue) push(e entry) {
	n := q.free
	if n != 0 {
		q.free = q.nodes[n].next
	} else {
		n = uint32(len(q.nodes))
		q.nodes = append(q.nodes, node{})
	}
	q.nodes[n] = node{at: uint32(e.at())}
	o := &q.open[e.id()%openRuns]
	if o.last != 0 && o.id == e.id() && q.nodes[o.last].at < uint32(e.at()) {
		q.nodes[o.last].next = n
		o.last = n
		q.steps++
		return
	}
	*o = openRun{e.id(), n}
	q.up(run{e, n})
}

// pop removes the first entry; there is one.
func (q *queue) pop() entry {
	top := q.heap[0]
	next := q.nodes[top.node].next
	if next != 0 {
		at := q.nodes[next].at
		q.heap[0] = run{top.first&^(1<<entryAtBits-1) | entry(at), next}
	} else {
		if o := &q.open[top.first.id()%openRuns]; o.last == top.node {
			*o = openRun{}
		}
		last := len(q.heap) - 1
		q.heap[0] = q.heap[last]
		q.heap = q.heap[:last]
	}
	q.nodes[top.node].next = q.free
	q.free = top.node
	q.down()
	return top.first
}

// up adds a run to the heap.
func (q *queue) up(r run) {
	q.heap = append(q.heap, r)
	i := len(q.heap) - 1
	for i > 0 {
		q.steps++
		parent := (i - 1) / 2
		if q.heap[parent].first <= r.first {
			break
		}
		q.heap[i] = q.heap[parent]
		i = parent
	}
	q.heap[i] = r
}

// down moves the run at the top of the heap to its place.
func (q *queue) down() {
	h := q.heap
	if len(h) == 0 {
		return
	}
	r, i := h[0], 0
	for {
		q.steps++
		child := 2*i + 1
		if child >= len(h) {
			break
		}
		if child+1 < len(h) && h[child+1].first < h[child].first {
			child++
		}
		if h[child].first >= r.first {
			break
		}
		h[i] = h[child]
		i = child
	}
	h[i] = r
}
