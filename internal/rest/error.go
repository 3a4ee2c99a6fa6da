package rest

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// Error is the error of a request that was valid. Its texts contain no secret that the
// client knows, no markup and no control characters.
type Error struct {
	Operation string // what was tried: "update pipe"
	Subject   string // on what: "pipe … of service …"
	Host      string // and where: see API.Host

	Status    int    // of the last attempt; 0 if it had no complete response
	RequestID string // of the platform; "" if it returned none
	Message   string // of the API, cleaned; "" if the response had none
	// Err is the cause if the API did not return one: a failed connection, an
	// unusable response, the cancellation by the caller.
	Err      error
	Attempts int           // number of attempts to send the request
	Elapsed  time.Duration // of all of them, waits included

	Kind      Kind
	NotFound  bool // the object of the operation does not exist
	Ambiguous bool // a write that may have been carried out

	more          []string      // the paragraphs after the first one; some are empty
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
	Temporary               // a status that a retry may get past
	Busy                    // it was not carried out, because its object is being changed or wakes up
	Unreadable              // a success that cannot be used
	Interrupted             // the caller has cancelled
)

// kinds are those of the statuses that are not final.
var kinds = map[int]Kind{
	http.StatusTooManyRequests:     RateLimited,
	http.StatusConflict:            Busy,
	http.StatusLocked:              Busy,
	http.StatusFailedDependency:    Busy,
	http.StatusRequestTimeout:      Temporary,
	http.StatusTooEarly:            Temporary,
	http.StatusInternalServerError: Temporary,
	http.StatusBadGateway:          Temporary,
	http.StatusServiceUnavailable:  Temporary,
	http.StatusGatewayTimeout:      Temporary,
}

// Unwrap returns Err, which is the cause of the cancellation if the operation was interrupted.
func (e *Error) Unwrap() error { return e.Err }

// Error returns the operation, the host and the whole text in one line.
func (e *Error) Error() string {
	return fmt.Sprintf("%s at %s: %s", e.Operation, e.Host, strings.ReplaceAll(e.paragraphs(), "\n\n", " "))
}

// Detail returns the text below a summary, in paragraphs: what was tried and what the API returned,
// what that means, what to do.
func (e *Error) Detail() string {
	verb, _, _ := strings.Cut(e.Operation, " ")
	return fmt.Sprintf("Tried to %s %s at %s. %s", verb, e.Subject, e.Host, e.paragraphs())
}

func (e *Error) paragraphs() string {
	all := append([]string{e.happened()}, e.more...)
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), "\n\n")
}

// happened is what the API returned, or why there was no response.
func (e *Error) happened() string {
	cause := sentence(e.Cause())
	switch {
	case e.Kind == Interrupted:
		return "The operation was interrupted."
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
	return e.httpStatus() + when(e.RequestID != "", " (request ID "+e.RequestID+")")
}

func (e *Error) httpStatus() string {
	return strings.TrimSpace(fmt.Sprintf("HTTP %d %s", e.Status, http.StatusText(e.Status)))
}

// Cause is the API's message if there is one, else the text of Err.
func (e *Error) Cause() string {
	if e.Message == "" && e.Err != nil {
		return words.Clean(e.Err.Error(), maxMessage)
	}
	return e.Message
}

// maxMessage is the length, in runes, that a message from outside is cut to.
const maxMessage = 500

// sentence adds a full stop to a text that has no end mark. A colon at its end announces something
// that is not there, and is removed.
func sentence(s string) string {
	s = strings.TrimRight(s, ": ")
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
}

// readable rounds a duration for a message.
func readable(d time.Duration) string {
	if d >= 10*time.Second {
		return d.Round(time.Second).String()
	}
	return d.Round(time.Millisecond).String()
}

// clock is a time of day for a message, with its time zone.
func clock(t time.Time) string { return t.Format("15:04:05 MST") }

// Reworded is an error with a text of ours, because its own may have secrets or words of a library.
type Reworded struct {
	Text string
	Err  error
}

func (e *Reworded) Error() string { return e.Text }

// Unwrap returns the error whose text was replaced.
func (e *Reworded) Unwrap() error { return e.Err }
