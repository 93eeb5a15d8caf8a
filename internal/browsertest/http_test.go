package browsertest_test

import (
	"bufio"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/proemhq/proem/internal/browsertest"
	"github.com/proemhq/proem/internal/filetest"
	"github.com/proemhq/proem/providertest"
)

// script is a model that writes a note and talks, with an answer that would like
// to be markup.
const script = `
turns:
  - calls: [{tool: write_file, args: {path: note.txt, content: "tea <b>green</b>\n"}}]
  - text: "Noted <img src=x onerror=alert(1)> in note.txt."
  - text: "Nothing else."
`

// startExample builds and starts examples/http against a scripted provider. It
// returns the address to open and the folder that the agent may write to.
func startExample(t *testing.T) (address, dir string) {
	t.Helper()
	model := providertest.New(t, providertest.Config{Script: providertest.Script(t, script)})
	bin := filepath.Join(t.TempDir(), "http")
	build := exec.Command("go", "build", "-o", bin, "./examples/http")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	filetest.Must(t, err)
	addr := free.Addr().String()
	free.Close()
	dir, err = filepath.EvalSymlinks(t.TempDir())
	filetest.Must(t, err)
	cmd := exec.Command(bin)
	cmd.Env = []string{"TMPDIR=" + dir, "HOME=" + dir, "ADDR=" + addr, "OPENAI_BASE_URL=" + model.Environment()["OPENAI_BASE_URL"]}
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	filetest.Must(t, err)
	filetest.Must(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	filetest.Must(t, err)
	address = strings.TrimSpace(strings.TrimPrefix(line, "open "))
	for range 200 {
		if r, err := http.Get(address); err == nil {
			r.Body.Close()
			return address, dir
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatalf("nothing answers at %s", address)
	return "", ""
}

// A person types, is asked, agrees with a click, and reads the answer.
func TestHTTPExample(t *testing.T) {
	b := browsertest.Start(t)
	address, dir := startExample(t)
	p := b.Open(t, address)
	p.Click(t, "#text")
	p.Type(t, "Note the tea")
	p.Press(t, "Enter")
	p.Wait(t, `document.querySelectorAll(".ask button").length === 3`)
	if got := p.Text(t, "#log"); !strings.Contains(got, "> Note the tea") || !strings.Contains(got, filepath.Join(dir, "note.txt")) || !strings.Contains(got, "tea <b>green</b>") {
		t.Errorf("the question reads %q", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "note.txt")); err == nil {
		t.Error("it was written before anybody agreed")
	}
	p.Screenshot(t, "http-ask.png")
	p.Click(t, ".ask button") // once
	p.Wait(t, `document.querySelector("#log").textContent.includes("Noted <img src=x onerror=alert(1)> in note.txt.")`)
	if data, err := os.ReadFile(filepath.Join(dir, "note.txt")); err != nil || string(data) != "tea <b>green</b>\n" {
		t.Errorf("the note is %q, %v", data, err)
	}
	var images int
	p.Eval(t, `document.images.length + document.querySelectorAll(".ask button").length`, &images)
	if images != 0 {
		t.Errorf("%d images and buttons are left", images)
	}
	p.Click(t, "#text")
	p.Type(t, "Anything else?")
	p.Click(t, "#form button")
	p.Wait(t, `document.querySelector("#log").textContent.includes("Nothing else.")`)
	p.Screenshot(t, "http-answer.png")
	for _, r := range p.Requests() {
		if !strings.HasPrefix(r, address[:strings.Index(address, "?")]) {
			t.Errorf("the page asked for %s", r)
		}
	}
	for _, s := range p.Troubles() {
		if !strings.Contains(s, "favicon.ico") { // the policy of the page has no images
			t.Errorf("the console says %s", s)
		}
	}
}
