package cli

import (
	"bytes"
	"fmt"
)

// places turns offsets in files into lines and columns. Each file is read once.
type places struct {
	b     *bench
	files map[string][]byte
}

func newPlaces(b *bench) *places { return &places{b: b, files: map[string][]byte{}} }

// at returns ":line:column", from 1 and in bytes, or "" if the file cannot be
// read.
func (p *places) at(path string, off int) string {
	data, ok := p.files[path]
	if !ok {
		data, _ = readFile(p.b.env, path, maxPart)
		p.files[path] = data
	}
	if off > len(data) || data == nil {
		return ""
	}
	before := data[:off]
	return fmt.Sprintf(":%d:%d", 1+bytes.Count(before, []byte("\n")), off-bytes.LastIndexByte(before, '\n'))
}
