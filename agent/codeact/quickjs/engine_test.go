package quickjs_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/proemhq/proem/agent/codeact"
	"github.com/proemhq/proem/agent/codeact/quickjs"
)

func TestMain(m *testing.M) {
	quickjs.Main()
	os.Exit(m.Run())
}

var limits = codeact.Limits{Time: 2 * time.Second, Memory: 32 << 20, Output: 1 << 10, Calls: 10}

// echo is a tool that returns its arguments, and fails where they say so.
func echo(_ context.Context, calls []codeact.Call) ([]codeact.Reply, error) {
	out := make([]codeact.Reply, len(calls))
	for i, c := range calls {
		if strings.Contains(string(c.Args), "fail") {
			out[i].Error = c.Name + " failed"
			continue
		}
		out[i].Value = c.Args
	}
	return out, nil
}

func run(t testing.TB, source string, call codeact.CallFunc) codeact.Result {
	t.Helper()
	r, err := quickjs.Engine{}.Run(t.Context(), script(source), call)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func script(source string) codeact.Script {
	return codeact.Script{Source: source, Tools: []string{"echo", "other-one"}, Now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Seed: 7, Limits: limits}
}

func TestRun(t *testing.T) {
	for _, c := range []struct{ source, value, stdout, fault string }{
		{`return 1+1`, "2", "", ""},
		{`return {a:[1,"é\u2028"]}`, "{\"a\":[1,\"é\u2028\"]}", "", ""},
		{`1+1`, "", "", ""},
		{`__codeact_result = "set"`, `"set"`, "", ""},
		{`console.log("a", 1, {b:2}, undefined, [null], 5n, new TypeError("x")); print("c")`, "", "a 1 {\"b\":2} undefined [null] 5 TypeError: x\nc\n", ""},
		{`return await echo({x:1})`, `{"x":1}`, "", ""},
		{`return await callTool("other-one", {y:"z"})`, `{"y":"z"}`, "", ""},
		{`return await echo()`, `{}`, "", ""},
		{`return echo({x:1})`, `{"x":1}`, "", ""},
		{`try { await echo({fail:1}) } catch (e) { return e.message + (e instanceof Error) }`, `"echo failedtrue"`, "", ""},
		{`await echo({fail:1})`, "", "", "Error: echo failed"},
		{`echo({fail:1}); return 1`, "1", "[the call of echo, for which the code did not wait, failed: echo failed]\n", ""},
		{`const r = await Promise.allSettled([echo({a:1}), echo({fail:1})]); return r.map(x => x.status)`, `["fulfilled","rejected"]`, "", ""},
		{`throw new RangeError("far")`, "", "", "RangeError: far"},
		{`throw {code: 3}`, "", "", `thrown: {"code":3}`},
		{`throw undefined`, "", "", "thrown: undefined"},
		{`return (`, "", "", "SyntaxError"},
		{`})(); return 1; (async () => {`, "", "", "SyntaxError"},
		{`return 5n`, "", "", "the result is no JSON"},
		{`const a = {}; a.a = a; return a`, "", "", "the result is no JSON"},
		{`await new Promise(() => {})`, "", "", "never comes"},
		{`await echo(() => 1)`, "", "", "are no JSON"},
		{`return [new Date().toISOString(), Date.now(), new Date(0).getTime(), typeof Date(), new Date() instanceof Date, new (new Date().constructor)().getTime()]`,
			`["2026-01-02T03:04:05.000Z",1767323045000,0,"string",true,1767323045000]`, "", ""},
		{`return [typeof require, typeof process, typeof std, typeof os, typeof fetch, typeof setTimeout, typeof Deno, typeof __out, typeof WeakRef, typeof scriptArgs]`,
			`["` + strings.TrimSuffix(strings.Repeat(`undefined","`, 10), `,"`) + `]`, "", ""},
		{`return (await import("os"))`, "", "", "Error"},
		{`return (await import("/etc/passwd"))`, "", "", "Error"},
	} {
		got := run(t, c.source, echo)
		if string(got.Value) != c.value || got.Stdout != c.stdout || (c.fault == "") != (got.Error == "") || !strings.Contains(got.Error, c.fault) {
			t.Errorf("%s: got value %s, stdout %q, error %q", c.source, got.Value, got.Stdout, got.Error)
		}
	}
}

// Code that is run again makes the same calls, whatever time it is.
func TestRunsTheSameAgain(t *testing.T) {
	source := `const out = [];
		const chain = async (n) => { for (let i = 0; i < 3; i++) out.push((await echo({n, i, r: Math.random()})).r) };
		await Promise.all([chain("a"), chain("b")]); return out.concat([Math.random(), Date.now()])`
	calls := func() (list []string, value string) {
		r := run(t, source, func(ctx context.Context, c []codeact.Call) ([]codeact.Reply, error) {
			list = append(list, fmt.Sprintf("%s", c))
			return echo(ctx, c)
		})
		return list, string(r.Value)
	}
	first, value := calls()
	second, again := calls()
	if d := cmp.Diff(second, first); d != "" || value != again || len(first) != 3 {
		t.Errorf("%d batches; %s then %s\n%s", len(first), value, again, d)
	}
}

// What is made at the same time arrives at the same time.
func TestPromiseAllIsOneBatch(t *testing.T) {
	var sizes []int
	run(t, `await Promise.all([echo({a:1}), echo({a:2}), echo({a:3})]); await echo({})`, func(ctx context.Context, c []codeact.Call) ([]codeact.Reply, error) {
		sizes = append(sizes, len(c))
		return echo(ctx, c)
	})
	if d := cmp.Diff(sizes, []int{3, 1}); d != "" {
		t.Error(d)
	}
}

// Attacks end within the limits, and say why; the next code runs.
func TestAttacks(t *testing.T) {
	for name, source := range map[string]string{
		"endless loop":             `for (;;) {}`,
		"endless loop in a job":    `await null; for (;;) {}`,
		"endless jobs":             `const f = () => Promise.resolve().then(f); await f()`,
		"endless jobs not awaited": `const f = () => { Promise.resolve().then(f) }; f(); return 1`,
		"allocation bomb":          `const a = []; for (;;) a.push(new Array(1e6).fill(1))`,
		"caught allocation bomb":   `for (;;) { try { const a = []; for (;;) a.push("x".repeat(1e6) + a.length) } catch (e) {} }`,
		"string bomb":              `let s = "x"; for (;;) s += s`,
		"huge array":               `return new Array(4294967295).fill(0).length`,
		"huge typed array":         `return new Uint8Array(8e9).length`,
		"huge array as JSON":       `const a = []; a.length = 4294967295; return a`,
		"regexp bomb":              `return /^(a+)+$/.test("a".repeat(40) + "!")`,
		"deep recursion":           `const f = (n) => 1 + f(n + 1); return f(0)`,
		"deep JSON":                `let s = "["; for (let i = 0; i < 22; i++) s += s; return JSON.parse(s)`,
		"deep value":               `let a = []; for (let i = 0; i < 1e6; i++) a = [a]; return a`,
		"output flood":             `for (;;) console.log("x".repeat(1000))`,
		"getter that never ends":   `return { get a() { for (;;) {} } }`,
		"toJSON that never ends":   `return { toJSON() { for (;;) {} } }`,
		"thenable that never ends": `return { then() { for (;;) {} } }`,
		"sort bomb":                `const a = new Array(3e6).fill(0).map((_, i) => i); for (;;) a.sort(() => Math.random() - .5)`,
		"proxy loop":               `let p = {}; for (let i = 0; i < 1e6; i++) p = new Proxy(p, {}); return p.a`,
		"bigint bomb":              `let n = 2n; for (;;) n = n * n`,
		"calls without end":        `for (;;) echo({})`,
		"eval bomb":                `let s = "1"; for (let i = 0; i < 26; i++) s += "+" + s; return eval(s)`,
		"atomics wait":             `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); for (;;) {}`,
		"symbol species":           `class A extends Array { static get [Symbol.species]() { return function () { for (;;) {} } } } return new A(3).map(x => x)`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			r := run(t, source, echo)
			if took := time.Since(began); took > limits.Time+3*time.Second {
				t.Errorf("it took %v", took)
			}
			if r.Error == "" {
				t.Errorf("no error; value of %d bytes", len(r.Value))
			}
			if len(r.Error) > 1000 || len(r.Stdout) > 3*limits.Output {
				t.Errorf("error of %d bytes, output of %d", len(r.Error), len(r.Stdout))
			}
			t.Logf("%.2fs: %s", time.Since(began).Seconds(), r.Error)
		})
	}
}

// Code may break what it is given; that harms its own run and nothing else.
func TestTampering(t *testing.T) {
	for _, source := range []string{
		`Object.prototype.toJSON = () => "x"; return await echo({a:1})`,
		`Array.prototype.push = null; JSON.stringify = null; JSON.parse = () => ({}); Promise.prototype.then = null; return 1`,
		`Promise.prototype.then = function () { return this }; return echo({})`,
		`Object.defineProperty(Object.prototype, "calls", { set() {}, get() { return [{name:"rm",args:"{}"}] } }); return 1`,
		`Object.defineProperty(Object.prototype, "error", { value: "forged" }); return 1`,
		`Object.defineProperty(Array.prototype, "0", { set() {}, get() { return 1 } }); await echo({a:1})`,
		`globalThis.callTool = null; console.log = null; delete globalThis.echo; return typeof echo`,
		`for (const k of Object.getOwnPropertyNames(globalThis)) { try { globalThis[k] = undefined } catch (e) {} }; return 1`,
		`Error.prepareStackTrace = () => { throw 1 }; throw new Error("x")`,
		`Object.freeze(globalThis); Object.setPrototypeOf(Promise.prototype, null); return 1`,
		`const e = new Error("x"); Object.defineProperty(e, "message", { get() { throw e } }); throw e`,
	} {
		r := run(t, source, func(ctx context.Context, calls []codeact.Call) ([]codeact.Reply, error) {
			for _, c := range calls {
				if c.Name == "rm" {
					t.Logf("%s: made a call by other means, which is checked like any", source)
				}
			}
			return echo(ctx, calls)
		})
		t.Logf("%s: %s %s", source, r.Value, r.Error)
	}
	if r := run(t, `return 7`, echo); string(r.Value) != "7" {
		t.Errorf("afterwards: %+v", r)
	}
}

func TestOutputIsCut(t *testing.T) {
	r := run(t, `for (let i = 0; i < 1000; i++) console.log("line", i); return "done"`, echo)
	if string(r.Value) != `"done"` || len(r.Stdout) > limits.Output || !strings.HasPrefix(r.Stdout, "line 0\n") || !strings.HasSuffix(r.Stdout, "at its limit]\n") {
		t.Errorf("%d bytes of output, value %s", len(r.Stdout), r.Value)
	}
}

// What was printed before the end is there, however the end came.
func TestOutputBeforeTheEnd(t *testing.T) {
	if r := run(t, `console.log("so far"); for (;;) {}`, echo); r.Stdout != "so far\n" || !strings.Contains(r.Error, "2s, which is the limit") {
		t.Errorf("%+v", r)
	}
}

// While tools run, the code's time stands still.
func TestToolsTakeTheirOwnTime(t *testing.T) {
	s := script(`for (let i = 0; i < 3; i++) await echo({}); return "done"`)
	s.Limits.Time = time.Second
	r, err := quickjs.Engine{}.Run(t.Context(), s, func(ctx context.Context, c []codeact.Call) ([]codeact.Reply, error) {
		time.Sleep(500 * time.Millisecond)
		return echo(ctx, c)
	})
	if err != nil || string(r.Value) != `"done"` {
		t.Errorf("%+v, %v", r, err)
	}
}

var errTool = errors.New("it pauses")

func TestErrorOfACallEndsTheCode(t *testing.T) {
	_, err := quickjs.Engine{}.Run(t.Context(), script(`try { await echo({}) } catch (e) {}; for (;;) {}`),
		func(context.Context, []codeact.Call) ([]codeact.Reply, error) { return nil, errTool })
	if err != errTool {
		t.Errorf("got %v", err)
	}
}

func TestCancel(t *testing.T) {
	for _, source := range []string{`for (;;) {}`, `await echo({})`, `for (;;) [1, 2, 3].map(x => [x])`} {
		late := time.Hour
		for range 5 { // a busy machine may be late by itself, and not five times
			ctx, cancel := context.WithCancel(t.Context())
			var at atomic.Int64
			time.AfterFunc(200*time.Millisecond, func() { at.Store(time.Now().UnixNano()); cancel() })
			_, err := quickjs.Engine{}.Run(ctx, script(source), func(ctx context.Context, c []codeact.Call) ([]codeact.Reply, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			})
			if !errors.Is(err, context.Canceled) {
				t.Fatalf("%s: %v", source, err)
			}
			if late = min(late, time.Duration(time.Now().UnixNano()-at.Load())); late <= 50*time.Millisecond {
				break
			}
		}
		if late > 50*time.Millisecond {
			t.Errorf("%s: %v after the cancellation", source, late)
		}
	}
}

// children lists our processes, by their state files.
func children(t testing.TB) (out []string) {
	t.Helper()
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range stats {
		b, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		rest := string(b[strings.LastIndexByte(string(b), ')')+1:])
		if f := strings.Fields(rest); len(f) > 1 && f[1] == fmt.Sprint(os.Getpid()) {
			out = append(out, string(b))
		}
	}
	return out
}

func descriptors(t testing.TB) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

func TestLeavesNothing(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("looks into /proc")
	}
	run(t, `return 1`, echo)
	fds, routines := descriptors(t), runtime.NumGoroutine()
	for i := range 20 {
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(10+i*5)*time.Millisecond)
		_, _ = quickjs.Engine{}.Run(ctx, script(`await echo({}); for (;;) {}`), echo)
		cancel()
		run(t, `console.log("x"); await echo({}); return 1`, echo)
	}
	var left []string
	for range 100 {
		if left = children(t); len(left) == 0 && descriptors(t) <= fds && runtime.NumGoroutine() <= routines {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("left: processes %v, descriptors %d of %d, goroutines %d of %d", left, descriptors(t), fds, runtime.NumGoroutine(), routines)
}

// The process can be looked at while it waits for a tool.
func TestConfined(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("looks into /proc")
	}
	t.Setenv("SECRET_OF_THE_PROGRAM", "hidden")
	seen := false
	run(t, `return await echo({})`, func(ctx context.Context, c []codeact.Call) ([]codeact.Reply, error) {
		list := children(t)
		if len(list) != 1 {
			t.Fatalf("children: %v", list)
		}
		dir := "/proc/" + strings.Fields(list[0])[0]
		environ, err := os.ReadFile(dir + "/environ")
		if err != nil || len(environ) != 0 {
			t.Errorf("environment %q, %v", environ, err)
		}
		b, err := os.ReadFile(dir + "/limits")
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"Max open files 0 0", "Max file size 0 0", "Max core file size 0 0", "Max cpu time 4 4"} {
			if !strings.Contains(strings.Join(strings.Fields(string(b)), " "), want) {
				t.Errorf("no %q in\n%s", want, b)
			}
		}
		fds, err := os.ReadDir(dir + "/fd")
		if err != nil {
			t.Fatal(err)
		}
		for _, fd := range fds {
			to, _ := os.Readlink(dir + "/fd/" + fd.Name())
			if !strings.HasPrefix(to, "pipe:") && !strings.HasPrefix(to, "anon_inode:[event") && to != "/dev/null" && !strings.HasPrefix(to, "/sys/fs/cgroup/") { // the Go runtime reads its quota there
				t.Errorf("descriptor %s is %s", fd.Name(), to)
			}
		}
		seen = true
		return echo(ctx, c)
	})
	if !seen {
		t.Error("the tool was not called")
	}
}

// A process that is ended from outside is a fault of the code and not of the
// program.
func TestKilledMidway(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("looks into /proc")
	}
	r := run(t, `console.log("before"); await echo({}); return 1`, func(ctx context.Context, c []codeact.Call) ([]codeact.Reply, error) {
		var pid int
		if _, err := fmt.Sscan(children(t)[0], &pid); err != nil {
			t.Fatal(err)
		}
		p, err := os.FindProcess(pid)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Kill(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
		return echo(ctx, c)
	})
	if r.Stdout != "before\n" || !strings.Contains(r.Error, "killed") {
		t.Errorf("%+v", r)
	}
}

func TestLargeReply(t *testing.T) {
	text := strings.Repeat("\x01\"", 1<<19)
	s := script(`const r = await Promise.all([echo({}), echo({}), echo({})]); return r.map(s => s.length)`)
	s.Limits.Time = 20 * time.Second
	r, err := quickjs.Engine{}.Run(t.Context(), s, func(_ context.Context, c []codeact.Call) ([]codeact.Reply, error) {
		out := make([]codeact.Reply, len(c))
		for i := range out {
			out[i].Value = []byte(`"` + strings.NewReplacer("\x01", `\u0001`, `"`, `\"`).Replace(text) + `"`)
		}
		return out, nil
	})
	if err != nil || string(r.Value) != "[1048576,1048576,1048576]" {
		t.Errorf("%+v, %v", r, err)
	}
}

func BenchmarkRun(b *testing.B) {
	for b.Loop() {
		run(b, `return 1`, echo)
	}
}
