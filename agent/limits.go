package agent

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/session"
)

// The limits that hold when none is given.
const (
	DefaultMaxSteps = 50 // model requests of a turn
	DefaultRepeats  = 5  // of one call in a turn that gets nowhere
)

// Reasons why a turn stops besides those of the model (see wire.StopReason).
const (
	StopSteps     = "max_steps"      // the limit of steps was reached
	StopTime      = "max_time"       // the limit of time
	StopTokens    = "max_tokens"     // the limit of tokens
	StopCost      = "max_cost"       // the limit of cost, or the price of the model is not known
	StopContext   = "context"        // the conversation does not fit into the model's window
	StopLoop      = "loop"           // the same calls had the same results again and again
	StopBlocked   = "blocked"        // a hook refused the input
	StopAnswer    = "invalid_answer" // answers were not in the form that the runtime asks for
	StopAsks      = "asks"           // a person is asked; the turn goes on with the answer
	StopCancelled = "cancelled"      // the context was cancelled or the caller went away
	StopError     = "error"          // Failure says which
)

// Limits bound a turn. Zero values are the defaults; those of time, tokens and
// cost are none.
//
// A limit is looked at before each request and after each answer. The answer is
// kept; its calls are not run, and each has a result that says so. An answer
// that calls nothing ends the turn as usual, whatever it took.
type Limits struct {
	Steps  int           // model requests; 0: DefaultMaxSteps; negative: any number
	Source time.Duration // for one source; 0: source.DefaultTimeout
	// Time is how long a turn may take. A request or tool that runs when it is over
	// is cancelled.
	Time time.Duration
	// Tokens is how many tokens of input and output the answers may take together.
	// What a provider does not report is estimated from the bytes.
	Tokens int
	// Cost is what the answers may cost together, in the currency of Price.
	Cost float64
	// Price returns what an answer of a model cost, and whether that is known. A
	// limit of cost needs it, and a model whose price is not known is not asked
	// under one.
	Price func(model string, u session.Usage) (cost float64, ok bool)
	// Repeats is how often a call may have the same arguments and the same result
	// while nothing else happens but such calls: two calls that take turns are found
	// as well. 0: DefaultRepeats; negative: no limit.
	Repeats int
}

// check completes the limits.
func (l *Limits) check() error {
	switch {
	case l.Steps == 0:
		l.Steps = DefaultMaxSteps
	case l.Steps < 0:
		l.Steps = math.MaxInt - 1 // the loop counts one further
	}
	if l.Repeats == 0 {
		l.Repeats = DefaultRepeats
	}
	if l.Cost > 0 && l.Price == nil {
		return errors.New("a limit of cost needs prices; set Limits.Price")
	}
	if l.Cost != l.Cost {
		return errors.New("the limit of cost is not a number")
	}
	return nil
}

// errTime is the cause of a context that ends with the limit of time.
var errTime = errors.New("the limit of time of the turn")

// A spending is what a turn took so far.
type spending struct {
	began     time.Time
	tokens    int
	estimated bool // some of it
	cost      float64
	unpriced  string // a model whose price is not known
}

// resume takes in what a turn took before it paused. Its answers are priced as the
// model's that goes on with it.
func (s *spending) resume(before session.Spent, price func(string, session.Usage) (float64, bool), model string) {
	for _, n := range []*int{before.Usage.Input, before.Usage.Output} {
		if n != nil {
			s.tokens += *n
		}
	}
	if price != nil {
		s.cost, _ = price(model, before.Usage)
	}
}

// timed bounds a turn's context by the limit of time.
func (l *Limits) timed(ctx context.Context) (context.Context, context.CancelFunc) {
	if l.Time <= 0 {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, l.Time, errTime)
}

// timeOver returns the stop of a turn whose time is over.
func (l *Limits) timeOver() session.Stop {
	return session.Stop{Reason: StopTime, Message: fmt.Sprintf("the turn took %v, which is the limit", l.Time)}
}

// over returns why the turn may not go on with a model, or nil.
func (r *run) over(ctx context.Context, model string) *session.Stop {
	l, s := &r.a.cfg.Limits, &r.spent
	r.bill.settle(s)
	switch {
	case errors.Is(context.Cause(ctx), errTime) || l.Time > 0 && r.a.env.Clock.Now().Sub(s.began) >= l.Time:
		stop := l.timeOver()
		return &stop
	case l.Cost > 0:
		if _, ok := l.Price(model, session.Usage{}); !ok {
			s.unpriced = model
		}
	}
	return l.exceeded(s)
}

// exceeded returns which limit of tokens or cost a spending has reached, or nil.
func (l *Limits) exceeded(s *spending) *session.Stop {
	about := ""
	if s.estimated {
		about = "about "
	}
	switch {
	case l.Tokens > 0 && s.tokens >= l.Tokens:
		return &session.Stop{Reason: StopTokens, Message: fmt.Sprintf("the turn took %s%d tokens, and the limit is %d", about, s.tokens, l.Tokens)}
	case l.Cost > 0 && s.cost >= l.Cost:
		return &session.Stop{Reason: StopCost, Message: fmt.Sprintf("the turn cost %s%.4g, and the limit is %.4g", about, s.cost, l.Cost)}
	case l.Cost > 0 && s.unpriced != "":
		return &session.Stop{Reason: StopCost, Message: fmt.Sprintf("the price of the model %s is not known, so that the limit of cost cannot be kept", s.unpriced)}
	}
	return nil
}

// spend adds what an answer took. It returns a diagnostic the first time that a
// limit rests on an estimate.
func (r *run) spend(model string, sent int, got received) *prompt.Diagnostic {
	l := &r.a.cfg.Limits
	if l.Tokens <= 0 && l.Cost <= 0 {
		return nil
	}
	var u session.Usage
	if got.usage != nil {
		u = *got.usage
	}
	first := !r.spent.estimated
	if u.Input == nil {
		u.Input, r.spent.estimated = estimate(sent), true
	}
	if u.Output == nil {
		u.Output, r.spent.estimated = estimate(size(got.message)), true
	}
	r.spent.tokens += *u.Input + *u.Output
	if l.Cost > 0 {
		cost, ok := l.Price(model, u)
		if !ok {
			r.spent.unpriced = model
		}
		r.spent.cost += cost
	}
	if !first || !r.spent.estimated {
		return nil
	}
	return &prompt.Diagnostic{Severity: prompt.Warning, Code: "usage.estimated",
		Message: fmt.Sprintf("%s does not report all tokens of an answer; the limits of the turn go by an estimate of four bytes to a token", model)}
}

func estimate(bytes int) *int {
	n := (bytes + 3) / 4
	return &n
}
