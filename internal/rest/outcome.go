package rest

import (
	"cmp"
	"net/http"
	"slices"
	"time"
)

// What the end of an attempt means is decided in this file alone: by one table if there was a response.

// Kind is what a failed attempt means for the next one. A non-idempotent request that may be done is not sent again.
type Kind int

// The kinds of failures.
const (
	Final       Kind = iota // it would fail in the same way
	NotSent                 // sent again: it cannot have been carried out
	NoResponse              // sent again: it was sent, and the response is lost or cut off
	RateLimited             // sent again, after the wait
	Temporary               // sent again
	Busy                    // an update is sent again for a minute: its object is being changed or wakes up
	Unreadable              // final: a success that cannot be used
	Interrupted             // final: the caller has cancelled
)

// effect is what a write may have done.
type effect int

const (
	perhaps      effect = iota // all of it, perhaps later
	halfWay                    // a part of it, or nothing
	nothing                    // nothing
	nothingIfOwn               // nothing, if the API itself says so
)

// meaning is what a status means: for the next attempt, of a write, and what to do.
type meaning struct {
	Kind
	effect
	advise   func(*Call) string // nil if nothing is known to help
	byAnyone bool               // the advice holds whoever has answered
}

// meanings are those of a status, or of all others of its hundred. What is not listed is final, and may be done.
var meanings = map[int]meaning{
	2:   {Unreadable, perhaps, toSay(support), false},
	4:   {Final, halfWay, nil, false},
	5:   {Temporary, perhaps, toSay(runAgain), true},
	401: {Final, nothingIfOwn, func(k *Call) string { return k.API.Unauthorized }, false},
	403: {Final, nothingIfOwn, func(k *Call) string { return k.API.Forbidden }, false},
	404: {Final, halfWay, (*Call).adviseNotFound, false},
	407: {Final, halfWay, toSay(checkProxy), true},
	408: {Temporary, perhaps, toSay(runAgain), true},
	409: busy, 423: busy, 424: busy,
	425: {Temporary, nothing, toSay(runAgain), true},
	429: {RateLimited, nothing, toSay(slower), true},
	501: {Final, perhaps, toSay(runAgain), true},
	505: {Final, perhaps, toSay(runAgain), true},
}

var busy = meaning{Busy, halfWay, func(k *Call) string { return cmp.Or(k.BusyAdvice, later) }, false}

func toSay(advice string) func(*Call) string { return func(*Call) string { return advice } }

func meaningOf(status int) meaning {
	if m, isListed := meanings[status]; isListed && status >= 100 {
		return m
	}
	return meanings[min(status/100, 5)]
}

// busyFor is how long to retry an update whose object is being changed.
const busyFor = time.Minute

func (k *Call) mayRetry(failed *Error, wait time.Duration) bool {
	switch failed.Kind {
	case RateLimited, NotSent, NoResponse, Temporary:
		isUndone := meaningOf(failed.line).effect == nothing && meaningOf(failed.Status).effect == nothing
		return !k.NonIdempotent || isUndone || failed.line == 0 && !failed.Ambiguous
	case Busy:
		first := slices.IndexFunc(k.failures, func(e *Error) bool { return e.Kind == Busy })
		isOver := failed.Elapsed-k.failures[first].Elapsed+wait > busyFor
		return k.Method == http.MethodPatch && !isOver && (!k.NonIdempotent || !failed.Ambiguous)
	default:
		return false
	}
}

// MayBeDone reports whether a write may have been carried out although it got this response: its status line or the
// status in its body says so, or a filter, whose response is no JSON, rejects the response to the creation of a key.
func (r *Response) MayBeDone(method string) bool {
	byLine, byBody := meaningOf(r.line), meaningOf(r.Status)
	isFiltered := method == http.MethodPost && r.Malformed != nil
	return byLine.effect == perhaps || byBody.effect == perhaps || isFiltered
}

// mayExistTwice reports whether a creation was sent again after one of these failures that may be a filter's.
func (k *Call) mayExistTwice(failures []*Error) bool {
	return k.Method == http.MethodPost && slices.ContainsFunc(failures, func(e *Error) bool { return e.Foreign != "" })
}

// NothingDone reports whether a write that failed has changed nothing.
func (e *Error) NothingDone() bool {
	done := meaningOf(e.Status).effect
	return !e.Ambiguous && (e.Status == 0 || done == nothing || done == nothingIfOwn && e.Foreign == "")
}

// IsRejected reports whether the API itself has rejected a request, so that another read would say the same.
func (e *Error) IsRejected() bool {
	m := meaningOf(e.Status)
	return e.NotFound || e.Foreign == "" && (m.Kind == Final || m.Kind == Busy) && m.effect != perhaps
}

// IsLimited reports whether a request came too often.
func (e *Error) IsLimited() bool { return meaningOf(e.Status).Kind == RateLimited }

// IsSuccess reports whether a response says that a write was done, although it is of no use.
func (e *Error) IsSuccess() bool { return e.Status/100 == 2 }

// MayBeOfObject reports whether a request may have been rejected because of the state of its object.
func (e *Error) MayBeOfObject() bool {
	return e.Status/100 == 4 && !e.Ambiguous && e.Status != http.StatusUnauthorized && !e.IsLimited()
}

// isOutage reports whether the API may be down.
func (e *Error) isOutage() bool { return e.Kind == Temporary || e.Status/100 >= 5 }
