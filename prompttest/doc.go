// Package prompttest helps you test your own prompts and stages.
//
// A prompt is a value, so a test of it is a comparison: [Golden] keeps what an
// assembly reads in a file beside the test, section by section, and says which
// section was added, removed, changed or moved. A stage promises to be pure:
// [Check] runs it on copies and finds out whether it keeps its word. A prompt
// must not depend on who registered first: [Shuffle] registers in other orders
// and compares.
//
//	func TestPrompt(t *testing.T) {
//		layers := []prompt.Layer{{Sections: sections(), Tools: tools()}}
//		stages := []prompt.Stage{stage.DropBlank(), houseStyle()}
//
//		snapshot, err := prompt.NewSnapshot(1, layers...)
//		if err != nil {
//			t.Fatal(err)
//		}
//		a, err := prompt.Assemble(snapshot, prompt.Input{}, stages...)
//		if err != nil {
//			t.Fatal(err)
//		}
//		prompttest.Golden(t, a)
//		prompttest.Check(t, houseStyle(), prompttest.Case{Name: "whole", Assembly: a})
//		prompttest.Shuffle(t, prompt.Input{}, layers, stages...)
//	}
//
// Write or rewrite the golden files with
//
//	go test . -prompttest.update
//
// or with -update, if your test package defines a flag of that name.
package prompttest
