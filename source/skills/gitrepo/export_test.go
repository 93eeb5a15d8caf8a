package gitrepo

// What the fuzz targets look at.
var Next = next

func ParseList(out []byte) ([]entry, error) { return parseList(out, maxFiles) }
