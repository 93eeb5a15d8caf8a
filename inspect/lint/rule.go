package lint

import (
	"slices"
	"strings"

	"github.com/proemhq/proem/prompt"
)

// A Rule is a kind of finding.
type Rule struct {
	ID       string          `json:"id"`       // stays the same
	Severity prompt.Severity `json:"severity"` // the usual one
	Doc      string          `json:"doc"`      // what is wrong, and what to do
	Fix      string          `json:"fix"`      // what --fix does; empty: nothing
}

// Rules returns the table of rules, ascending by identifier.
func Rules() []Rule { return slices.Clone(rules) }

// RuleOf returns the rule with an identifier.
func RuleOf(id string) (Rule, bool) {
	i, ok := slices.BinarySearchFunc(rules, id, func(r Rule, id string) int { return strings.Compare(r.ID, id) })
	if !ok {
		return Rule{ID: id}, false
	}
	return rules[i], true
}

const (
	info    = prompt.Info
	warning = prompt.Warning
	failure = prompt.Error
)

// The rules that this package looks for itself. All others are codes of what
// sources, stages and the configuration report.
const (
	ruleShare        = "budget.share"
	ruleTurnBudget   = "budget.turn"
	ruleBOM          = "file.bom"
	ruleCRLF         = "file.crlf"
	ruleLineEnds     = "file.line_ends"
	ruleUnreachable  = "file.unreachable"
	ruleUTF16        = "file.utf16"
	ruleBadIgnore    = "lint.bad_suppression"
	ruleUnusedIgnore = "lint.unused_suppression"
	ruleFence        = "markdown.unclosed_fence"
	ruleData         = "prompt.data_in_system"
	ruleInput        = "prompt.input_copied"
	ruleProtocol     = "prompt.protocol_copied"
	ruleToolText     = "prompt.tool_copied"
	ruleTurn         = "prompt.turn_in_prefix"
	ruleUnstable     = "prompt.unstable"
	ruleVolatile     = "prompt.volatile"
	ruleSkill        = "skill.collision"
	ruleSkillShadow  = "skill.shadowed"
	ruleUndeclared   = "template.undeclared"
	ruleDuplicate    = "text.duplicate"
	ruleTool         = "tool.unknown"
	codeInvisible    = "doc.invisible"
	codeSecret       = "doc.secret_like"
)

// rules is the table, ascending by identifier.
var rules = []Rule{
	{"budget.cut", warning, "A budget cut a section. Shorten it, or raise budget.input_tokens.", ""},
	{"budget.dropped", warning, "A budget left a section out. Shorten the prompt, raise the section's priority, or raise budget.input_tokens.", ""},
	{"budget.required_overflow", failure, "What is required alone exceeds the budget: no prompt results.", ""},
	{ruleShare, info, "One section is more than half of a long prompt. Look whether a skill, or a file that is read on demand, serves as well.", ""},
	{ruleTurnBudget, warning, "System and instructions are sent with each step. Their tokens times steps.max are more than a turn should cost (--turn-tokens).", ""},
	{"config.agent", failure, "There is no agent of that name.", ""},
	{"config.contradiction", warning, "Two keys contradict each other, or a key has no effect beside another.", ""},
	{"config.read", failure, "A configuration file cannot be read.", ""},
	{"config.syntax", failure, "A configuration file is not YAML, or YAML of a kind that is refused.", ""},
	{"config.type", failure, "A key has a value of another type than its own.", ""},
	{"config.unknown_env", warning, "A variable of the environment begins with PROEM_ and belongs to no key.", ""},
	{"config.unknown_key", failure, "There is no such key.", ""},
	{"config.user_only", failure, "A file of the project sets a key that is the user's own.", ""},
	{"config.value", failure, "A key does not take that value.", ""},
	{"doc.binary", warning, "The file holds a NUL. What stands behind it is not read.", ""},
	{"doc.blank", info, "The file holds white space only, so another one counts in its place.", ""},
	{"doc.broken_link", info, "A symbolic link leads to nothing.", ""},
	{"doc.case", info, "The name of the file differs from the one looked for in case only; systems that tell them apart do not find it.", ""},
	{"doc.foreign", info, "A file of another tool is here and not read. The message has the key that loads it.", ""},
	{"doc.invalid_utf8", warning, "Bytes of the file are no text in its encoding; the model gets U+FFFD in their place.", ""},
	{codeInvisible, warning, "The text holds characters that people do not see and models read. They may carry orders; they are not sent.", "removes those that are not sent"},
	{"doc.missing", info, "A file that the configuration names is not there.", ""},
	{"doc.not_regular", info, "What has the name of a file is a folder, a pipe or a device.", ""},
	{"doc.outside_root", failure, "A link leads out of the project. What lies there is not read.", ""},
	{codeSecret, warning, "Something looks like a credential, and would be sent with every request. Take it out, and replace the credential if the file was shared.", ""},
	{"doc.symlink_stub", warning, "A symbolic link was checked out as a text file. The file that it names is read instead.", ""},
	{"doc.truncated", warning, "The file is longer than its budget allows; its end is not sent.", ""},
	{"doc.unreadable", warning, "The file cannot be read.", ""},
	{ruleBOM, info, "The file begins with a byte order mark, which other tools show or send.", "removes the mark"},
	{ruleCRLF, info, "Lines end in CR LF. They are sent with LF; other tools and hashes see a difference.", "ends lines with LF"},
	{ruleLineEnds, warning, "Some lines end in CR LF or CR and some in LF.", "ends lines with LF"},
	{ruleUnreachable, warning, "A file looks like instructions, and no agent reads it: another file hides it, or its name is not looked for.", ""},
	{ruleUTF16, warning, "The file is UTF-16, which most tools take for binary.", "writes the same text as UTF-8"},
	{"import.cycle", warning, "Imports lead in a circle. Each file is read once.", ""},
	{"import.depth", warning, "An import lies deeper within others than project.import_depth allows; it is not read.", ""},
	{"import.missing", warning, "An imported file does not exist. The reference stays in the text.", ""},
	{"import.not_regular", warning, "What is imported is a folder, a pipe or a device.", ""},
	{"import.outside_root", warning, "An import leads out of the project, or into .git; it is not read.", ""},
	{"import.repeated", info, "An imported file is in the prompt already.", ""},
	{"import.unreadable", warning, "An imported file cannot be read.", ""},
	{ruleBadIgnore, failure, "A comment is to suppress a finding, and names no rule there is, or no reason.", ""},
	{ruleUnusedIgnore, warning, "A comment suppresses nothing. Take it out, or the next fault there goes unseen.", ""},
	{ruleFence, warning, "A code fence is opened and never closed: all that follows counts as code, references to files and tools too.", ""},
	{ruleData, warning, "A table or the result of a query stands in the system text. Data changes and is not a rule: let a tool look it up, or put it into a context.", ""},
	{ruleInput, warning, "The user's message is part of the system text or the instructions, so that each message is another prefix and is said twice.", ""},
	{ruleProtocol, warning, "The system text repeats what the runtime says of itself, or teaches a protocol for calling tools. The two may differ one day.", ""},
	{ruleToolText, warning, "The prompt repeats the description of a tool, which is sent with the tool.", ""},
	{ruleTurn, warning, "A section that changes at every request stands before the conversation, so that no cache finds what follows it. Put it into the channel context.", ""},
	{ruleUnstable, warning, "What stands before the conversation differs between two runs of the same agent, so that no cache finds it.", ""},
	{ruleVolatile, warning, "A time, a date of today or an identifier of a session stands before the conversation. It is wrong tomorrow, or breaks the cache every time.", ""},
	{"section.changed", info, "A session keeps its prefix; this section says something else by now.", ""},
	{"section.failed", warning, "The source of a section failed.", ""},
	{"section.sole_conflict", failure, "Two sections each want to be the only one of their channel.", ""},
	{"session.prefix_rebuilt", warning, "The prefix of a session was lost and made anew.", ""},
	{"skill.case", info, "A file differs from SKILL.md in case only, and is not read.", ""},
	{ruleSkill, warning, "A model cannot tell two skills apart, or a skill from a tool: they have the same description or name.", ""},
	{"skill.description", warning, "A skill has no description, so that a model cannot know when to use it.", ""},
	{"skill.duplicate", warning, "Two folders of the same place have a skill of the same name; one is left out.", ""},
	{"skill.empty_body", info, "A skill says nothing once it is loaded.", ""},
	{"skill.invalid", warning, "The front matter of a skill cannot be read; the skill is left out.", ""},
	{"skill.lenient", warning, "The front matter of a skill is not YAML and was read as plain lines. Put values that hold a colon into quotes.", ""},
	{"skill.list_truncated", warning, "The list of skills is longer than skills.list_max_bytes; descriptions were cut.", ""},
	{"skill.name", warning, "The name of a skill does not serve as one, or is not that of its folder.", ""},
	{"skill.outside_root", warning, "A skill, or a file of it, leads out of its folder; it is not read.", ""},
	{"skill.repository", warning, "A place of skills cannot be read.", ""},
	{ruleSkillShadow, info, "Another skill has the same name and counts in its place.", ""},
	{"subagent.duplicate", warning, "Two subagents have the same name; one is left out.", ""},
	{"subagent.list_truncated", warning, "The list of subagents is longer than its budget.", ""},
	{"template.name", failure, "A reference in a template is not the name of a variable.", ""},
	{"template.open", failure, "Braces in a template open no reference.", ""},
	{ruleUndeclared, warning, "A text has a reference such as {{name}} and is not a template: the braces are sent as they are.", ""},
	{ruleDuplicate, warning, "A paragraph says what another one says. It costs twice, and one of them will be forgotten at the next change.", ""},
	{"tool.changed", warning, "A tool changed its description and is held back.", ""},
	{"tool.duplicate", warning, "Two tools have the same name.", ""},
	{"tool.order_duplicate", failure, "tools.order names a tool twice.", ""},
	{"tool.order_marker", failure, "tools.order has the marker for all others more than once.", ""},
	{"tool.order_unknown", failure, "tools.order names a tool that does not exist.", ""},
	{"tool.refused", warning, "A tool cannot be offered.", ""},
	{"tool.reserved_name", failure, "A tool has a name that is kept for something else.", ""},
	{"tool.shadowed", warning, "Two sets have a tool of the same name; one is left out.", ""},
	{ruleTool, warning, "A text or a key names a tool that does not exist. A model that follows it fails, or makes one up.", ""},
	{"trust.blocked", warning, "Files of the project are held back, because the folder is not trusted.", ""},
	{"trust.changed", warning, "A file of the project changed since it was trusted.", ""},
	{"var.missing", failure, "A template refers to a variable that is not registered.", ""},
	{"var.no_value", failure, "A template refers to a variable that has no value at present.", ""},
	{"var.unused", info, "A variable is configured and no template refers to it.", ""},
	{"wire.cache_dropped", warning, "A mark for the provider's cache was left out.", ""},
	{"wire.downgraded", info, "The protocol cannot carry something as it is.", ""},
	{"wire.dropped", warning, "The protocol cannot carry something; it is left out.", ""},
	{"wire.merged", info, "Messages or texts were joined, because the host takes only one.", ""},
	{"wire.repaired", warning, "The conversation was repaired so that the host takes it.", ""},
	{"workspace.name", warning, "A file of the agent's home has a name that cannot be shown.", ""},
	{"workspace.truncated", warning, "The files of the agent's home are longer than workspace.max_tokens; some were cut or left out.", ""},
}
