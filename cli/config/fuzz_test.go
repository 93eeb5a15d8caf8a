package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/proemhq/proem/cli/config"
)

// FuzzLoad feeds one text to every layer. Whatever it holds, Load returns, and
// every fault of a file has a place that exists.
func FuzzLoad(f *testing.F) {
	f.Add(everything)
	for _, s := range []string{"", "a: b: c", "? a\n: b\n", "- - -\n", "{[}]", "name: |\n x\r\n y", "\ufeff# x", "a: &b *b", "sections: [{name: x}]",
		"project:\n  max_byte: 1\n", "permissions:\n- {action: deny, tool: x}\n", "prices: {a.b: {input: 1}}", "'\"", "name: \"\\xff\"", "variables: {äöü: 1}"} {
		f.Add(s)
	}
	dir := tree(f, map[string]string{
		"user/config.yaml": "variables: {a: 1}\npermissions: [{action: deny, tool: x}]\n", "w/.proem/agent.yaml": "", "c.yaml": ""})
	o := at(dir)
	o.ConfigFile = filepath.Join(dir, "c.yaml")
	f.Fuzz(func(t *testing.T, text string) {
		for _, path := range []string{o.ProjectFile, o.ConfigFile} {
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		o := o
		o.Environ = []string{"PROEM_SECTIONS=" + text}
		o.Set = []string{text, "variables=" + text}
		c, _, err := config.Load(o)
		if err == nil {
			c.Origin(text)
			return
		}
		text = strings.TrimPrefix(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text), "\ufeff")
		lines := strings.Split(text, "\n")
		faults, ok := err.(config.Faults)
		if !ok || len(faults) == 0 {
			t.Fatalf("%T: %v", err, err)
		}
		for _, fault := range faults {
			if fault.Code == "" || fault.Path == "" || fault.Message == "" || strings.ContainsAny(fault.Message, "\n\r\x1b") {
				t.Errorf("%#v", fault)
			}
			switch {
			case fault.Code == config.CodeAgent || fault.Code == config.CodeRead:
			case fault.Line < 1 || fault.Column < 1:
				t.Errorf("no place: %#v", fault)
			case fault.Path != o.ConfigFile && fault.Path != o.ProjectFile:
			case fault.Line > len(lines) || fault.Column > len(lines[fault.Line-1])+1:
				t.Errorf("no such place: %#v", fault)
			}
		}
	})
}
