package jsonl

import (
	"bytes"
	"hash/crc32"
	"strconv"
)

// A record is one line:
//
//	{"crc":"8 hex digits","len":decimal,"event":payload}\n
//
// The sum is CRC-32C of the payload, the length its bytes. The line is compared
// byte for byte: upper case, spaces and leading zeros make it invalid, so that
// no single bit of a record can change unnoticed. The payload has no line end of
// its own.
const (
	crcKey   = `{"crc":"`
	lenKey   = `","len":`
	eventKey = `,"event":`
	tail     = "}\n"

	// maxRecord bounds the memory that a damaged line can take, and with it the
	// payload of a record.
	maxRecord = 64 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

const hexDigits = "0123456789abcdef"

func appendFrame(dst, payload []byte) []byte {
	dst = append(dst, crcKey...)
	sum := crc32.Checksum(payload, castagnoli)
	for shift := 28; shift >= 0; shift -= 4 {
		dst = append(dst, hexDigits[sum>>shift&15])
	}
	dst = append(dst, lenKey...)
	dst = strconv.AppendInt(dst, int64(len(payload)), 10)
	dst = append(dst, eventKey...)
	dst = append(dst, payload...)
	return append(dst, tail...)
}

// frameState says what a line of a log is.
type frameState uint8

const (
	valid   frameState = iota
	damaged            // complete, but not what was written
	torn               // the beginning of a record whose writing did not finish
)

// parseFrame returns the payload of a line, which ends with a line end unless it
// is the last of the log.
func parseFrame(line []byte) ([]byte, frameState) {
	rest := line
	for _, want := range []string{crcKey, "", lenKey} {
		if want == "" { // the sum, looked at below
			if len(rest) < 8 {
				return nil, tornIf(onlyHex(rest))
			}
			rest = rest[8:]
			continue
		}
		if !bytes.HasPrefix(rest, []byte(want)) {
			return nil, tornIf(bytes.HasPrefix([]byte(want), rest))
		}
		rest = rest[len(want):]
	}
	n, digits := 0, 0
	for digits < len(rest) && digits < 9 && '0' <= rest[digits] && rest[digits] <= '9' {
		n = n*10 + int(rest[digits]-'0')
		digits++
	}
	zero := digits > 1 && rest[0] == '0'
	if rest = rest[digits:]; len(rest) == 0 {
		return nil, tornIf(!zero)
	}
	if digits == 0 || zero || !bytes.HasPrefix(rest, []byte(eventKey)) {
		return nil, tornIf(digits > 0 && !zero && bytes.HasPrefix([]byte(eventKey), rest))
	}
	rest = rest[len(eventKey):]
	if len(rest) < n+len(tail) && line[len(line)-1] != '\n' {
		return nil, torn
	}
	if len(rest) != n+len(tail) || string(rest[n:]) != tail {
		return nil, damaged
	}
	payload, sum := rest[:n], crc32.Checksum(rest[:n], castagnoli)
	for i, c := range line[len(crcKey) : len(crcKey)+8] {
		if c != hexDigits[sum>>(28-4*i)&15] {
			return nil, damaged
		}
	}
	return payload, valid
}

func tornIf(isPrefix bool) frameState {
	if isPrefix {
		return torn
	}
	return damaged
}

func onlyHex(b []byte) bool { return len(bytes.Trim(b, hexDigits)) == 0 }
