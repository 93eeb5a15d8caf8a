package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
)

// A Keeper is a store that keeps, beside the log of a session, the contents that
// its request events name by their hashes. Each is kept once, however often it is
// named. A [Store] that is a Keeper too makes a session's requests replayable.
//
// Whoever appends an event keeps the contents it names first, so that no event is
// ever ahead of them. Delete and [Fork] take the contents along.
type Keeper interface {
	// Keep keeps contents of a session, each under its [Sum] and of at most MaxKept
	// bytes; the session need not have events yet. What is kept already is not written
	// again, unless it was damaged. When Keep returns nil, the contents survive what
	// events survive. They must not be changed afterwards.
	Keep(ctx context.Context, id string, contents ...[]byte) error
	// Kept returns the content with that sum. The error is ErrNotKept if there is
	// none, and ErrDamaged if what is there is not the content any more. The bytes are
	// not to be changed.
	Kept(ctx context.Context, id, sum string) ([]byte, error)
	// Sums returns the sums of what is kept of a session, in ascending order. Nothing
	// is read to tell whether it is damaged.
	Sums(ctx context.Context, id string) ([]string, error)
}

// MaxKept is how long a content may be.
const MaxKept = 64 << 20

// ErrNotKept says that a session has no content with the sum that was asked for.
var ErrNotKept = errors.New("not kept")

// ErrDamaged says that a kept content does not have the sum it is kept under.
var ErrDamaged = errors.New("damaged: the content does not have its hash")

// Sum returns the name of a content: its SHA-256 in hex.
func Sum(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// CheckSum reports whether a sum is 64 small hex digits. Only such sums may become
// part of a path.
func CheckSum(sum string) error {
	if raw, err := hex.DecodeString(sum); err != nil || len(raw) != sha256.Size || hex.EncodeToString(raw) != sum {
		return fmt.Errorf("sum %.80q: not 64 small hex digits", sum)
	}
	return nil
}

// CheckKeep reports whether the arguments of Keep are well formed. Every Keeper
// calls it first.
func CheckKeep(id string, contents [][]byte) error {
	if err := CheckID(id); err != nil {
		return err
	}
	for _, c := range contents {
		if len(c) > MaxKept {
			return fmt.Errorf("session %s: a content of %d bytes: at most %d are kept", id, len(c), MaxKept)
		}
	}
	return nil
}

// copyKept keeps for newID what is kept of id. What is damaged is left out: whoever
// needs it is told that it is not kept.
func copyKept(ctx context.Context, k Keeper, id, newID string) error {
	sums, err := k.Sums(ctx, id)
	if err != nil {
		return err
	}
	for _, sum := range sums { // one by one: together they may be large
		content, err := k.Kept(ctx, id, sum)
		if errors.Is(err, ErrDamaged) || errors.Is(err, ErrNotKept) {
			continue
		}
		if err == nil {
			err = k.Keep(ctx, newID, content)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
