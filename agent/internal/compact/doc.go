// Package compact decides what of a long conversation is sent no longer, and
// puts together what a model is given to summarise. It computes only: the agent
// records events and asks models.
//
//	m := compact.Meter{Count: token.Estimate.Count}
//	room := compact.RoomIn(128_000, 20_000, 0)
//	cuts, saved := compact.Prune(view, m, room.Protect)
//	if tokens-saved > room.Goal {
//		cut := compact.Cut(view, m, room.Keep)
//		text, left := compact.Text(view, cut.At, m, room.Goal)
//		…
//	}
package compact
