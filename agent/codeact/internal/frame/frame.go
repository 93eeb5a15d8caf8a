// Package frame is what a process that runs code and the one that started it say
// to each other: frames of a length and a JSON object. The process with the code
// is taken to be hostile: a frame is bounded, memory is taken as bytes arrive and
// not as a length promises, and an object with anything unknown in it is an error.
package frame

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Max is how many bytes a frame may have: the largest result of a tool, escaped.
const Max = 16 << 20

// A Start is the first frame to the process.
type Start struct {
	Source string   `json:"source"`
	Tools  []string `json:"tools,omitempty"`
	Now    int64    `json:"now"`  // milliseconds since 1970
	Seed   uint32   `json:"seed"` // of random numbers
	Memory int64    `json:"memory"`
	CPU    int      `json:"cpu"`    // seconds
	Output int      `json:"output"` // how many bytes may be printed
}

// A FromCode is a frame of the process. One of its fields is set.
type FromCode struct {
	Out   *string `json:"out,omitempty"` // more output
	Calls []Call  `json:"calls,omitempty"`
	Done  *Done   `json:"done,omitempty"`
}

// A Call is a call of a tool.
type Call struct {
	Name string `json:"name"`
	Args string `json:"args"` // JSON, as a text
}

// A Done is the end of the code.
type Done struct {
	Value *string `json:"value,omitempty"` // JSON, as a text; nil: nothing was returned
	Error string  `json:"error,omitempty"`
}

// A Reply is a frame to the process after the first: the answer to a call. Each of
// the last calls has one, in order.
type Reply struct {
	Value json.RawMessage `json:"value,omitempty"`
	Error string          `json:"error,omitempty"`
}

// Write writes a frame.
func Write(w io.Writer, v any) error {
	b := bytes.NewBuffer(make([]byte, 4))
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	n := b.Len() - 4
	if n > Max {
		return fmt.Errorf("a frame of %d bytes; at most %d are allowed", n, Max)
	}
	binary.BigEndian.PutUint32(b.Bytes(), uint32(n))
	_, err := w.Write(b.Bytes())
	return err
}

// Read reads a frame into v, strictly. At the end of the stream, between frames,
// the error is io.EOF.
func Read(r io.Reader, v any) error {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return err
	}
	n := int64(binary.BigEndian.Uint32(head[:]))
	if n == 0 || n > Max {
		return fmt.Errorf("a frame of %d bytes; at most %d are allowed", n, Max)
	}
	var b bytes.Buffer
	if _, err := io.CopyN(&b, r, n); err != nil {
		return fmt.Errorf("a frame is not complete: %w", errors.Join(io.ErrUnexpectedEOF, err))
	}
	d := json.NewDecoder(&b)
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("a frame is not as it should be: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return errors.New("a frame has more than one value")
	}
	return nil
}

// ReadFromCode reads a frame of the process and checks it.
func ReadFromCode(r io.Reader) (FromCode, error) {
	var f FromCode
	if err := Read(r, &f); err != nil {
		return FromCode{}, err
	}
	set := 0
	for _, is := range []bool{f.Out != nil, len(f.Calls) > 0, f.Done != nil} {
		if is {
			set++
		}
	}
	if set != 1 {
		return FromCode{}, errors.New("a frame has not exactly one of out, calls and done")
	}
	if f.Done != nil && f.Done.Value != nil && !json.Valid([]byte(*f.Done.Value)) {
		return FromCode{}, errors.New("the value of a frame is no JSON")
	}
	return f, nil
}
