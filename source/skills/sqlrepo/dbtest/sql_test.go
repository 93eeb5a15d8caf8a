package dbtest_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	_ "modernc.org/sqlite" // the driver sqlite

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/skills"
	"github.com/proemhq/proem/source/skills/skillstest"
	"github.com/proemhq/proem/source/skills/sqlrepo"
	"github.com/proemhq/proem/span"
)

// A database is one with what differs between them.
type database struct {
	db     *sql.DB
	dollar bool
	bytes  string // the type of a column of bytes
}

// TestDatabases runs all tests on each database.
func TestDatabases(t *testing.T) {
	for _, d := range []struct {
		name string
		open func(*testing.T) database
	}{
		{"SQLite", func(t *testing.T) database {
			db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "skills.db"))
			must(t, err)
			t.Cleanup(func() { db.Close() })
			db.SetMaxOpenConns(1)
			return database{db, false, "BLOB"}
		}},
		{"PostgreSQL", func(t *testing.T) database { return database{postgres(t), true, "BYTEA"} }},
	} {
		t.Run(d.name, func(t *testing.T) {
			db := d.open(t)
			var v string
			must(t, db.db.QueryRow(map[bool]string{true: "SELECT version()", false: "SELECT sqlite_version()"}[db.dollar]).Scan(&v))
			t.Log(v)
			for _, content := range []string{"TEXT", db.bytes} {
				t.Run(content, func(t *testing.T) { testConformance(t, db, content) })
			}
			t.Run("Refresh", func(t *testing.T) { testRefresh(t, db) })
			t.Run("Changed", func(t *testing.T) { testChanged(t, db) })
			t.Run("Hostile", func(t *testing.T) { testHostile(t, db) })
			t.Run("Bounds", func(t *testing.T) { testBounds(t, db) })
			t.Run("Failure", func(t *testing.T) { testFailure(t, db) })
		})
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func same(t testing.TB, what string, got, want any) {
	t.Helper()
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("%s (-got +want):\n%s", what, diff)
	}
}

var tables, versions atomic.Int64

// A table is one of its own for each test.
type table struct {
	database
	name string
}

func (d database) table(t testing.TB, content string) table {
	t.Helper()
	tab := table{d, fmt.Sprintf("skills_%d", tables.Add(1))}
	tab.exec(t, "CREATE TABLE %s (skill VARCHAR(255) NOT NULL, path VARCHAR(1024) NOT NULL, content "+content+
		" NOT NULL, version BIGINT NOT NULL, PRIMARY KEY (skill, path))")
	return tab
}

// exec runs a statement with the table's name in it and arguments behind.
func (tab table) exec(t testing.TB, statement string, args ...any) {
	t.Helper()
	statement = fmt.Sprintf(statement, tab.name)
	for i := 1; !tab.dollar && i <= len(args); i++ {
		statement = strings.Replace(statement, fmt.Sprintf("$%d", i), "?", 1)
	}
	_, err := tab.db.Exec(statement, args...)
	must(t, err)
}

func (tab table) put(t testing.TB, skill, path string, content any) {
	t.Helper()
	tab.exec(t, "DELETE FROM %s WHERE skill = $1 AND path = $2", skill, path)
	tab.exec(t, "INSERT INTO %s (skill, path, content, version) VALUES ($1, $2, $3, $4)", skill, path, content, versions.Add(1))
}

func (tab table) repo(e *env.Env) skills.Repository {
	return sqlrepo.New(sqlrepo.Config{Env: e, DB: tab.db, Table: tab.name, Dollar: tab.dollar, Trust: span.User})
}

func skill(name, description string) string {
	return "---\nname: " + name + "\ndescription: " + description + "\n---\nbody of " + name + "\n"
}

func seen(t testing.TB, r skills.Repository) []string {
	t.Helper()
	l, err := r.List(context.Background(), prompt.Who{})
	if err != nil {
		return []string{"error: " + err.Error()}
	}
	out := []string{}
	for _, s := range l.Skills {
		out = append(out, s.Name+": "+s.Description)
	}
	for _, d := range l.Diagnostics {
		out = append(out, d.Code)
	}
	return out
}

func testConformance(t *testing.T, d database, content string) {
	skillstest.Run(t, func(t *testing.T, files map[string]string) skills.Repository {
		tab := d.table(t, content)
		for _, name := range slices.Sorted(maps.Keys(files)) {
			folder, rest, _ := strings.Cut(name, "/")
			if content == "TEXT" {
				tab.put(t, folder, rest, files[name])
			} else {
				tab.put(t, folder, rest, []byte(files[name]))
			}
		}
		return tab.repo(nil)
	})
}

// testRefresh: changes are seen without a restart, and what did not change is not
// read.
func testRefresh(t *testing.T, d database) {
	tab := d.table(t, "TEXT")
	r := tab.repo(nil)
	same(t, "empty", seen(t, r), []string{})
	tab.put(t, "a", "SKILL.md", skill("a", "one"))
	tab.put(t, "a", "ref/x.md", "1")
	tab.put(t, "b", "SKILL.md", skill("b", "d"))
	same(t, "filled", seen(t, r), []string{"a: one", "b: d"})
	tab.put(t, "a", "SKILL.md", skill("a", "two"))
	same(t, "changed", seen(t, r), []string{"a: two", "b: d"})
	tab.exec(t, "DELETE FROM %s WHERE skill = $1", "b")
	same(t, "deleted", seen(t, r), []string{"a: two"})
	// A write without a new version shows that nothing is read again.
	tab.exec(t, "UPDATE %s SET content = $1 WHERE path = $2", skill("a", "silent"), "SKILL.md")
	same(t, "without a version", seen(t, r), []string{"a: two"})
}

// testChanged: a file that was changed after the listing is refused until the
// skills are listed again, so that a skill is never half old and half new.
func testChanged(t *testing.T, d database) {
	tab := d.table(t, "TEXT")
	tab.put(t, "a", "SKILL.md", skill("a", "d"))
	tab.put(t, "a", "x.md", "1")
	r := tab.repo(nil)
	seen(t, r)
	tab.put(t, "a", "x.md", "2")
	_, err := r.Open(context.Background(), prompt.Who{}, "a", "x.md")
	var e *skills.Error
	if !errors.As(err, &e) || e.Code != skills.CodeRefused || !strings.Contains(err.Error(), "changed since") {
		t.Error(err)
	}
	seen(t, r)
	res, err := r.Open(context.Background(), prompt.Who{}, "a", "x.md")
	must(t, err)
	same(t, "text", res.Text, "2")
}

// testHostile: names in the table are data for the database and for the files.
func testHostile(t *testing.T, d database) {
	tab := d.table(t, "TEXT")
	quote := `x'; DROP TABLE ` + tab.name + `; --`
	tab.put(t, "a", "SKILL.md", skill("a", "d"))
	tab.put(t, "a", quote, "QUOTE")
	for _, at := range [][2]string{{"..", "SKILL.md"}, {"a", "../b/x"}, {"", "SKILL.md"}, {"/etc", "passwd"}, {"c/d", "SKILL.md"}, {"a", `back\slash`}, {"a", "new\nline"}} {
		tab.put(t, at[0], at[1], skill("evil", "d"))
	}
	r := tab.repo(nil)
	same(t, "list", seen(t, r), append([]string{"a: d"}, slices.Repeat([]string{"skill.file"}, 7)...))
	res, err := r.Open(context.Background(), prompt.Who{}, "a", quote)
	must(t, err)
	same(t, "text", res.Text, "QUOTE")
	same(t, "again", len(seen(t, r)), 8)
	for _, name := range []string{"skills; DROP TABLE x", `"skills"`, "a.b.c", "-x", "(SELECT 1)"} {
		got := seen(t, sqlrepo.New(sqlrepo.Config{DB: tab.db, Table: name}))
		if !strings.Contains(got[0], "not the plain name") {
			t.Errorf("%s: %q", name, got)
		}
	}
	got := seen(t, sqlrepo.New(sqlrepo.Config{}))
	same(t, "no database", got, []string{"error: table skills: there is no database"})
}

// testBounds: of a long file the beginning is read, and its size is told.
func testBounds(t *testing.T, d database) {
	tab := d.table(t, d.bytes)
	tab.put(t, "a", "SKILL.md", []byte(skill("a", "d")+strings.Repeat("y", 2<<20)))
	tab.put(t, "a", "long.md", []byte(strings.Repeat("x", 3<<20)))
	r := tab.repo(nil)
	same(t, "list", seen(t, r), []string{"a: d", "doc.truncated"})
	res, err := r.Open(context.Background(), prompt.Who{}, "a", "long.md")
	must(t, err)
	same(t, "long", []any{len(res.Text), res.Size, res.Partial}, []any{1 << 20, int64(3 << 20), true})
}

// testFailure: a table that goes away leaves what was there, with a warning; one
// that was never there is an error.
func testFailure(t *testing.T, d database) {
	tab := d.table(t, "TEXT")
	tab.put(t, "a", "SKILL.md", skill("a", "d"))
	clock := env.NewFakeClock(time.Unix(0, 0))
	r := tab.repo(&env.Env{Clock: clock})
	same(t, "there", seen(t, r), []string{"a: d"})
	tab.exec(t, "ALTER TABLE %s RENAME TO gone_"+tab.name)
	same(t, "gone", seen(t, r), []string{"a: d", "skill.stale"})
	if got := seen(t, tab.repo(nil)); len(got) != 1 || !strings.HasPrefix(got[0], "error: table "+tab.name+":") {
		t.Errorf("%q", got)
	}
	gone := table{tab.database, "gone_" + tab.name}
	gone.exec(t, "ALTER TABLE %s RENAME TO "+tab.name)
	clock.Advance(time.Minute)
	same(t, "back", seen(t, r), []string{"a: d"})
}
