package rest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Error is the error of a request that was valid. Its texts contain no secret that the
// client knows, no markup and no control characters.
type Error struct {
	// Operation is what was tried, such as "update pipe"; Subject is the object, such
	// as "pipe … of service …"; Host is where, without path, query and user.
	Operation, Subject, Host string

	// Status is the HTTP status of the last response; 0 if there was none.
	Status int
	// RequestID is the platform's ID of the last request, if it returned one.
	RequestID string
	// Message is the API's own message, cleaned; "" if the response had none.
	Message string
	// Err is the cause if the API did not return one: a failed connection, an
	// unusable response, the end of the caller's context.
	Err error
	// Attempts is the number of requests sent; Elapsed is the time of all of them,
	// waits included.
	Attempts int
	Elapsed  time.Duration

	// Kind is what the failure means for another attempt.
	Kind Kind
	// NotFound reports that the object of the operation does not exist.
	NotFound bool
	// Ambiguous reports a write that may have been carried out.
	Ambiguous bool

	effect string   // what a write may have left behind; "" for nothing
	more   []string // the paragraphs after the first one
	// outage is what all requests have in common, if this error reports it for all.
	outage *trouble
	// brief replaces the text if another error has the details.
	brief string

	requested     time.Duration // wait that the response requested
	requestedWith string        // and the header
}

// Kind is what a failed attempt means for the next one.
type Kind int

// The kinds of failures.
const (
	Final       Kind = iota // a retry would fail in the same way
	NotSent                 // the request cannot have been carried out
	NoResponse              // it was sent, and the response is lost or cut off
	RateLimited             // 429: it was not carried out
	ServerError             // 500, 502, 503, 504
	Unreadable              // a success that cannot be used, and that another would resemble
	Interrupted             // the caller has cancelled
)

// Unwrap returns Err; context.Canceled if the operation was interrupted.
func (e *Error) Unwrap() error { return e.Err }

// Error returns the operation, the host and the whole text in one line.
func (e *Error) Error() string {
	return fmt.Sprintf("%s at %s: %s", e.Operation, e.Host, strings.ReplaceAll(e.paragraphs(), "\n\n", " "))
}

// Summary returns what all requests have in common, such as "The management API is not
// responding", if this error reports it for all of them; else "".
func (e *Error) Summary() string {
	if e.outage == nil {
		return ""
	}
	return e.outage.summary
}

// Detail returns the text below a summary, in paragraphs: what was tried and what
// the API returned, what that means, what to do.
func (e *Error) Detail() string {
	switch {
	case e.brief != "":
		return e.paragraphs()
	case e.outage != nil:
		// The reason has named the host.
		return sentence(capitalized(e.outage.reason)) + " " + e.tried() + ". " + e.paragraphs()
	default:
		return fmt.Sprintf("%s at %s. %s", e.tried(), e.Host, e.paragraphs())
	}
}

// tried is what was tried: "Tried to update pipe … of service … in organization …".
func (e *Error) tried() string {
	verb, _, _ := strings.Cut(e.Operation, " ")
	return fmt.Sprintf("Tried to %s %s", verb, e.Subject)
}

// begins is a shorter beginning of Detail, without what the object is part of.
func (e *Error) begins() string {
	begin, _, _ := strings.Cut(e.tried(), " of ")
	begin, _, _ = strings.Cut(begin, " in ")
	return begin
}

func (e *Error) paragraphs() string {
	if e.brief != "" {
		return e.brief
	}
	return strings.Join(append([]string{e.happened()}, e.more...), "\n\n")
}

// follow sets what follows in the text: why the rest of the request was not sent, what
// may have been left behind, why there was no further attempt, what to do.
func (e *Error) follow(because, unfinished error, advice string) {
	add := func(paragraph string) { e.more = append(e.more, paragraph) }
	if unfinished != nil {
		add("Nothing more was sent: " + sentence(unfinished.Error()))
	}
	switch e.effect {
	case effectUnknown:
		add(effectUnknown + " The next apply sends only what is still missing.")
	case effectProbable:
		add(effectProbable)
	}
	switch {
	case because != nil && e.Attempts > 0:
		add(fmt.Sprintf("Gave up after %s: %s", e.spent(), sentence(because.Error())))
	case e.Attempts > 1:
		add(fmt.Sprintf("Failed after %s.", e.spent()))
	}
	if advice != "" {
		add(advice)
	}
}

// What a write may have left behind. It is empty for a creation: its caller knows what
// the object may be found by, and reports both at once.
const (
	effectUnknown  = "It is not known whether the change was applied."
	effectProbable = "The change was probably applied."
)

// happened is what the API returned, or why there was no response.
func (e *Error) happened() string {
	cause := sentence(e.Cause())
	switch {
	case e.Kind == Interrupted && errors.Is(e.Err, context.Canceled):
		return "The operation was interrupted."
	case e.Kind == Interrupted:
		return "The operation was stopped: " + cause
	case e.Kind == Unreadable:
		return fmt.Sprintf("The API returned %s, but the response cannot be used: %s", e.Response(), cause)
	case e.Status != 0 && cause == "":
		return fmt.Sprintf("The API returned %s without a message.", e.Response())
	case e.Status != 0:
		return fmt.Sprintf("The API returned %s: %s", e.Response(), cause)
	case e.NotFound:
		return cause
	case e.Kind == NoResponse:
		return "The request was sent, but no complete response arrived: " + cause
	case e.Attempts == 0:
		return "The request was not sent: " + cause
	default:
		return "The API could not be reached: " + cause
	}
}

// Response is the status of the response and the request ID.
func (e *Error) Response() string {
	s := fmt.Sprintf("HTTP %d", e.Status)
	if text := http.StatusText(e.Status); text != "" {
		s += " " + text
	}
	if e.RequestID != "" {
		s += " (request ID " + e.RequestID + ")"
	}
	return s
}

// Cause is the API's message if there is one, else the text of Err.
func (e *Error) Cause() string {
	switch {
	case e.Message != "":
		return Clean(e.Message, maxMessage)
	case e.Err != nil:
		return Clean(e.Err.Error(), maxMessage)
	default:
		return ""
	}
}

// Rejection returns the API's whole message about the content of a request that it
// rejected; "" for any other error.
func (e *Error) Rejection() string {
	if _, rejected := rejections[e.Status]; rejected {
		return e.Message
	}
	return ""
}

func (e *Error) spent() string {
	attempts := "1 attempt"
	if e.Attempts != 1 {
		attempts = fmt.Sprintf("%d attempts", e.Attempts)
	}
	return attempts + " in " + readable(e.Elapsed)
}

// inBrief is the failure in a few words, for a log line.
func (e *Error) inBrief() string {
	what := "no response"
	switch {
	case e.Kind == NotSent:
		what = "not sent"
	case e.Status != 0:
		what = fmt.Sprintf("HTTP %d", e.Status)
	}
	if e.requested > 0 {
		what += ", " + e.requestedWith + " " + readable(e.requested)
	}
	return what
}

// shorten replaces the text by one that refers to the error which has the details.
func (e *Error) shorten(t *trouble) {
	what := "Nothing was sent"
	switch {
	case e.Kind == Unreadable:
		what = e.Response() + ", but the response cannot be used"
	case e.Status != 0:
		what = e.Response()
	case e.Attempts > 0:
		what = "Gave up after " + e.spent()
	}
	e.brief = strings.TrimSpace(what + ": " + sentence(t.reason) + " " + t.reference() + " " + e.effect)
}

// Repeated is the error for further callers of a read that failed at a time. The error
// of the first caller has the details.
func (e *Error) Repeated(at time.Time) *Error {
	next := *e
	next.outage = nil
	switch {
	case e.brief != "":
	case e.outage != nil:
		next.shorten(e.outage)
	default:
		next.shorten(&trouble{reason: fmt.Sprintf("the request to %s at %s failed at %s", e.Operation, e.Host, clock(at)), first: e.begins()})
	}
	return &next
}

// rejections are the statuses about the content of a request, and whether they are about
// the state of its object instead.
var rejections = map[int]bool{
	http.StatusBadRequest:          false,
	http.StatusUnprocessableEntity: false,
	http.StatusConflict:            true,
	http.StatusLocked:              true,
	http.StatusFailedDependency:    true,
}

// trouble is what fails for all requests of an API, or for all of an organization.
type trouble struct {
	reason  string // "the management API at … has not responded to any request since …"
	summary string // of the error that has the details; "" if that has one of its operation
	first   string // else its beginning
	owner   *caller
}

// Error makes a trouble the cause of a wait that has ended.
func (t *trouble) Error() string { return t.reason }

// reference names the error that has the details. It does not say "the first":
// Terraform prints errors in another order than they occurred.
func (t *trouble) reference() string {
	if t.summary != "" {
		return fmt.Sprintf("The error %q has the details.", t.summary)
	}
	return fmt.Sprintf("The error that begins with %q has the details.", t.first)
}

// tooLate is the error of a wait that would exceed retry_timeout.
type tooLate struct{ text string }

func (e *tooLate) Error() string { return e.text }
