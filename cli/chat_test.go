package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/proemhq/proem/cli"
	"github.com/proemhq/proem/env"
)

// A screen collects what a program prints.
type screen struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// await waits until a text was printed n times.
func (s *screen) await(t *testing.T, text string, n int) {
	t.Helper()
	for range 2000 {
		if strings.Count(s.String(), text) >= n {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("%q was not printed %d times:\n%s", text, n, s)
}

// slowServer answers the first request with a beginning and then nothing, and
// those after it whole. gone is closed when the first client has gone away.
func slowServer(t *testing.T) (environ []string, gone <-chan struct{}) {
	t.Helper()
	left := make(chan struct{})
	n := 0
	var mu sync.Mutex
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		n++
		first := n == 1
		mu.Unlock()
		if _, err := io.Copy(io.Discard, r.Body); err != nil || !first {
			answer(w, "text", true)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"I begin\"}}]}\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(left)
	}))
	t.Cleanup(server.Close)
	return []string{"HOME=" + t.TempDir(), "NO_COLOR=1", "OPENAI_API_KEY=sk-test-canary", "OPENAI_BASE_URL=" + server.URL + "/v1"}, left
}

// keys stands for Ctrl-C: each call of press ends the contexts there are.
type keys struct {
	mu   sync.Mutex
	ends map[int]context.CancelFunc
	next int
}

func (k *keys) interrupt(ctx context.Context) (context.Context, context.CancelFunc) {
	k.mu.Lock()
	defer k.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	if k.ends == nil {
		k.ends = map[int]context.CancelFunc{}
	}
	k.next++
	n := k.next
	k.ends[n] = cancel
	return ctx, func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		delete(k.ends, n)
		cancel()
	}
}

func (k *keys) press() {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, end := range k.ends {
		end()
	}
}

// A chat that is interrupted leaves no goroutine, neither in a turn nor while it
// waits for a pipe.
func TestChatLeavesNothing(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("here a read waits until the input ends")
	}
	for _, during := range []string{"a turn", "reading"} {
		t.Run(during, func(t *testing.T) {
			environ, gone := slowServer(t)
			stdin, feed, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer stdin.Close()
			defer feed.Close()
			before := runtime.NumGoroutine()
			var out, diagnostics screen
			var k keys
			code := make(chan int)
			dir := t.TempDir()
			machine := env.System()
			go func() {
				code <- cli.Run(context.Background(), cli.App{}, cli.Process{Args: []string{"chat", "--trust", "none"}, Stdin: stdin, Stdout: &out, Stderr: &diagnostics,
					Environ: environ, Dir: dir, Env: machine, Interrupt: k.interrupt})
			}()
			if during == "a turn" {
				fmt.Fprintln(feed, "hi")
				out.await(t, "I begin", 1)
			} else {
				fmt.Fprintln(feed, "/cost")
				out.await(t, "nothing yet", 1)
				time.Sleep(20 * time.Millisecond) // it reads on
			}
			begun := time.Now()
			k.press()
			if got := <-code; got != cli.ExitFailure {
				t.Errorf("exit status %d, want %d\n%s", got, cli.ExitFailure, &diagnostics)
			}
			if took := time.Since(begun); took > 2*time.Second {
				t.Errorf("it took %v", took)
			}
			if during == "a turn" {
				<-gone
				diagnostics.await(t, "warning run.stopped: interrupted", 1)
			}
			if c, ok := machine.Net.(interface{ CloseIdleConnections() }); ok {
				c.CloseIdleConnections()
			}
			for range 200 { // connections of the server end by themselves
				if runtime.NumGoroutine() <= before {
					return
				}
				time.Sleep(10 * time.Millisecond)
			}
			stacks := make([]byte, 1<<20)
			t.Errorf("%d goroutines, %d before:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
		})
	}
}
