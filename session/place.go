package session

// A Place says where a message of the history comes from.
type Place struct {
	// Event is the event that brought the message. For the messages of a compaction
	// it is the compaction.
	Event uint64
	// Head is the event of the message that it stays with: for a result that of the
	// answer with the call or the code, for the messages of a compaction the last event that they
	// stand for, else Event.
	Head uint64
	Kind Kind // of the event
}
