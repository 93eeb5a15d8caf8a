// Package permit decides which calls of tools may run.
package permit
