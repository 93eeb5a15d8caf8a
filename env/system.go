package env

import (
	"net/http"
	"sync"
)

// System returns the operating system's doors, without failpoints and counters.
func System() *Env {
	return &Env{Clock: systemClock{}, IDs: systemIDs{}, Rand: systemRand{}, Files: systemFiles{}, Net: systemNet()}
}

// OrSystem returns an Env in which no door is nil: that of e, or else the
// operating system's. Its doors ask e.Fail and tell e.Count. The argument may be
// nil and is not changed. Calling OrSystem on its own result is cheap and
// changes nothing.
func OrSystem(e *Env) *Env {
	full := System()
	if e == nil {
		return full
	}
	full.Fail, full.Count = e.Fail, e.Count
	if e.Clock != nil {
		full.Clock = e.Clock
	}
	if e.IDs != nil {
		full.IDs = e.IDs
	}
	if e.Rand != nil {
		full.Rand = e.Rand
	}
	if e.Files != nil {
		full.Files = e.Files
	}
	if e.Net != nil {
		full.Net = e.Net
	}
	full.guard()
	return full
}

// guard puts the failpoints and counters before the doors, once.
func (e *Env) guard() {
	if f, ok := e.Files.(guardedFiles); ok {
		e.Files = f.inner
	}
	if c, ok := e.Clock.(guardedClock); ok {
		e.Clock = c.Clock
	}
	if n, ok := e.Net.(guardedNet); ok {
		e.Net = n.inner
	}
	if e.Fail != nil || e.Count != nil {
		e.Files = guardedFiles{e.Files, gate{e.Fail, e.Count}}
	}
	if e.Fail != nil {
		e.Clock = guardedClock{e.Clock, e.Fail}
		e.Net = guardedNet{e.Net, e.Fail}
	}
}

// Process is called before a process is started: it counts it and asks the
// failpoints. A returned error means that the process must not be started.
func (e *Env) Process(name string) error {
	if err := e.Fail.Hit(EffectProcess, name); err != nil {
		return err
	}
	if e.Count != nil {
		e.Count.Processes.Add(1)
	}
	return nil
}

// systemNet is one transport for all, so that connections are shared.
var systemNet = sync.OnceValue(func() http.RoundTripper {
	if t, ok := http.DefaultTransport.(*http.Transport); ok {
		return t.Clone()
	}
	return http.DefaultTransport
})
