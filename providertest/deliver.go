package providertest

import (
	"bytes"
	"net"
	"net/http"
	"time"

	"github.com/proemhq/proem/providertest/internal/reply"
)

// pingEvery is the time between two pings of a host that has stalled.
const pingEvery = 5 * time.Millisecond

// deliver sends a response in pieces, as the faults say.
func (x *exchange) deliver(pieces [][]byte, kind string) {
	stalls := x.faults.find(Stall) != nil
	if stalls && kind == "application/json" {
		pieces = nil
	}
	end := x.ending()
	if end != nil {
		all := bytes.Join(pieces, nil)
		pieces = [][]byte{all[:min(end.N, len(all))]}
	}
	if f := x.faults.find(Chunk); f != nil {
		pieces = chunked(bytes.Join(pieces, nil), max(1, f.N))
	}
	if f := x.faults.find(Split); f != nil {
		all := bytes.Join(pieces, nil)
		n := min(f.N, len(all))
		pieces = [][]byte{all[:n], all[n:]}
	}
	if end != nil && end.N == 0 && end.Kind != Cut {
		x.stop(end.Kind)
		return
	}
	x.header(http.StatusOK, kind)
	flush := http.NewResponseController(x.w)
	for _, p := range pieces {
		if !x.write(p) || flush.Flush() != nil {
			return
		}
	}
	switch {
	case stalls:
		_ = flush.Flush() // a client that is gone is noticed below
		x.stall(kind != "application/json")
	case end != nil && end.Kind != Cut:
		x.stop(end.Kind)
	}
}

// ending returns the fault that ends a response early, or nil.
func (x *exchange) ending() *Fault {
	for _, k := range []FaultKind{Cut, Drop, Reset} {
		if f := x.faults.find(k); f != nil {
			return f
		}
	}
	return nil
}

// chunked cuts bytes into pieces of n.
func chunked(all []byte, n int) [][]byte {
	var out [][]byte
	for len(all) > n {
		out, all = append(out, all[:n]), all[n:]
	}
	return append(out, all)
}

// stop breaks the connection.
func (x *exchange) stop(k FaultKind) {
	if k == Reset {
		if conn, _, err := http.NewResponseController(x.w).Hijack(); err == nil {
			if tcp, ok := conn.(*net.TCPConn); ok {
				_ = tcp.SetLinger(0) // closed below in any case
			}
			conn.Close()
			return
		}
	}
	panic(http.ErrAbortHandler)
}

// stall pings until the client is gone or the test is over.
func (x *exchange) stall(pings bool) {
	tick := time.NewTicker(pingEvery)
	defer tick.Stop()
	flush := http.NewResponseController(x.w)
	for {
		select {
		case <-x.r.Context().Done():
			return
		case <-x.s.done.Done():
			return
		case <-tick.C:
			if pings && (!x.write(reply.Ping(x.protocol)) || flush.Flush() != nil) {
				return
			}
		}
	}
}
