package plain

// Table is what the "*" of a rule does not cover.
const Table = table
