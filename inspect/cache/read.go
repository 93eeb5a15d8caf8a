package cache

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// MaxBody is the most bytes that a body may have.
const MaxBody = 64 << 20

// Read calls f for each JSON document in r: one on each line, or spread over
// several. Name says where they come from. It ends with the first error.
func Read(r io.Reader, name string, f func(Recorded) error) error {
	in := bufio.NewReaderSize(r, 64<<10)
	var doc []byte
	for line, begin, depth := 1, 1, 0; ; {
		piece, err := in.ReadSlice('\n')
		if len(doc) == 0 {
			begin = line
			doc = make([]byte, 0, len(piece))
		}
		from := len(doc)
		for errors.Is(err, bufio.ErrBufferFull) && len(doc) <= MaxBody {
			doc = append(doc, piece...)
			piece, err = in.ReadSlice('\n')
		}
		doc = append(doc, piece...)
		if len(doc) > MaxBody {
			return fmt.Errorf("%s:%d: a body of more than %d MB", name, begin, MaxBody>>20)
		}
		if err != nil && err != io.EOF {
			return fmt.Errorf("%s: %w", name, err)
		}
		depth += nesting(doc[from:])
		line++
		switch body := bytes.TrimSpace(doc); {
		case len(body) == 0:
			doc = nil
		case depth <= 0 || err == io.EOF:
			if err := f(Recorded{Body: body, Name: fmt.Sprintf("%s:%d", name, begin)}); err != nil {
				return err
			}
			doc, depth = nil, 0
		}
		if err == io.EOF {
			return nil
		}
	}
}

// nesting returns how many more brackets a line opens than it closes.
func nesting(b []byte) (depth int) {
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			i = stringEnd(b, i) - 1
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
	}
	return depth
}
