package quickjs

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"sync/atomic"

	"modernc.org/quickjs"

	"github.com/proemhq/proem/agent/codeact/internal/frame"
)

// marker is the name by which a process knows that it is to run code.
const marker = "proem:quickjs"

// ready says that the program, started again, would run code.
var ready atomic.Bool

// Main runs code if the process was started for that, and then ends it. Otherwise
// it returns at once. Call it before anything else: what stands before it happens
// in each process that runs code as well.
func Main() {
	if len(os.Args) != 1 || os.Args[0] != marker {
		ready.Store(true)
		return
	}
	runtime.GOMAXPROCS(2)
	if err := serve(); err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// prelude is what stands before the code: the tools, the console, a clock that
// stands still. Its value is a function to drive the code with.
//
//go:embed prelude.js
var prelude string

// serve runs one program.
func serve() error {
	var s frame.Start
	if err := frame.Read(os.Stdin, &s); err != nil {
		return err
	}
	if err := confine(s.Memory, s.CPU); err != nil {
		return err
	}
	vm, err := quickjs.NewVM()
	if err != nil {
		return err
	}
	vm.SetMemoryLimit(uintptr(s.Memory))
	vm.SetCanBlock(false)
	p := &printer{left: max(s.Output-len(outputEnds), s.Output/2)}
	if err := vm.RegisterHostFunc("__out", p.out); err != nil {
		return err
	}
	about, err := json.Marshal(map[string]any{"tools": s.Tools, "now": s.Now, "seed": s.Seed})
	if err != nil {
		return err
	}
	made, err := vm.EvalValue(prelude, quickjs.EvalGlobal)
	if err != nil {
		return err
	}
	drive, err := made.CallValue(quickjs.UndefinedValue, string(about))
	if err != nil {
		return err
	}
	return loop(vm, drive, s.Source)
}

// loop lets the code run until it waits for tools, asks for them, and so on up to
// its end.
func loop(vm *quickjs.VM, drive quickjs.Value, source string) error {
	tell := func(what, text string) (string, error) {
		v, err := drive.Call(quickjs.UndefinedValue, what, text)
		if err != nil {
			return "", err
		}
		s, _ := v.(string)
		return s, nil
	}
	if _, err := tell("run", source); err != nil {
		return fail(err)
	}
	for {
		for {
			if n, err := vm.ExecutePendingJobs(); n == 0 && err == nil {
				break
			}
		}
		text, err := tell("take", "")
		if err != nil {
			return fail(err)
		}
		var f frame.FromCode
		if err := json.Unmarshal([]byte(text), &f); err != nil {
			return fail(err)
		}
		if err := frame.Write(os.Stdout, f); err != nil {
			return fail(err)
		}
		if f.Done != nil {
			return nil
		}
		for range f.Calls {
			var r frame.Reply
			if err := frame.Read(os.Stdin, &r); err != nil {
				return err
			}
			b, err := json.Marshal(r)
			if err != nil {
				return fail(err)
			}
			if _, err := tell("give", string(b)); err != nil {
				return fail(err)
			}
		}
	}
}

// fail says why the code cannot go on.
func fail(err error) error {
	return frame.Write(os.Stdout, frame.FromCode{Done: &frame.Done{Error: "the code broke the engine that runs it: " + err.Error()}})
}

// outputEnds stands where output is cut.
const outputEnds = "\n[the output ends here, at its limit]\n"

// A printer sends what the code prints, up to a limit.
type printer struct{ left int }

func (p *printer) out(args []any) (any, error) {
	if len(args) != 1 || p.left < 0 {
		return nil, nil
	}
	s, ok := args[0].(string)
	if !ok {
		return nil, fmt.Errorf("only text can be printed")
	}
	if p.left -= len(s); p.left < 0 {
		s = s[:len(s)+p.left] + outputEnds
	}
	return nil, frame.Write(os.Stdout, frame.FromCode{Out: &s})
}
