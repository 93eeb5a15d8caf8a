package agent

import (
	"github.com/proemhq/proem/chat"
	"github.com/proemhq/proem/session"
)

// placesOf says where the messages of a request come from, one by one. history and
// contexts are those that it was made from, and places theirs, in that order. What a
// preset left out of the history has no message; what it made for the request alone
// has the zero place.
func placesOf(sent, history, contexts []chat.Message, places []session.Place) []session.Place {
	out := make([]session.Place, len(sent))
	at := 0
	all := append(history[:len(history):len(history)], contexts...)
	find := func(m chat.Message, same func(sent, was chat.Message) bool) (int, bool) {
		for j := at; j < len(all) && j < len(places); j++ {
			if same(m, all[j]) {
				return j, true
			}
		}
		return 0, false
	}
	for i, m := range sent {
		j, ok := find(m, identical)
		if !ok {
			j, ok = find(m, sameMessage)
		}
		if ok {
			out[i], at = places[j], j+1
		}
	}
	return out
}

// identical reports whether a message is one of the history as it is there.
func identical(sent, was chat.Message) bool {
	return len(sent.Parts) > 0 && len(was.Parts) > 0 && &sent.Parts[0] == &was.Parts[0]
}

// sameMessage reports whether a message of a request is one of the history, perhaps
// with results cut or reasoning left out.
func sameMessage(sent, was chat.Message) bool {
	if sent.Role != was.Role || sent.Name != was.Name {
		return false
	}
	if len(sent.Parts) == 0 || len(was.Parts) == 0 {
		return len(sent.Parts) == len(was.Parts)
	}
	mine, theirs := sent.Results(), was.Results()
	if len(mine) > 0 || len(theirs) > 0 {
		return len(mine) > 0 && len(theirs) > 0 && mine[0].ID == theirs[0].ID
	}
	calls, before := sent.Calls(), was.Calls()
	if len(calls) > 0 || len(before) > 0 {
		return len(calls) > 0 && len(before) > 0 && calls[0].ID == before[0].ID
	}
	return sent.Text().String() == was.Text().String()
}
