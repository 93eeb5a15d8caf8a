package registry

import "slices"

type listener struct{ f func() error }

// OnChange calls f after every registration and every disposal, in the
// goroutine that made it and after the registry is in its new state: k times for
// the disposal of a scope with k registrations. f may use the registry.
//
// An error of f at a registration takes the registration back and is returned to
// whoever registered; at a disposal it is ignored. Listeners are called in the
// order in which they were added, each even if an earlier one failed; the first
// error counts. The returned function removes f.
func (r *Registry) OnChange(f func() error) (remove func()) {
	l := &listener{f}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.listeners = append(slices.Clone(r.listeners), l)
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if i := slices.Index(r.listeners, l); i >= 0 {
			r.listeners = without(r.listeners, i)
		}
	}
}

func (r *Registry) announce() error {
	r.mu.Lock()
	listeners := r.listeners
	r.mu.Unlock()
	var first error
	for _, l := range listeners {
		if err := l.f(); err != nil && first == nil {
			first = err
		}
	}
	return first
}

// Changes returns a channel that holds a value whenever something changed since
// the last receive: many changes in a row are one value. stop ends it.
func (r *Registry) Changes() (changed <-chan struct{}, stop func()) {
	c := make(chan struct{}, 1)
	stop = r.OnChange(func() error {
		select {
		case c <- struct{}{}:
		default: // one is waiting already
		}
		return nil
	})
	return c, stop
}
