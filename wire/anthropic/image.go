package anthropic

import (
	"encoding/base64"
	"strings"

	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/span"
	"github.com/proemhq/proem/wire"
)

// image writes an image block without its closing brace. Data inside a URL is
// sent as data.
func (t *turn) image(img *chat.Image) {
	mediaType, data, inside := splitDataURL(img.URL)
	switch {
	case inside:
		t.source(mediaType)
		t.e.Inside(data, img.From, span.NoOffset)
	case img.URL != "":
		t.e.Raw(`{"type":"image","source":{"type":"url","url":"`)
		t.e.Inside(img.URL, img.From, span.NoOffset)
	default:
		t.source(img.MediaType)
		lo := len(t.e.JSON)
		t.e.JSON = base64.StdEncoding.AppendEncode(t.e.JSON, img.Data)
		t.e.Marks = append(t.e.Marks, wire.Mark{Lo: lo, Hi: len(t.e.JSON), Off: span.NoOffset, From: img.From})
	}
	t.e.Raw(`"}`)
}

func (t *turn) source(mediaType string) {
	t.e.Raw(`{"type":"image","source":{"type":"base64","media_type":`)
	t.e.Quoted(mediaType)
	t.e.Raw(`,"data":"`)
}

// splitDataURL takes a URL like data:image/png;base64,AAAA apart.
func splitDataURL(url string) (mediaType, data string, ok bool) {
	rest, ok := strings.CutPrefix(url, "data:")
	if !ok {
		return "", "", false
	}
	head, data, ok := strings.Cut(rest, ",")
	mediaType, encoded := strings.CutSuffix(head, ";base64")
	return mediaType, data, ok && encoded && data != ""
}
