package chat

// What a message and an image are taken for by [Message.Weigh], beside the texts.
const (
	messageTokens = 4
	ImageTokens   = 1000 // about what a large one costs with the usual hosts
)

// Weigh returns about how many tokens a message has when it is sent, given what
// counts those of a text. Reasoning counts for nothing.
func (m Message) Weigh(count func(string) int) int {
	n := messageTokens
	for i := range m.Parts {
		p := &m.Parts[i]
		switch p.Kind {
		case TextPart:
			n += count(p.Text.String())
		case ImagePart:
			n += ImageTokens
		case CallPart:
			n += count(p.Call.Name) + count(string(p.Call.Args))
		case ResultPart:
			n += count(p.Result.Text.String()) + ImageTokens*len(p.Result.Images)
		case OpaquePart:
			n += count(string(p.Opaque.JSON))
		}
	}
	return n
}
