package browsertest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// patience is how long anything may take on a busy machine.
const patience = 30 * time.Second

// flags start a browser that shows nothing, talks to nobody by itself and keeps
// nothing.
var flags = []string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
	"--disable-component-update", "--disable-sync", "--remote-debugging-port=0", "--hide-scrollbars", "--window-size=1500,950"}

// A Browser is a running Chromium.
type Browser struct {
	conn *websocket.Conn

	mu      sync.Mutex
	next    int
	answers map[int]chan message
	pages   map[string]*Page // by session
	closed  error
}

// message is one of the DevTools protocol.
type message struct {
	ID      int             `json:"id,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

// Start starts a browser with a fresh profile that ends with the test. The test
// is skipped where there is none, unless PROEM_BROWSER is "required".
func Start(t *testing.T) *Browser {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		const why = "SKIPPED: there is no chromium; nothing was looked at in a browser (apt-get install chromium)"
		if os.Getenv("PROEM_BROWSER") == "required" {
			t.Fatal(why)
		}
		fmt.Fprintln(os.Stderr, t.Name()+": "+why)
		t.Skip(why)
	}
	profile, err := os.MkdirTemp("", "browsertest")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, append(append([]string{}, flags...), "--user-data-dir="+profile, "about:blank")...)
	cmd.Env = append(os.Environ(), "HOME="+profile)
	separate(cmd)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop(cmd)
		cmd.Wait()
		for range 50 { // its children let go of the profile a little later
			if os.RemoveAll(profile) == nil {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
	})
	address := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(stderr)
		for lines.Scan() {
			if _, url, ok := strings.Cut(lines.Text(), "DevTools listening on "); ok {
				address <- url
			}
		}
		close(address)
	}()
	select {
	case url := <-address:
		if url == "" {
			t.Fatal("the browser ended before it listened")
		}
		return dial(t, url)
	case <-time.After(patience):
		t.Fatal("the browser does not listen")
	}
	return nil
}

func dial(t *testing.T, url string) *Browser {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	conn.SetReadLimit(64 << 20)
	b := &Browser{conn: conn, answers: map[int]chan message{}, pages: map[string]*Page{}}
	t.Cleanup(func() { conn.CloseNow() })
	go b.read()
	return b
}

// read hands out what the browser says until the connection ends.
func (b *Browser) read() {
	for {
		_, data, err := b.conn.Read(context.Background())
		var m message
		if err == nil {
			err = json.Unmarshal(data, &m)
		}
		b.mu.Lock()
		switch {
		case err != nil:
			b.closed = err
			for _, c := range b.answers {
				close(c)
			}
			b.answers = nil
			b.mu.Unlock()
			return
		case m.ID != 0:
			if c := b.answers[m.ID]; c != nil {
				delete(b.answers, m.ID)
				c <- m
			}
		case b.pages[m.Session] != nil:
			b.pages[m.Session].event(m)
		}
		b.mu.Unlock()
	}
}

// call asks the browser for something and reads the answer into result, which may
// be nil.
func (b *Browser) call(session, method string, params map[string]any, result any) error {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	raw, err := json.Marshal(params)
	if err != nil {
		return err
	}
	answer := make(chan message, 1)
	b.mu.Lock()
	if b.closed != nil {
		b.mu.Unlock()
		return b.closed
	}
	b.next++
	m := message{ID: b.next, Session: session, Method: method, Params: raw}
	b.answers[m.ID] = answer
	b.mu.Unlock()
	data, err := json.Marshal(m)
	if err == nil {
		err = b.conn.Write(ctx, websocket.MessageText, data)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	select {
	case got, ok := <-answer:
		switch {
		case !ok:
			return fmt.Errorf("%s: the browser is gone", method)
		case got.Error != nil:
			return fmt.Errorf("%s: %s", method, got.Error.Message)
		case result == nil:
			return nil
		}
		return json.Unmarshal(got.Result, result)
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", method, ctx.Err())
	}
}

// artifact returns where a test keeps a file for people to look at.
func artifact(t *testing.T, name string) string {
	dir := os.Getenv("PROEM_SCREENSHOTS")
	if dir == "" {
		dir = t.ArtifactDir()
	}
	return filepath.Join(dir, name)
}
