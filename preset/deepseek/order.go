package deepseek

// A SectionName is a row of the order table of built-in sections.
type SectionName string

// The built-in sections in their order.
const (
	HarnessIdentity         SectionName = "HARNESS_IDENTITY"
	DeploymentPersonaPrefix SectionName = "DEPLOYMENT_PERSONA_PREFIX"
	PlanPolicy              SectionName = "PLAN_POLICY"
	TeamPolicy              SectionName = "TEAM_POLICY"
	PTCOnly                 SectionName = "PTC_ONLY"
	FileReference           SectionName = "FILE_REFERENCE"
	Bash                    SectionName = "TOOL_BASH"
	Pwsh                    SectionName = "PWSH"
	Read                    SectionName = "READ"
	Write                   SectionName = "WRITE"
	Edit                    SectionName = "EDIT"
	Glob                    SectionName = "GLOB"
	Grep                    SectionName = "GREP"
	Jobs                    SectionName = "JOBS"
	PTY                     SectionName = "PTY"
	WebSearch               SectionName = "WEB_SEARCH"
	WebFetch                SectionName = "WEB_FETCH"
	LSP                     SectionName = "LSP"
	SessionQuery            SectionName = "SESSION_QUERY"
	Goal                    SectionName = "GOAL"
	Cordis                  SectionName = "CORDIS"
	Workflow                SectionName = "WORKFLOW"
	Ralph                   SectionName = "RALPH"
	Subagent                SectionName = "SUBAGENT"
	Report                  SectionName = "REPORT"
	ComputerUse             SectionName = "TOOL_COMPUTER_USE"
	MCPServers              SectionName = "MCP_SERVERS"
	ToolsSDK                SectionName = "TOOLS_SDK"
	DeliverableReferences   SectionName = "DELIVERABLE_FILE_REFERENCES"
	StructuredOutput        SectionName = "STRUCTURED_OUTPUT"
	HarnessSource           SectionName = "HARNESS_SOURCE"
	WebSurface              SectionName = "WEB_SURFACE"
	DeploymentPersonaSuffix SectionName = "DEPLOYMENT_PERSONA_SUFFIX"
)

// A ContextName is a row of the order table of built-in contexts.
type ContextName string

// The built-in contexts in their order.
const (
	SandboxPolicy      ContextName = "SANDBOX_POLICY"
	ApprovalPolicy     ContextName = "APPROVAL_POLICY"
	SubagentDelegation ContextName = "SUBAGENT_DELEGATION"
)

// row is one line of a table; tables are lists so that they keep their order.
type row[N ~string] struct {
	name  N
	order float64
}

// reference-deepseek.md §2.
var sectionTable = []row[SectionName]{
	{HarnessIdentity, -1000}, {DeploymentPersonaPrefix, 0}, {PlanPolicy, 500}, {TeamPolicy, 600}, {PTCOnly, 800},
	{FileReference, 900}, {Bash, 1000}, {Pwsh, 1010}, {Read, 1100}, {Write, 1200}, {Edit, 1300}, {Glob, 1400},
	{Grep, 1500}, {Jobs, 1600}, {PTY, 1700}, {WebSearch, 2000}, {WebFetch, 2100}, {LSP, 2200}, {SessionQuery, 2300},
	{Goal, 2400}, {Cordis, 2500}, {Workflow, 2600}, {Ralph, 2700}, {Subagent, 2800}, {Report, 2900},
	{ComputerUse, 3000}, {MCPServers, 3100}, {ToolsSDK, 5000}, {DeliverableReferences, 9000}, {StructuredOutput, 9900},
	{HarnessSource, 10000}, {WebSurface, 10100}, {DeploymentPersonaSuffix, 10200},
}

var contextTable = []row[ContextName]{{SandboxPolicy, 110}, {ApprovalPolicy, 115}, {SubagentDelegation, 120}}

// aliases are names that appear with and without their prefix.
var aliases = map[SectionName]SectionName{
	"BASH": Bash, "TOOL_PWSH": Pwsh, "TOOL_READ": Read, "TOOL_WRITE": Write, "TOOL_EDIT": Edit, "TOOL_GLOB": Glob,
	"TOOL_GREP": Grep, "TOOL_JOBS": Jobs, "TOOL_PTY": PTY, "TOOL_WEB_SEARCH": WebSearch, "TOOL_WEB_FETCH": WebFetch,
	"TOOL_LSP": LSP, "TOOL_SESSION_QUERY": SessionQuery, "TOOL_GOAL": Goal, "TOOL_CORDIS": Cordis,
	"TOOL_WORKFLOW": Workflow, "TOOL_RALPH": Ralph, "TOOL_SUBAGENT": Subagent, "TOOL_REPORT": Report,
	"COMPUTER_USE": ComputerUse,
}

// SectionOrder returns the order of a built-in section, such as 500 for
// PLAN_POLICY. The tool sections are known with and without the prefix TOOL_.
func SectionOrder(name SectionName) (order float64, ok bool) {
	if a, ok := aliases[name]; ok {
		name = a
	}
	return lookup(sectionTable, name)
}

// ContextOrder returns the order of a built-in context, such as 115 for
// APPROVAL_POLICY.
func ContextOrder(name ContextName) (order float64, ok bool) { return lookup(contextTable, name) }

// SectionNames returns the rows of the section table in ascending order.
func SectionNames() []SectionName { return names(sectionTable) }

// ContextNames returns the rows of the context table in ascending order.
func ContextNames() []ContextName { return names(contextTable) }

// Order returns the order of one of the constants, and 0 for another name.
func (n SectionName) Order() float64 { o, _ := SectionOrder(n); return o }

// Order returns the order of one of the constants, and 0 for another name.
func (n ContextName) Order() float64 { o, _ := ContextOrder(n); return o }

func lookup[N ~string](table []row[N], name N) (float64, bool) {
	for _, r := range table {
		if r.name == name {
			return r.order, true
		}
	}
	return 0, false
}

func names[N ~string](table []row[N]) []N {
	out := make([]N, len(table))
	for i, r := range table {
		out[i] = r.name
	}
	return out
}
