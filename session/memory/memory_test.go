package memory_test

import (
	"testing"

	"github.com/proemhq/proem/session"
	"github.com/proemhq/proem/session/memory"
	"github.com/proemhq/proem/session/sessiontest"
)

func TestStore(t *testing.T) {
	sessiontest.Run(t, func(*testing.T) session.Store { return &memory.Store{} })
}
