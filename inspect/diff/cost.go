package diff

// Rates are what a model's input costs per million tokens; nil: not known.
type Rates struct {
	Input  *float64 // input that is not cached
	Cached *float64 // input read from the provider's cache
}

// A Cost is the difference in money.
type Cost struct {
	A float64 `json:"a"` // one request, nothing cached
	B float64 `json:"b"`
	// Lost is what it costs, once, that the tokens in [Cache] are read anew and not
	// from the cache; nil: a rate is not known.
	Lost *float64 `json:"lost"`
}

// costOf prices a report; nil: the input of a side has no price.
func costOf(r Report, a, b Rates) *Cost {
	if a.Input == nil || b.Input == nil {
		return nil
	}
	const million = 1e6
	c := &Cost{A: float64(r.Tokens.A) * *a.Input / million, B: float64(r.Tokens.B) * *b.Input / million}
	if b.Cached != nil {
		lost := float64(r.Cache.Lost) * (*b.Input - *b.Cached) / million
		c.Lost = &lost
	}
	return c
}
