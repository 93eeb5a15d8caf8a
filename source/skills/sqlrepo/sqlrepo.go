// Package sqlrepo has the skills of a table in a database, reached by
// database/sql with a driver of the program's choice:
//
//	db, err := sql.Open("pgx", dsn)
//	...
//	repo := sqlrepo.New(sqlrepo.Config{DB: db, Dollar: true, Trust: span.User})
//	set := skills.New(skills.Config{Tiers: []skills.Tier{{Scope: "team", Repo: repo}}})
//
// The table has a row for each file:
//
//	CREATE TABLE skills (
//		skill   VARCHAR(255)  NOT NULL, -- the folder, which is the skill's name by custom
//		path    VARCHAR(1024) NOT NULL, -- below the folder, slash-separated; SKILL.md makes it a skill
//		content TEXT          NOT NULL, -- or bytes: BYTEA, BLOB
//		version BIGINT        NOT NULL, -- above that of every write before
//		PRIMARY KEY (skill, path)
//	)
//
// Whoever writes a row gives it a version that is greater than all before, such as
// the next of a sequence or the time in microseconds, and what belongs together
// is written in one transaction. Then the number of rows and their greatest
// version tell whether anything changed, and that is all that is asked as long as
// nothing did. (MariaDB's and MySQL's TEXT holds 64 KB: use MEDIUMTEXT there, and
// a collation that tells upper from lower case.)
//
// Nothing is written. The statements are those that SQLite from 3.43,
// PostgreSQL, MariaDB and MySQL understand alike but for their placeholders.
package sqlrepo

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/proemhq/proem/env"
	"github.com/proemhq/proem/prompt"
	"github.com/proemhq/proem/source/skills"
	"github.com/proemhq/proem/source/skills/snapshot"
	"github.com/proemhq/proem/source/skills/tree"
	"github.com/proemhq/proem/span"
)

// DefaultTable is the name of the table.
const DefaultTable = "skills"

// The bounds of a table.
const (
	maxRows = 20000
	maxRead = 32 << 20        // bytes of all manifests
	patient = 5 * time.Second // for the content of a file
)

// A Config says what to read.
type Config struct {
	Env    *env.Env // nil: the operating system's
	DB     *sql.DB
	Table  string // letters, digits, _, and a schema with a dot before it; empty: DefaultTable
	Dollar bool   // placeholders are $1 and $2, as in PostgreSQL, not ?
	Trust  span.Trust
	// Every is for how long a state is good; 0: until somebody asks again, which costs
	// one short query.
	Every time.Duration
}

// New returns a repository. Nothing is read yet; what is wrong with c is reported
// when it is used.
func New(c Config) *snapshot.Repository {
	if c.Table == "" {
		c.Table = DefaultTable
	}
	r := &repo{c}
	return snapshot.New(snapshot.Config{Env: c.Env, Trust: c.Trust, Every: c.Every, Fetch: r.fetch})
}

type repo struct{ cfg Config }

// name matches the name of a table that needs no quotes.
var name = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)?$`)

// fetch implements the function of a snapshot.
func (r *repo) fetch(ctx context.Context, last *snapshot.Tree) (*snapshot.Tree, error) {
	t, err := r.read(ctx, last)
	if err != nil {
		return nil, fmt.Errorf("table %.100s: %w", r.cfg.Table, err)
	}
	return t, nil
}

func (r *repo) read(ctx context.Context, last *snapshot.Tree) (*snapshot.Tree, error) {
	switch {
	case r.cfg.DB == nil:
		return nil, errors.New("there is no database")
	case !name.MatchString(r.cfg.Table):
		return nil, errors.New("this is not the plain name of a table")
	}
	version, err := r.version(ctx)
	if err != nil {
		return nil, err
	}
	if last != nil && last.Version == version {
		return last, nil
	}
	t := &snapshot.Tree{Path: "/" + r.cfg.Table, Version: version}
	if err := r.rows(ctx, t); err != nil {
		return nil, err
	}
	return t, nil
}

// version returns what tells one state of the table from another. A write that
// comes between this and the reading of the rows is read again the next time.
func (r *repo) version(ctx context.Context) (string, error) {
	var rows int64
	var greatest sql.NullInt64
	err := r.cfg.DB.QueryRowContext(ctx, "SELECT COUNT(*), MAX(version) FROM "+r.cfg.Table).Scan(&rows, &greatest)
	return fmt.Sprintf("%d %d", rows, greatest.Int64), err
}

// rows reads which files there are, and the content of the manifests.
func (r *repo) rows(ctx context.Context, t *snapshot.Tree) error {
	rows, err := r.cfg.DB.QueryContext(ctx, fmt.Sprintf("SELECT skill, path, version, OCTET_LENGTH(content), "+
		"CASE WHEN path = '%s' THEN SUBSTR(content, 1, %d) END FROM %s ORDER BY skill, path", skills.Manifest, snapshot.MaxFile+1, r.cfg.Table))
	if err != nil {
		return err
	}
	defer rows.Close()
	total := 0
	for rows.Next() {
		var skill, file string
		var version, size int64
		var content sql.RawBytes
		if err := rows.Scan(&skill, &file, &version, &size, &content); err != nil {
			return err
		}
		if len(t.Files) == maxRows {
			return fmt.Errorf("there are more than %d rows", maxRows)
		}
		f := tree.File{Name: path.Join(skill, file), Size: size}
		switch {
		case f.Name != skill+"/"+file || strings.Contains(skill, "/") || skill == "" || file == "":
			t.Diagnostics = append(t.Diagnostics, prompt.Diagnostic{Severity: prompt.Warning, Code: snapshot.CodeFile, Path: t.Path,
				Message: fmt.Sprintf("%.200q of %.100q is no path below a folder; it is left out", file, skill)})
			continue
		case content != nil:
			if total += len(content); total > maxRead {
				return fmt.Errorf("the manifests exceed %d bytes", maxRead)
			}
			own := append([]byte{}, content...)
			f.Read = func() ([]byte, error) { return own, nil }
		default:
			f.Read = func() ([]byte, error) { return r.content(skill, file, version) }
		}
		t.Files = append(t.Files, f)
	}
	return rows.Err()
}

// content reads one file, up to what anybody uses of it, as long as it is the one
// that was listed. Whoever opens a file has no context to give.
func (r *repo) content(skill, file string, version int64) ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patient)
	defer cancel()
	where := "skill = ? AND path = ?"
	if r.cfg.Dollar {
		where = "skill = $1 AND path = $2"
	}
	var content []byte
	var now int64
	err := r.cfg.DB.QueryRowContext(ctx, fmt.Sprintf("SELECT version, SUBSTR(content, 1, %d) FROM %s WHERE %s", snapshot.MaxFile+1, r.cfg.Table, where),
		skill, file).Scan(&now, &content)
	switch {
	case errors.Is(err, sql.ErrNoRows) || err == nil && now != version:
		return nil, errors.New("it was changed since the skills were listed; ask again")
	case err != nil:
		return nil, err
	}
	return content[:min(len(content), snapshot.MaxFile+1)], nil
}
