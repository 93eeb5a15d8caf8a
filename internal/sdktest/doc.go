// Package sdktest holds tests that judge bodies and responses by the official
// SDKs: what proem encodes must be what an SDK reads into its own types, without
// loss. It is a module of its own, so that the SDKs are no dependency of proem.
//
//	cd internal/sdktest && go test ./...
package sdktest
