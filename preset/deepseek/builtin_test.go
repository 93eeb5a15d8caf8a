package deepseek_test

import (
	"strings"
	"testing"

	"github.com/proemhq/proem/preset/deepseek"
)

func TestGuidance(t *testing.T) {
	rows := map[string]float64{"shell": 1000, "read_file": 1100, "write_file": 1200, "edit_file": 1300, "glob": 1400, "grep": 1500}
	for name, order := range rows {
		d, ok := deepseek.Guidance(name)
		if !ok || d.Order != order || !strings.HasPrefix(d.Name, "tool:") {
			t.Errorf("%s: got %+v, %v", name, d, ok)
		}
		for other := range rows {
			if speaks := strings.Contains(d.Body.Literal, other); speaks != (other == name) {
				t.Errorf("the text of %s and the name %s: %v", name, other, speaks)
			}
		}
	}
	if d, ok := deepseek.Guidance("ask_user"); ok {
		t.Errorf("got %+v", d)
	}
}
