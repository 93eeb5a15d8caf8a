package request

import "slices"

// schema checks the parameters of a tool: they are those of an object, and with
// strict the object and all within name every property as required and allow no
// other.
func (c *checker) schema(path string, v *value, strict bool) {
	if !v.is("{") {
		return
	}
	if t := v.get("type"); t == nil && len(v.members) > 0 && (c.protocol == Messages || strict) || t != nil && t.text() != "object" {
		c.fail(path+".type", "must be \"object\"")
	}
	if strict {
		c.strict(path, v)
	}
}

func (c *checker) strict(path string, v *value) {
	if !v.is("{") {
		return
	}
	if props := v.get("properties"); props.is("{") || v.get("type").text() == "object" {
		if a := v.get("additionalProperties"); !a.is("t") || a.str != "false" {
			c.fail(path+".additionalProperties", "must be false in a strict schema")
		}
		var required []string
		if list := v.get("required"); list.is("[") {
			for _, item := range list.items {
				required = append(required, item.text())
			}
		}
		if props != nil {
			for i := range props.members {
				m := &props.members[i]
				if c.protocol != Messages && !slices.Contains(required, m.name) {
					c.fail(path+".required", "must name %q: a strict schema requires every property", m.name)
				}
				c.strict(path+".properties."+m.name, m.value)
			}
		}
	}
	c.strict(path+".items", v.get("items"))
	for _, key := range []string{"$defs", "definitions"} {
		if defs := v.get(key); defs.is("{") {
			for i := range defs.members {
				c.strict(path+"."+key+"."+defs.members[i].name, defs.members[i].value)
			}
		}
	}
	if list := v.get("anyOf"); list.is("[") {
		for _, item := range list.items {
			c.strict(path+".anyOf", item)
		}
	}
}
