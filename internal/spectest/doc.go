// Package spectest holds tests that judge request bodies by the schemas that
// providers publish. It is a module of its own, so that the validator is no
// dependency of proem. The schemas are not part of the project: the tests look
// for them in the folder spec below $SHARED_DIR, and are skipped without it.
//
//	cd internal/spectest && SHARED_DIR=/path/to/folder go test ./...
package spectest
