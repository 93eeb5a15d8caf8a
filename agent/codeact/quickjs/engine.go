package quickjs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/proemhq/proem/agent/codeact"
	"github.com/proemhq/proem/agent/codeact/internal/frame"
)

// An Engine runs JavaScript. The zero value is ready for use, in a program that
// calls [Main].
type Engine struct {
	_ struct{} // for options to come
}

var _ codeact.Engine = Engine{}

// globals are what the language has under a name already. A tool of such a name takes
// nothing away from code: it is called by callTool.
const globals = "AggregateError Array ArrayBuffer Atomics BigInt BigInt64Array BigUint64Array Boolean DataView Date Error EvalError " +
	"FinalizationRegistry Float16Array Float32Array Float64Array Function Infinity Int16Array Int32Array Int8Array InternalError Iterator " +
	"JSON Map Math NaN Number Object Promise Proxy RangeError ReferenceError Reflect RegExp Set SharedArrayBuffer String Symbol SyntaxError " +
	"TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet callTool console decodeURI " +
	"decodeURIComponent encodeURI encodeURIComponent escape globalThis isFinite isNaN parseFloat parseInt performance print undefined unescape " +
	"constructor hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString toString valueOf __codeact_result __defineGetter__ " +
	"__defineSetter__ __lookupGetter__ __lookupSetter__ __proto__"

// reserved are the words of the language that are no names of functions.
const reserved = "arguments await break case catch class const continue debugger default delete do else enum eval export extends false " +
	"finally for function if implements import in instanceof interface let new null package private protected public return " +
	"static super switch this throw true try typeof var void while with yield"

// guide is how code is written.
const guide = `The code is the body of an async JavaScript function (ES2023). What it returns, as JSON, is its result; console.log prints.
Each tool is an async function of one object: await NAME({…}), or await callTool("NAME", {…}). It returns text, or a value where its text is a JSON object or array, and throws an Error if the tool fails. Tools that do not depend on each other run together with Promise.all.
Nothing else reaches outside: there are no modules, files, network, timers or DOM. The clock stands still.`

// Language implements [codeact.Engine].
func (Engine) Language() codeact.Language {
	return codeact.Language{Name: "js", Aliases: []string{"javascript", "JavaScript", "JS", "ecmascript"}, Reserved: strings.Fields(reserved + " " + globals), Guide: guide}
}

// maxCalls is how many calls may be made at once, allowed or not.
const maxCalls = 10_000

// Run implements [codeact.Engine].
func (Engine) Run(ctx context.Context, s codeact.Script, call codeact.CallFunc) (codeact.Result, error) {
	if !ready.Load() {
		return codeact.Result{}, errors.New("quickjs: the program does not call quickjs.Main; call it first in main, or in TestMain")
	}
	if err := ctx.Err(); err != nil {
		return codeact.Result{}, err
	}
	p, err := start()
	if err != nil {
		return codeact.Result{}, fmt.Errorf("quickjs: %w", err)
	}
	defer p.end()
	defer context.AfterFunc(ctx, p.kill)()
	w := &watch{left: s.Limits.Time, kill: p.kill}
	r := running{process: p, watch: w, limits: s.Limits, call: call}
	result, err := r.talk(ctx, frame.Start{
		Source: s.Source, Tools: s.Tools, Now: s.Now.UnixMilli(), Seed: uint32(s.Seed) ^ uint32(s.Seed>>32),
		Memory: s.Limits.Memory, Output: s.Limits.Output, CPU: int(s.Limits.Time/time.Second) + 2,
	})
	if err == nil {
		return result, nil
	}
	if r.called != nil {
		return codeact.Result{}, r.called
	}
	if ctx.Err() != nil {
		return codeact.Result{}, ctx.Err()
	}
	result.Stdout, result.Value = r.out.String(), nil
	switch p.end(); {
	case w.over.Load():
		result.Error = fmt.Sprintf("the code was ended: it computed for %v, which is the limit", s.Limits.Time)
	case r.flood:
		result.Error = fmt.Sprintf("the code was ended: it printed more than %d bytes", s.Limits.Output)
	default:
		result.Error = fmt.Sprintf("the code was ended (%s); most likely it used more memory than the limit of %d bytes, or more time", p.how(err), s.Limits.Memory)
	}
	return result, nil
}

// A running is a conversation with a process.
type running struct {
	process *process
	watch   *watch
	limits  codeact.Limits
	call    codeact.CallFunc
	out     strings.Builder
	flood   bool
	called  error // of call
}

// talk sends the code and answers what the process asks, up to the result. An error
// is of the conversation: the process has died or is not to be believed.
func (r *running) talk(ctx context.Context, s frame.Start) (codeact.Result, error) {
	r.watch.begin()
	defer r.watch.pause()
	if err := frame.Write(r.process.in, s); err != nil {
		return codeact.Result{}, err
	}
	for {
		f, err := frame.ReadFromCode(r.process.out)
		switch {
		case err != nil:
			return codeact.Result{}, err
		case f.Out != nil:
			if r.out.WriteString(*f.Out); r.out.Len() > 2*r.limits.Output+1024 {
				r.flood = true
				r.process.kill()
				return codeact.Result{}, errors.New("too much output")
			}
		case f.Done != nil:
			result := codeact.Result{Stdout: r.out.String(), Error: f.Done.Error}
			if f.Done.Value != nil && f.Done.Error == "" {
				result.Value = json.RawMessage(*f.Done.Value)
			}
			return result, nil
		default:
			if err := r.reply(ctx, f.Calls); err != nil {
				return codeact.Result{}, err
			}
		}
	}
}

// reply makes calls and sends what they return.
func (r *running) reply(ctx context.Context, asked []frame.Call) error {
	if len(asked) > maxCalls {
		return fmt.Errorf("%d calls at once", len(asked))
	}
	calls := make([]codeact.Call, len(asked))
	for i, c := range asked {
		calls[i] = codeact.Call{Name: c.Name, Args: json.RawMessage(c.Args)}
	}
	r.watch.pause()
	replies, err := r.call(ctx, calls)
	if err == nil && len(replies) != len(calls) {
		err = fmt.Errorf("quickjs: %d replies to %d calls", len(replies), len(calls))
	}
	if err != nil {
		r.called = err
		return err
	}
	r.watch.begin()
	for _, reply := range replies {
		if err := frame.Write(r.process.in, frame.Reply(reply)); err != nil {
			return err
		}
	}
	return nil
}

// A watch ends a process that has computed long enough.
type watch struct {
	left  time.Duration
	kill  func()
	over  atomic.Bool
	since time.Time
	timer *time.Timer
}

// begin lets the time pass.
func (w *watch) begin() {
	w.since = time.Now()
	w.timer = time.AfterFunc(max(w.left, time.Millisecond), func() { w.over.Store(true); w.kill() })
}

// pause stops it.
func (w *watch) pause() {
	if w.timer != nil {
		w.timer.Stop()
		w.left -= time.Since(w.since)
		w.timer = nil
	}
}
