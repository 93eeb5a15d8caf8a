// Package skills finds skills and shows them to a model: folders with a SKILL.md
// that says in its front matter what the skill is called and what it is for, and
// in its body what to do.
//
// Skills lie in repositories; a [Set] lays several over each other. The prompt
// has a line for each skill, and the body is read when the model asks for it:
//
//	set := skills.New(skills.Config{
//		Tiers: []skills.Tier{ // the later one wins
//			{Scope: "user", Repo: skills.NewFolder(skills.FolderConfig{Root: "/home/u/.config/proem", Dir: "skills", Trust: span.User})},
//			{Scope: "project", Repo: skills.NewFolder(skills.FolderConfig{Root: "/w", Dir: ".proem/skills", Trust: span.Workspace})},
//		},
//		Tool: "load_skill",
//	})
//	fact, err := set.Read(ctx, source.Query{})      // the list, for the prompt
//	got, err := set.Load(ctx, who, "deploy")        // got.Body, got.Files
//	got, err = set.Load(ctx, who, "deploy@user")    // the one that the project's shadows
//	res, err := set.Open(ctx, who, "deploy", "ref/steps.md")
//
// A skill is text. Commands in it are never run here, references in it never
// replaced, and its files never lead out of its folder. One that cannot be read
// is reported with its path and line and hides no other.
package skills

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/span"
)

// Stage is the Stage of the notes of this source.
const Stage = "source skills"

// Manifest is the name of the file that makes a folder a skill.
const Manifest = "SKILL.md"

// A Repository holds skills. It may be used concurrently and writes nothing.
// What belongs to one user is never told to another. Package skillstest tests
// an implementation.
type Repository interface {
	// List returns the skills that somebody sees, ascending by name and each name
	// once. What is wrong with one skill is a diagnostic; an error means that the
	// repository cannot be read at all.
	List(ctx context.Context, who prompt.Who) (Listing, error)
	// Open reads a file of a skill that List names. The path is slash-separated and
	// relative to the skill; Manifest is the skill's own text with its front matter.
	// The error is an *[Error].
	Open(ctx context.Context, who prompt.Who, skill, path string) (Resource, error)
	// Version returns a string that changes when the listing does. Equal versions
	// mean equal listings, whoever asks. An empty one is not known: the repository
	// is then listed every time.
	Version(ctx context.Context, who prompt.Who) (string, error)
}

// A Browser is a repository that knows the files of its skills.
type Browser interface {
	// Files returns the paths of a skill's files but for its Manifest, ascending.
	// It is not all of them if there are too many.
	Files(ctx context.Context, who prompt.Who, skill string) (paths []string, all bool, err error)
}

// A Listing is what a repository holds. It is shared and not to be changed.
type Listing struct {
	Path        string // where the repository lies, for people; may be empty
	Skills      []Skill
	Diagnostics []prompt.Diagnostic
}

// A Skill is what the model knows of a skill before it loads it.
type Skill struct {
	Name        string // one line without blanks at its ends
	Description string // as written; shown on one line
	Path        string // of the Manifest
	SHA256      string // of the Manifest, in hex; empty: not known
	Trust       span.Trust
	Fields      []Field // the front matter, in the order in which it is written

	nameAt, textAt int32 // one more than the offsets in the Manifest; 0: not known
}

// A Field is a key of the front matter with its value.
type Field struct {
	Name  string
	Value Value
}

// A Value is a text, or a list, or a map.
type Value struct {
	Text   string
	Items  []Value // if not nil, the value is a list
	Fields []Field // if not nil, it is a map
}

// A Resource is a file of a skill.
type Resource struct {
	Path        string // for people
	Text        string // normalised
	Spans       span.Text
	SHA256      string // of the bytes as read, in hex; empty: not known
	Size        int64  // of the whole file, in bytes
	Partial     bool   // the file is longer than the text
	Diagnostics []prompt.Diagnostic
}

// The codes of an Error.
const (
	CodeOutside = "skill.outside_root" // the path leads out of the skill
	CodeUnknown = "skill.unknown"      // there is no such skill
	CodeMissing = "skill.missing"      // the skill has no such file
	CodeRefused = "skill.refused"      // it is there and cannot be read
)

// An Error says why a skill or a file of one cannot be read. It shows no
// content.
type Error struct {
	Code    string
	Skill   string // as asked for
	Path    string // as asked for, or empty
	Message string
	Err     error // the cause, or nil
}

// Error returns what was asked for and why it failed.
func (e *Error) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("skill %.80q: %s", e.Skill, e.Message)
	}
	return fmt.Sprintf("skill %.80q: %.200q: %s", e.Skill, e.Path, e.Message)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

func outside(skill, path string) *Error {
	return &Error{Code: CodeOutside, Skill: skill, Path: path, Message: "leads out of the skill; not read"}
}

func unknown(skill string) *Error {
	return &Error{Code: CodeUnknown, Skill: skill, Message: "there is no such skill", Err: fs.ErrNotExist}
}
