package prompt

// A Stage is a named pure function from Assembly to Assembly. It reads nothing
// but its arguments, changes neither, and returns equal results for equal
// arguments. A stage with parameters is a function that returns a Stage.
type Stage struct {
	Name string
	Doc  string // one sentence: what the stage does
	// Apply transforms the assembly. An error of type Faults may come with an
	// assembly: the other stages still run on it, so that all faults of a prompt
	// are reported at once. Any other error ends the assembly.
	Apply func(Input, Assembly) (Assembly, error)
	// Local promises that Apply treats each section by itself, given the variables:
	// it adds, removes and moves none, and what becomes of a section depends on
	// no other one. A composer may then apply it to the changed sections alone.
	Local bool
	// PerStep says that Apply looks at the turn or step of its input. Without it,
	// a composer reuses a result at a later step.
	PerStep bool
}
