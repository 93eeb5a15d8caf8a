package vocab

// A Class says what a character is to the patterns that split texts. Its bits are
// those of the categories of Unicode 16 that the patterns tell apart.
type Class uint8

const (
	// Upper is set for \p{Lu}, \p{Lt}, \p{Lm}, \p{Lo} and \p{M}.
	Upper Class = 1 << iota
	// Lower is set for \p{Ll}, \p{Lm}, \p{Lo} and \p{M}.
	Lower
	// Mark is set for \p{M}, together with Upper and Lower.
	Mark
	// Number is set for \p{N}.
	Number
	// Space is set for \s, which is White_Space.
	Space
	// Break is set for the line feed and the carriage return, together with Space.
	Break
)

const (
	pageBits = 8
	pages    = 0x110000 >> pageBits
)

// ClassOf returns the class of a valid rune, by the string that [BuildClasses]
// laid out.
func ClassOf(data string, r rune) Class {
	page := int(data[r>>pageBits])
	return Class(data[pages+page<<pageBits+int(r&(1<<pageBits-1))])
}

// BuildClasses lays out the classes of all runes: the number of the page of each
// 256 runes, then the pages, each once. It panics when these are more than 256.
func BuildClasses(of func(rune) Class) []byte {
	index, bodies := make([]byte, pages), []byte(nil)
	numbers := map[[1 << pageBits]byte]int{}
	for p := range index {
		var page [1 << pageBits]byte
		for i := range page {
			page[i] = byte(of(rune(p<<pageBits + i)))
		}
		n, ok := numbers[page]
		if !ok {
			n = len(numbers)
			numbers[page] = n
			bodies = append(bodies, page[:]...)
		}
		if n > 255 {
			panic("vocab: the classes have too many pages")
		}
		index[p] = byte(n)
	}
	return append(index, bodies...)
}
