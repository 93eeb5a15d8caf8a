package textedit

import "bytes"

// lineEnds returns the kinds of line ends in b.
func lineEnds(b []byte) (kinds []string) {
	var lf, cr, crlf bool
	for i := 0; i < len(b); {
		k := bytes.IndexAny(b[i:], "\r\n")
		if k < 0 {
			break
		}
		end := lineEndAt(b, i+k)
		lf, cr, crlf = lf || end == "\n", cr || end == "\r", crlf || end == "\r\n"
		i += k + len(end)
	}
	for _, k := range []struct {
		in  bool
		end string
	}{{lf, "\n"}, {cr, "\r"}, {crlf, "\r\n"}} {
		if k.in {
			kinds = append(kinds, k.end)
		}
	}
	return kinds
}

// lineEndAt returns the line end of which a byte stands at i.
func lineEndAt(b []byte, i int) string {
	switch {
	case b[i] == '\r' && i+1 < len(b) && b[i+1] == '\n', b[i] == '\n' && i > 0 && b[i-1] == '\r':
		return "\r\n"
	case b[i] == '\r':
		return "\r"
	}
	return "\n"
}

// lineEnd returns the line end to use between two places of raw: that of the
// text between them, else of the line before, else of the line after.
func (d *Doc) lineEnd(from, to int) string {
	switch len(d.ends) {
	case 0:
		return "\n"
	case 1:
		return d.ends[0]
	}
	if i := bytes.IndexAny(d.raw[from:to], "\r\n"); i >= 0 {
		return lineEndAt(d.raw, from+i)
	}
	if i := bytes.LastIndexAny(d.raw[:from], "\r\n"); i >= 0 {
		return lineEndAt(d.raw, i)
	}
	if i := bytes.IndexAny(d.raw[to:], "\r\n"); i >= 0 {
		return lineEndAt(d.raw, to+i)
	}
	return "\n"
}
