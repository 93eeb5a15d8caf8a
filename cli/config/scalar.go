package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// scalar fills a field with a text, a boolean, a number or a duration.
func (d *decoder) scalar(n *node, k *Key, key string, to any) {
	switch to := to.(type) {
	case *bool:
		if n.kind != boolean {
			d.wrongType(n, key, "true or false")
			return
		}
		*to = strings.EqualFold(n.text, "true")
	case *int:
		if v, ok := d.int(n, k, key); ok {
			*to = v
		}
	case *float64:
		if v, ok := d.float(n, k, key); ok {
			*to = v
		}
	case **float64:
		if v, ok := d.float(n, k, key); ok {
			*to = &v
		}
	case *time.Duration:
		if v, ok := d.duration(n, k, key); ok {
			*to = v
		}
	default:
		d.text(n, k, key, to)
	}
}

func (d *decoder) int(n *node, k *Key, key string) (int, bool) {
	if n.kind != whole {
		d.wrongType(n, key, "a whole number")
		return 0, false
	}
	digits := strings.ReplaceAll(n.text, "_", "")
	v, err := strconv.ParseInt(digits, 10, 64)
	if bare := strings.TrimLeft(digits, "+-"); err != nil || len(bare) > 1 && bare[0] == '0' {
		d.fault(CodeType, n, key, "is %s; it must be a whole number in decimal, without leading zeros", n.text)
		return 0, false
	}
	const most = 1 << 40 // more than any budget, and an int on every machine that counts so far
	if v > min(most, math.MaxInt) {
		d.fault(CodeValue, n, key, "is %d; it must be at most %d", v, int64(most))
		return 0, false
	}
	return int(v), d.bounds(n, k, key, float64(v))
}

func (d *decoder) float(n *node, k *Key, key string) (float64, bool) {
	if n.kind != whole && n.kind != real && !(n.kind == text && n.plain) {
		d.wrongType(n, key, "a number")
		return 0, false
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(n.text, "_", ""), 64)
	switch {
	case err != nil && n.kind == text:
		d.wrongType(n, key, "a number")
		return 0, false
	case err != nil || math.IsInf(v, 0) || math.IsNaN(v):
		d.fault(CodeType, n, key, "is %s; it must be a finite number", n.text)
		return 0, false
	}
	return v, d.bounds(n, k, key, v)
}

func (d *decoder) duration(n *node, k *Key, key string) (time.Duration, bool) {
	if n.kind != text && n.text != "0" {
		d.wrongType(n, key, "a duration such as 30s or 1m30s")
		return 0, false
	}
	v, err := time.ParseDuration(n.text)
	if err != nil {
		d.fault(CodeType, n, key, "is %q; it must be a duration such as 30s or 1m30s", n.text)
		return 0, false
	}
	if v < time.Duration(k.Min) {
		d.fault(CodeValue, n, key, "is %s; it must be %s", n.text, atLeast(k.Min))
		return 0, false
	}
	return v, true
}

// bounds checks a number.
func (d *decoder) bounds(n *node, k *Key, key string, v float64) bool {
	want := ""
	switch {
	case v < k.Min:
		want = atLeast(k.Min)
	case k.Max != 0 && v > k.Max:
		want = fmt.Sprintf("at most %v", k.Max)
	default:
		return true
	}
	d.fault(CodeValue, n, key, "is %s; it must be %s", n.text, want)
	return false
}

func atLeast(low float64) string {
	switch low {
	case 0:
		return "0 or more"
	case 1:
		return "more than 0"
	}
	return fmt.Sprintf("at least %v", low)
}
