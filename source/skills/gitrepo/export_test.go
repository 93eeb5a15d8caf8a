package gitrepo

// What the fuzz targets look at.
var (
	ParseList = parseList
	Next      = next
)
