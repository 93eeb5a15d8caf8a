package session

import (
	"fmt"
	"slices"

	"github.com/proemhq/proem/chat"
)

// A View is the state of a session as its events tell it.
type View struct {
	// Messages is the history to send: inputs, contexts, notices, answers, and
	// behind each answer the results of its calls, in the order of the calls.
	// Nothing the user wrote is missing unless a compaction replaced it, and what
	// the user asked for last never is. The elements are shared and must not be
	// changed; appending to the slice is safe.
	Messages []chat.Message
	// Places says of each message where it comes from. It is not to be changed.
	Places []Place
	// Settled is how many leading messages no later result can change.
	Settled int
	// Shortened is the last event that made the history shorter, and Through the
	// last one whose messages were replaced; 0: none.
	Shortened, Through uint64
	// ThroughSteps is Steps at that compaction, without a step whose request is made
	// once more after it.
	ThroughSteps int
	Seq          uint64  // the last event; 0: none
	Turn         int     // of the last event that has one
	Step         int     // within Turn, likewise
	Started      bool    // the session has a start event
	Parent       *Parent // of a child; nil: it is none
	// Told are the ids of the tasks whose end a notice told, in order.
	Told []string
	// Contexts are the context messages of the latest step that had any: what the
	// model knows of the dynamic facts; none after a compaction.
	Contexts []chat.Message
	// Open are the calls that have no result, in order. Each needs one before the
	// next request.
	Open []chat.ToolCall
	// Begun are the ids of those open calls whose tool was started: its outcome is
	// unknown, and it must not be run again without asking.
	Begun []string
	// Asked are the questions of open calls that nobody has answered, and Replies
	// the answers to questions of calls that are open still, both in order. Answered
	// are the questions of Replies, one for each.
	Asked    []Ask
	Replies  []Reply
	Answered []Ask
	// Code is the program that runs, or is to run again; nil: none. Open, Begun, Asked
	// and Replies are of its calls then.
	Code *CodeRun
	// Granted is what a person allowed for the rest of the session.
	Granted Granted
	// Spent is what the answers of the last turn used, summaries included, and what
	// calls of it asked other models.
	Spent Spent
	// Prefix is what stands before the conversation; nil: it is not kept.
	Prefix *Prefix
	// Pending says that the turn of the last input was not stopped, as after a
	// crash.
	Pending bool
	// LastRequest is the last request; Unanswered says that no answer to it came.
	LastRequest *Request
	Unanswered  bool
	// Tools is what the session knows of its tools; nil: they cannot change. It is
	// not to be changed.
	Tools *Tools
	// States is what the session keeps besides its history, in ascending order of
	// names. It is not to be changed.
	States []Standing
	// Steps is how many steps sent a request; SentTurn and SentStep are the last of
	// them.
	Steps, SentTurn, SentStep int
	// LastStop is how the last turn ended; nil: it has not.
	LastStop *Stop
	// LastUsage is what the last answer reported; nil: nothing, or the history was
	// made shorter since.
	LastUsage *Usage
	// Losses are the runs of events that the store has lost. Results without their
	// call are left out of Messages then.
	Losses []Loss
}

// Fold returns the view of a log. The events are all of a session's, in order;
// transient ones are skipped. An empty log has the zero view.
//
// A log that cannot have come about is an error: a gap in the numbers, a step
// backwards, a second result for a call, an answer while calls are open. Where
// the store reported a loss, what follows from it is not an error.
func Fold(events []Event) (View, error) {
	var f Folder
	for i := range events {
		if err := f.Add(events[i]); err != nil {
			return View{}, err
		}
	}
	return f.View(), nil
}

// A Folder folds a log as it grows: each event costs the same, however long the
// session is. The zero Folder has seen no events. An event that Add refuses
// changes nothing.
type Folder struct {
	view View // without Messages, Places, Settled, Open and Begun
	// done is the settled history, with the places of its messages; up to a
	// compaction it is only ever appended to. tail is the rest of it, from the first
	// answer with open calls on.
	done   []chat.Message
	places []Place
	tail   []entry
	code   *codeRun // nil: no program runs
	// contextTurn and contextStep are those of view.Contexts.
	contextTurn, contextStep int
}

// Add takes in the next event.
func (f *Folder) Add(e Event) error {
	if err := f.add(e); err != nil {
		return fmt.Errorf("event %d (%s): %w", e.Seq, e.Kind, err)
	}
	return nil
}

func (f *Folder) add(e Event) error {
	if err := e.check(); err != nil {
		return err
	}
	if e.Kind == Lost {
		if first := e.Loss.First; first != 0 && first != f.view.Seq+1 {
			return fmt.Errorf("expected the loss to begin at event %d, not %d", f.view.Seq+1, first)
		}
		f.view.Losses = append(slices.Clip(f.view.Losses), *e.Loss)
		f.view.Seq = max(f.view.Seq, e.Loss.Last)
		return nil
	}
	if e.Seq == 0 {
		return nil
	}
	if want := f.view.Seq + 1; e.Seq != want {
		return fmt.Errorf("expected event %d", want)
	}
	if err := f.order(e); err != nil {
		return err
	}
	if err := f.apply(e); err != nil {
		return err
	}
	f.view.Seq = e.Seq
	if e.Kind != Diagnostic && e.Turn > 0 {
		f.view.Turn, f.view.Step = e.Turn, e.Step
	}
	return nil
}

// order refuses a step backwards in time.
func (f *Folder) order(e Event) error {
	if e.Kind == Start && e.Seq != 1 {
		return fmt.Errorf("must be the first event")
	}
	if e.Kind == Diagnostic || e.Turn == 0 {
		return nil
	}
	if e.Turn < f.view.Turn || e.Turn == f.view.Turn && e.Step < f.view.Step {
		return fmt.Errorf("turn %d, step %d comes after turn %d, step %d", e.Turn, e.Step, f.view.Turn, f.view.Step)
	}
	return nil
}

func (f *Folder) apply(e Event) error {
	v := &f.view
	switch e.Kind {
	case Start:
		v.Started, v.Parent = true, e.Parent
	case Input:
		f.append(entryOf(e))
		v.Pending, v.LastStop, v.Spent = true, nil, Spent{}
	case Context:
		f.append(entryOf(e))
		if e.Turn != f.contextTurn || e.Step != f.contextStep {
			v.Contexts = nil
			f.contextTurn, f.contextStep = e.Turn, e.Step
		}
		v.Contexts = append(slices.Clip(v.Contexts), *e.Message)
	case Notice:
		f.append(entryOf(e))
		for _, t := range e.Tasks {
			v.Told = append(slices.Clip(v.Told), t.ID)
		}
	case Requested:
		v.Steps, v.SentTurn, v.SentStep = v.StepNumber(e.Turn, e.Step), e.Turn, e.Step
		v.LastRequest, v.Unanswered, v.LastStop = e.Request, true, nil
	case Answer:
		return f.answer(e)
	case Ran:
		return f.beginCode(e)
	case RanCalls:
		return f.codeCalls(e)
	case RanResult:
		return f.endCode(e)
	case Call:
		return f.begin(*e.Call)
	case Asked:
		return f.ask(*e.Ask)
	case Replied:
		return f.reply(*e.Reply)
	case Result:
		return f.result(e)
	case ToolState:
		v.Tools = e.Tools
	case Prefixed:
		v.Prefix = v.Prefix.with(e.Prefix)
	case Kept:
		f.keep(e)
	case Stopped:
		v.LastStop, v.Pending = e.Stop, false
	case Pruned:
		return f.prune(e)
	case Compacted:
		return f.compact(e)
	case Diagnostic:
		f.charge(e)
	}
	return nil
}

// charge counts what a model that summarised the conversation used.
func (f *Folder) charge(e Event) {
	if e.Charged() {
		f.view.Spent.Add(e.Usage)
	}
}
