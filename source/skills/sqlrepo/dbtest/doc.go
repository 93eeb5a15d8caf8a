// Package dbtest tests package sqlrepo on databases as they are: SQLite, and a
// PostgreSQL server that the test starts. It is a module of its own because of
// the drivers.
package dbtest
