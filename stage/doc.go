// Package stage holds ready-made stages: the logic of a prompt, one small
// transformation at a time.
//
// A stage is data, a [prompt.Stage] with a name, one sentence and a pure
// function from assembly to assembly. The stages of a prompt stand in one list
// that can be printed, cut short and re-ordered; [prompt.Trace] shows the
// assembly after each of them. Stages with parameters are functions that return
// a stage.
//
//	stages := []prompt.Stage{
//		stage.Visibility(stage.VisibilityRule{Name: "read only", Tool: "write_*"}),
//		stage.ToolOrder([]string{"read_file", stage.Unlisted}),
//		stage.Interpolate(stage.InterpolateConfig{}),
//		stage.Text("house-style", prompt.System, func(_ prompt.Input, s string) (string, error) {
//			return s + "\n\nAnswer in one paragraph.", nil
//		}),
//		stage.DropBlank(),
//		stage.Budget(stage.BudgetConfig{Tokens: 8000, Count: counter}),
//		stage.Fence(stage.FenceConfig{}),
//	}
//	assembly, err := prompt.Assemble(snapshot, input, stages...)
//
// Every stage returns its argument untouched when it has nothing to do, and
// never changes it otherwise. What a stage leaves out it says in a
// [prompt.Note]; what a person should know, in a [prompt.Diagnostic]; why a
// prompt must not be sent, in a [prompt.Fault]. Text that a stage writes has an
// origin with the stage's name.
//
// The fields Local and PerStep of a stage are promises on which a composer
// relies; package prompttest checks them. The package is pure and its stages may
// be used concurrently.
package stage
