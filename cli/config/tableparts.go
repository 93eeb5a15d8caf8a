package config

// parts returns the rows of a list of parts.
func parts(list string) []Key {
	channels, order := []string{"system", "instructions", "context", "reminder"}, "250"
	channel, class, about := "system", "stable for a text, session for a file", "further sections"
	field := func(c *Config) any { return &c.Sections }
	if list == "contexts" {
		channels, order = channels[2:], "300"
		channel, class, about = "context", "turn", "further contexts"
		field = func(c *Config) any { return &c.Contexts }
	}
	return []Key{
		{Name: list, Type: List, Meaning: about, field: of(field)},
		{Name: list + "[].name", Type: String, Required: true, Meaning: "the name, unique in its channel",
			field: of(func(p *Part) any { return &p.Name })},
		{Name: list + "[].channel", Type: String, Default: channel, Values: channels, Meaning: "where the text goes",
			field: of(func(p *Part) any { return &p.Channel })},
		{Name: list + "[].order", Type: Float, Default: order, Min: -unbounded, Max: unbounded, Meaning: "lower stands first, ties by name",
			field: of(func(p *Part) any { return &p.Order })},
		{Name: list + "[].text", Type: String, Meaning: "the text",
			field: of(func(p *Part) any { return &p.Text })},
		{Name: list + "[].file", Type: PathType, Inside: true, Meaning: "a file instead of a text",
			field: of(func(p *Part) any { return &p.File })},
		{Name: list + "[].template", Type: Bool, Default: "false", Meaning: "replace {{references}} by variables",
			field: of(func(p *Part) any { return &p.Template })},
		{Name: list + "[].class", Type: String, Values: []string{"stable", "session", "turn"}, Otherwise: class, Meaning: "how often it changes",
			field: of(func(p *Part) any { return &p.Class })},
		{Name: list + "[].required", Type: Bool, Default: "false", Meaning: "never cut by a budget",
			field: of(func(p *Part) any { return &p.Required })},
		{Name: list + "[].priority", Type: Int, Default: "0", Max: 1 << 30, Meaning: "under a budget the lowest goes first",
			field: of(func(p *Part) any { return &p.Priority })},
	}
}
