package wire

import (
	"bytes"
	"strconv"
)

// A whole number is written without an exponent if it has at most plainDigits
// digits or ends in at most plainZeros zeros.
const (
	plainDigits = 21
	plainZeros  = 9
)

// number reads a JSON number and appends its shortest exact decimal form.
func (p *parser) number(dst []byte) ([]byte, error) {
	start := p.at
	neg := p.take('-')
	lo := p.at
	p.digits()
	whole := p.in[lo:p.at]
	if len(whole) == 0 || len(whole) > 1 && whole[0] == '0' {
		return nil, p.fail("not a number")
	}
	var frac []byte
	if p.take('.') {
		lo = p.at
		p.digits()
		if frac = p.in[lo:p.at]; len(frac) == 0 {
			return nil, p.fail("not a number")
		}
	}
	exp := 0
	if p.take('e') || p.take('E') {
		lo = p.at
		if !p.take('-') {
			p.take('+')
		}
		p.digits()
		n, err := strconv.ParseInt(string(p.in[lo:p.at]), 10, 32)
		if err != nil {
			return nil, p.fail("the exponent of %s is not usable", clip(p.in[start:p.at]))
		}
		exp = int(n)
	}
	digits := append(bytes.Clone(whole), frac...)
	point := len(whole) + exp // the value is 0.digits × 10^point
	trimmed := bytes.TrimLeft(digits, "0")
	point -= len(digits) - len(trimmed)
	trimmed = bytes.TrimRight(trimmed, "0")
	return appendNumber(dst, neg, trimmed, point), nil
}

func clip(b []byte) string { return string(b[:min(len(b), 40)]) }

func (p *parser) digits() {
	for p.at < len(p.in) && '0' <= p.in[p.at] && p.in[p.at] <= '9' {
		p.at++
	}
}

// appendNumber writes 0.digits × 10^point, where digits neither begins nor ends
// with a zero.
func appendNumber(dst []byte, neg bool, digits []byte, point int) []byte {
	n := len(digits)
	if n == 0 {
		return append(dst, '0')
	}
	if neg {
		dst = append(dst, '-')
	}
	switch {
	case n <= point && (point <= plainDigits || point-n <= plainZeros):
		dst = append(dst, digits...)
		return append(dst, bytes.Repeat([]byte{'0'}, point-n)...)
	case 0 < point && point < n:
		dst = append(dst, digits[:point]...)
		return append(append(dst, '.'), digits[point:]...)
	case -6 < point && point <= 0:
		dst = append(dst, "0."...)
		dst = append(dst, bytes.Repeat([]byte{'0'}, -point)...)
		return append(dst, digits...)
	}
	dst = append(dst, digits[0])
	if n > 1 {
		dst = append(append(dst, '.'), digits[1:]...)
	}
	return strconv.AppendInt(append(dst, 'e'), int64(point-1), 10)
}
