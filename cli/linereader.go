package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// A lineReader reads lines until a context is done. Where the system can wait
// for input and for the context at once it reads nothing ahead of time and has no
// goroutine; elsewhere one waits in Read until something comes.
type lineReader struct {
	in      io.Reader
	buf     []byte
	err     error      // what ended the input
	pending chan chunk // a read in progress; nil: none
}

type chunk struct {
	data []byte
	err  error
}

// errCannotWait says that the system cannot wait for a file.
var errCannotWait = errors.New("cannot wait for input")

// next returns the next line without its end, and io.EOF after the last.
func (r *lineReader) next(ctx context.Context) (string, error) {
	searched := 0
	for {
		if err := ctx.Err(); err != nil {
			r.buf = nil // a line that was begun is given up
			return "", err
		}
		if i := bytes.IndexByte(r.buf[searched:], '\n'); i >= 0 {
			line := string(r.buf[:searched+i])
			r.buf = r.buf[searched+i+1:]
			return strings.TrimSuffix(line, "\r"), nil
		}
		searched = len(r.buf)
		switch {
		case searched > maxInput:
			return "", fmt.Errorf("standard input: a line is longer than %d bytes", maxInput)
		case r.err != nil && r.err != io.EOF:
			return "", fmt.Errorf("standard input: %w", r.err)
		case r.err == io.EOF && searched > 0:
			line := string(r.buf)
			r.buf = nil
			return line, nil
		case r.err == io.EOF:
			return "", io.EOF
		}
		r.fill(ctx)
	}
}

// fill waits for more input or the end of the context.
func (r *lineReader) fill(ctx context.Context) {
	if f, ok := r.in.(*os.File); ok && r.pending == nil {
		switch err := readable(ctx, f); {
		case err == nil:
			data := make([]byte, 32<<10)
			n, err := f.Read(data)
			r.take(chunk{data[:n], err})
			return
		case ctx.Err() != nil:
			return
		case !errors.Is(err, errCannotWait):
			r.err = err
			return
		}
	}
	if r.pending == nil {
		in, done := r.in, make(chan chunk, 1)
		r.pending = done
		go func() {
			data := make([]byte, 32<<10)
			n, err := in.Read(data)
			done <- chunk{data[:n], err}
		}()
	}
	select {
	case c := <-r.pending:
		r.pending = nil
		r.take(c)
	case <-ctx.Done():
	}
}

// drop forgets what was entered up to now, and reports whether there was something.
// It is for questions: what was entered before one was seen is no answer to it.
func (r *lineReader) drop() (dropped bool) {
	dropped, r.buf = len(r.buf) > 0, nil
	f, ok := r.in.(*os.File)
	if !ok || r.pending != nil {
		return dropped
	}
	for data := make([]byte, 4096); ready(f); dropped = true {
		if n, err := f.Read(data); n == 0 || err != nil { // the next reading says so too
			break
		}
	}
	return dropped
}

func (r *lineReader) take(c chunk) {
	r.buf = append(r.buf, c.data...)
	r.err = c.err
}
