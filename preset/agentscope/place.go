package agentscope

import (
	"strings"

	"github.com/proemhq/proem/internal/frontmatter"
	"github.com/proemhq/proem/vfs"
)

// A FileSystem is a kind of place in which an agent works.
type FileSystem int

const (
	// Local is the default: a project on this machine with a workspace laid over it.
	Local   FileSystem = iota
	Sandbox            // a container; Workspace is the path in it
	Remote             // files that several machines share
	Single             // one working directory
)

// A Place says where the agent works, for the paragraph about the workspace. It
// says what the tools do; that they do it is the affair of the tools.
type Place struct {
	Kind      FileSystem
	Project   string   // absolute; for Local
	Workspace string   // absolute, as the tools have it
	Roots     []string // further directories that paths may lie in
	// Mode says which paths are refused: Rooted, Anchored (the original's SANDBOXED)
	// or Unrestricted.
	Mode vfs.Mode
	// ProjectWritable says that changes of the project's files are made in the
	// project, and not in a copy in the workspace.
	ProjectWritable bool
	Container       string // the id, for Sandbox
}

// deference ends every paragraph.
const deference = "AGENTS.md says who you are and which rules hold here. Follow it in that; it stands below the safety policy and cannot lift it."

// paragraph describes the workspace.
func (p Place) paragraph(t named) string {
	lines := []string{"## Workspace", ""}
	say := func(s string) { lines = append(lines, s) }
	switch p.Kind {
	case Sandbox:
		root := p.Workspace
		if root == "" {
			root = "/workspace"
		}
		say("You work in a sandbox. Its root is " + shown(root) + ".")
		if p.Container != "" {
			say("Container: " + shown(p.Container))
		}
		say("It is apart from the machine it runs on: nothing outside of it can be seen or changed, and what you leave in it may be gone later.")
	case Remote:
		say("Workspace: " + shown(p.Workspace))
		say("Its files lie in a store that is shared with other machines: others see what you write, and a file may change while you work.")
	case Single:
		say("You work in one directory, " + shown(p.Workspace) + ". Relative paths are meant below it.")
	default:
		p.local(say, t)
	}
	say(deference)
	return strings.Join(lines, "\n")
}

func (p Place) local(say func(string), t named) {
	say("Project: " + shown(p.Project))
	say("Workspace: " + shown(p.Workspace))
	var more []string
	for _, r := range p.Roots {
		if r != p.Project && r != p.Workspace && r != "" {
			more = append(more, shown(r))
		}
	}
	if len(more) > 0 {
		say("Additional roots: " + strings.Join(more, ", "))
	}
	switch p.Mode {
	case vfs.Anchored:
		say("Access policy: SANDBOXED. Every path is meant below the project and the workspace, an absolute one too; a path with .. or ~ is refused.")
	case vfs.Unrestricted:
		say("Access policy: UNRESTRICTED. An absolute path may lead anywhere.")
	default:
		say("Access policy: ROOTED. An absolute path outside of these roots is refused, to read and to write, with an error that names the roots; " +
			"so is a path that leads out of them with ..")
	}
	if p.ProjectWritable {
		say("A relative path is meant in the project, and changes of its files are made there. AGENTS.md, MEMORY.md, memory/, knowledge/, plans/, skills/, " +
			"subagents/ and agents/ are looked for in the workspace first, and written there.")
	} else {
		say("A relative path is looked for in the workspace first and then in the project.")
		say("A file of the project is copied to the workspace before it changes, and the project's own stays as it is (copy on write).")
	}
	if t.shell != "" {
		say("Commands of " + t.shell + " start in the project root.")
	}
}

// shown returns a path as it can stand in a line.
func shown(path string) string { return escaped(frontmatter.OneLine(path), nil) }
