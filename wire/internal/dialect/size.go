package dialect

import (
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/wire"
)

// headSize and messagesSize are estimates of the encoded size, so that the body
// is rarely grown while it is written.
func headSize(r *wire.Request) int {
	n := 512
	for i := range r.System {
		n += 8 + r.System[i].Text.Len()*17/16
	}
	for i := range r.Instructions {
		n += 8 + r.Instructions[i].Text.Len()*17/16
	}
	for i := range r.Tools {
		n += 100 + len(r.Tools[i].Name) + len(r.Tools[i].Description)*17/16 + len(r.Tools[i].Parameters)
	}
	return n
}

func messagesSize(msgs []chat.Message) int {
	n := 64
	for i := range msgs {
		n += 64
		for j := range msgs[i].Parts {
			n += partSize(&msgs[i].Parts[j])
		}
	}
	return n
}

func partSize(p *chat.Part) int {
	n := 16 + p.Text.Len()*17/16
	if p.Call != nil {
		n += 80 + len(p.Call.Args)*5/4
	}
	if p.Result != nil {
		n += 64 + p.Result.Text.Len()*17/16
		for i := range p.Result.Images {
			n += imageSize(&p.Result.Images[i])
		}
	}
	if p.Image != nil {
		n += imageSize(p.Image)
	}
	return n
}

func imageSize(img *chat.Image) int { return 80 + len(img.URL) + len(img.Data)*4/3 }

func marksFor(msgs []chat.Message) int {
	n := 0
	for i := range msgs {
		for j := range msgs[i].Parts {
			n += 2 + len(msgs[i].Parts[j].Text)
			if r := msgs[i].Parts[j].Result; r != nil {
				n += len(r.Text)
			}
		}
	}
	return n
}
