package fs

import (
	"bytes"
	"fmt"
	"io"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/tool"
	"github.com/proemhq/proem/vfs"
)

// MaxImage is the most bytes of an image that is returned; hosts refuse more.
const MaxImage = 5 << 20

// mediaType tells an image by its first bytes, never by its name.
func mediaType(b []byte) string {
	switch {
	case bytes.HasPrefix(b, []byte("\x89PNG\r\n\x1a\n")):
		return "image/png"
	case bytes.HasPrefix(b, []byte("\xff\xd8\xff")):
		return "image/jpeg"
	case bytes.HasPrefix(b, []byte("GIF87a")), bytes.HasPrefix(b, []byte("GIF89a")):
		return "image/gif"
	case len(b) >= 12 && string(b[:4]) == "RIFF" && string(b[8:12]) == "WEBP":
		return "image/webp"
	}
	return ""
}

// image returns a file that is an image as one; not ok: it is something else.
func image(f env.File, name string, at vfs.Place) (r tool.Result, ok bool, err error) {
	head := make([]byte, 12)
	n, err := f.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return r, false, err
	}
	kind := mediaType(head[:n])
	if kind == "" {
		return r, false, nil
	}
	data, err := io.ReadAll(io.LimitReader(f, MaxImage+1))
	if err != nil {
		return r, false, err
	}
	if len(data) > MaxImage {
		return r, false, fmt.Errorf("%s is an image of more than %d MiB; make it smaller first", name, MaxImage>>20)
	}
	from := &span.Origin{Section: "read_file", Source: "file", Path: at.Path(), Trust: span.Tool}
	return tool.Result{
		Text:    notice(nil, fmt.Sprintf("[%s: %s, %d bytes]", name, kind, len(data))),
		Images:  []chat.Image{{MediaType: kind, Data: data, From: from}},
		Touched: []string{from.Path},
	}, true, nil
}
