//go:build unix

package dbtest_test

import (
	"bytes"
	"database/sql"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx
)

// program returns the path of one of the server's programs, or nothing.
func program(name string) string {
	if p, err := exec.LookPath(name); err == nil {
		if real, err := filepath.EvalSymlinks(p); err == nil {
			return real
		}
	}
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/" + name)
	slices.Sort(found)
	if len(found) == 0 {
		return ""
	}
	return found[len(found)-1]
}

// postgres starts a server that listens on a socket in a folder of its own, and
// returns a database on it.
func postgres(t *testing.T) *sql.DB {
	t.Helper()
	initdb, server := program("initdb"), program("postgres")
	if initdb == "" || server == "" {
		t.Skip("POSTGRESQL IS NOT INSTALLED (initdb and postgres): the table is tested on SQLite only")
	}
	dir, err := os.MkdirTemp("", "pg") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	as := serverUser(t, dir)
	data := filepath.Join(dir, "data")
	run := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.SysProcAttr, cmd.Env = dir, as, []string{"LC_ALL=C", "TZ=UTC", "PATH=" + os.Getenv("PATH"), "HOME=" + dir}
		return cmd
	}
	if out, err := run(initdb, "-D", data, "-U", "proem", "-A", "trust", "-E", "UTF8", "--no-sync").CombinedOutput(); err != nil {
		t.Fatalf("initdb: %v\n%s", err, out)
	}
	cmd := run(server, "-D", data, "-k", dir, "-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=20", "-c", "shared_buffers=16MB")
	said := &locked{}
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(syscall.SIGINT) // ends connections and stops
		cmd.Wait()
	})
	db, err := sql.Open("pgx", "host="+dir+" user=proem dbname=postgres sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		err := db.Ping()
		if err == nil {
			return db
		}
		if time.Now().After(end) {
			t.Fatalf("the server does not answer: %v\n%s", err, said)
		}
	}
}

// serverUser gives dir to somebody who may run the server, which refuses root.
func serverUser(t *testing.T, dir string) *syscall.SysProcAttr {
	t.Helper()
	if os.Getuid() != 0 {
		return nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err := strconv.Atoi(u.Uid)
		if err != nil {
			t.Fatal(err)
		}
		gid, err := strconv.Atoi(u.Gid)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(dir, uid, gid); err != nil {
			t.Fatal(err)
		}
		return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
	}
	t.Skip("POSTGRESQL DOES NOT RUN AS ROOT, and there is neither a user postgres nor nobody")
	return nil
}

// locked is a buffer that a process writes while a test reads it.
type locked struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *locked) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.TrimSpace(l.b.String())
}
