//go:build !unix

package dbtest_test

import (
	"database/sql"
	"testing"
)

func postgres(t *testing.T) *sql.DB {
	t.Skip("POSTGRESQL IS STARTED ON UNIX ONLY: the table is tested on SQLite only")
	return nil
}
