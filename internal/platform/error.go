package platform

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Error is a call that failed after it began: its settings and ids were in
// order. Its texts hold no secret that the client knows, no markup and no
// control characters.
type Error struct {
	// Operation is what was tried, as in "update pipe".
	Operation string
	// Status is the HTTP status of the last answer; 0 where there was none.
	Status int
	// RequestID is the platform's name for the last answer, if it gave one.
	RequestID string
	// Message is the API's own message, if its answer had one, cleaned and cut
	// to maxMessage runes.
	Message string
	// Attempts counts the requests sent; Elapsed is the time of the whole
	// call, waits included.
	Attempts int
	Elapsed  time.Duration
	// Err is the reason where it isn't the API's: a connection that failed, an
	// answer that makes no sense, an end of the caller's context.
	Err error

	class     class
	ambiguous bool
	own       bool // a 404 that is the API's word
	notFound  bool
	write     bool
	subject   string // what the call was about
	settings  string // the settings behind its credentials
	gaveUp    string // why there was no further attempt, where there could have been
	fields    []string
	said      string // the whole message
	mask      func(string) string

	retryAfter time.Duration
}

// class says what a failed attempt means for the next one.
type class int

const (
	classFinal       class = iota // asking again would bring the same
	classUnsent                   // the request can't have been carried out
	classLost                     // it was sent, and its answer is lost
	classLimited                  // 429: nothing was done
	classTrouble                  // 500, 502, 503, 504
	classUnreadable               // answered with success, but not as the API document says
	classInterrupted              // the caller is gone
)

// IsNotFound says that what a call was about does not exist: by a 404 that is
// the API's own, or by two lists of an organization's services without the
// service. A 404 counts as the API's own where its body is a JSON object that
// reads like an error of the API; a gateway's page, a bare text, an empty body
// and a message about an unknown route (which a wrong base address brings) do
// not. Nor does a 404 of what holds the object: an organization that can't be
// listed says nothing about its services.
func IsNotFound(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.notFound
}

// IsAmbiguous says that a write may have been carried out though it failed:
// the request was sent, and the answer was lost, cut, a 5xx, or not to be
// understood. Reads are never ambiguous.
func IsAmbiguous(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.ambiguous
}

// Unwrap gives the reason; context.Canceled for an interrupted call.
func (e *Error) Unwrap() error { return e.Err }

// Error is the whole story in one line.
func (e *Error) Error() string {
	return e.clean(e.Operation + ": " + strings.Join(e.sentences(), " "))
}

// tried names the operation and its object, as in "Tried to update pipe … of
// service … in organization …."
func (e *Error) tried() string {
	verb, _, _ := strings.Cut(e.Operation, " ")
	if e.subject == "" {
		return "Tried to " + e.Operation + ". "
	}
	return "Tried to " + verb + " " + e.subject + ". "
}

// Summary is a headline, as in "Unable to update pipe".
func (e *Error) Summary() string { return "Unable to " + e.Operation }

// Detail is the story below the headline, one paragraph per thought: what was
// tried and what came back, what it means, what can be done.
func (e *Error) Detail() string {
	return e.clean(e.tried() + strings.Join(e.sentences(), "\n\n"))
}

func (e *Error) clean(s string) string {
	if e.mask == nil {
		return s
	}
	return e.mask(s)
}

// Mentions says that the API's message is about a field, given by its JSON
// name as in "maxTotalMemoryGb": the answer named it as the field at fault, or
// the message holds the name as a word. Only of statuses that speak of what
// was sent (400, 409, 422).
func (e *Error) Mentions(jsonField string) bool {
	switch e.Status {
	case http.StatusBadRequest, http.StatusConflict, http.StatusUnprocessableEntity:
	default:
		return false
	}
	if jsonField == "" {
		return false
	}
	for _, field := range e.fields {
		if hasWord(field, jsonField) {
			return true
		}
	}
	return hasWord(e.said, jsonField)
}

// hasWord finds a name that is not part of a longer one.
func hasWord(text, word string) bool {
	for {
		before, after, found := strings.Cut(text, word)
		if !found {
			return false
		}
		if !endsInName(before) && !startsWithName(after) {
			return true
		}
		text = text[len(before)+1:]
	}
}

func endsInName(s string) bool     { return s != "" && isName(s[len(s)-1]) }
func startsWithName(s string) bool { return s != "" && isName(s[0]) }

func isName(b byte) bool {
	return b == '_' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

func (e *Error) sentences() []string {
	all := []string{e.happened(), e.meaning(), e.effort(), e.hint()}
	kept := all[:0]
	for _, s := range all {
		if s != "" {
			kept = append(kept, s)
		}
	}
	return kept
}

// happened tells what came back.
func (e *Error) happened() string {
	switch {
	case e.class == classInterrupted && errors.Is(e.Err, context.Canceled):
		return "The operation was interrupted."
	case e.class == classInterrupted:
		return "The operation was stopped: " + sentence(e.Err.Error())
	case e.notFound && e.Status == 0:
		return sentence(e.Message)
	case e.class == classUnreadable:
		return fmt.Sprintf("The platform answered %s, but the answer can't be understood: %s", e.answer(), sentence(e.cause()))
	case e.Status != 0 && e.class != classLost && e.cause() == "":
		return fmt.Sprintf("The platform answered %s without saying why.", e.answer())
	case e.Status != 0 && e.class != classLost:
		return fmt.Sprintf("The platform answered %s: %s", e.answer(), sentence(e.cause()))
	case e.class == classLost:
		return fmt.Sprintf("The request was sent, but no whole answer came back: %s", sentence(e.cause()))
	case e.Attempts == 0:
		return fmt.Sprintf("The request was not sent: %s", sentence(e.cause()))
	default:
		return fmt.Sprintf("The platform could not be reached: %s", sentence(e.cause()))
	}
}

// answer names an answer: its status and its id.
func (e *Error) answer() string {
	s := fmt.Sprintf("HTTP %d", e.Status)
	if text := http.StatusText(e.Status); text != "" {
		s += " " + text
	}
	if e.RequestID != "" {
		s += " (request id " + cleanText(e.RequestID, 100) + ")"
	}
	return s
}

// cause is the reason in the API's words or else in ours.
func (e *Error) cause() string {
	switch {
	case e.Message != "":
		return e.Message
	case e.Err != nil:
		return cleanText(e.Err.Error(), maxMessage)
	default:
		return ""
	}
}

// meaning tells what a write may have left behind.
func (e *Error) meaning() string {
	switch {
	case !e.write || !e.ambiguous:
		return ""
	case e.class == classUnreadable:
		return "What was asked for was probably done."
	default:
		return "It is not known whether the platform did what was asked for."
	}
}

// effort tells how often and how long it was tried, where that was more than
// once, or why not.
func (e *Error) effort() string {
	times := fmt.Sprintf("%d attempts", e.Attempts)
	if e.Attempts == 1 {
		times = "1 attempt"
	}
	switch {
	case e.gaveUp != "" && e.Attempts > 0:
		return fmt.Sprintf("Gave up after %s in %s: %s", times, readable(e.Elapsed), sentence(e.gaveUp))
	case e.Attempts > 1:
		return fmt.Sprintf("This was after %s in %s.", times, readable(e.Elapsed))
	default:
		return ""
	}
}

// hint tells what can be done about the common ones.
func (e *Error) hint() string {
	var late *waitTooLong
	switch {
	case e.class == classInterrupted:
		return ""
	case e.Status == http.StatusUnauthorized:
		return "Check " + e.settings + ": the platform doesn't accept them, or they have expired."
	case e.Status == http.StatusForbidden:
		return "The credentials (" + e.settings + ") are valid but may not do this: check the roles of the key, and its IP access list."
	case e.Status == http.StatusNotFound && e.subject != "":
		return "Asked for was " + e.subject + ": check these ids" + e.orAddress() + "."
	case e.Status == http.StatusTooManyRequests, errors.As(e.Err, &late):
		return "The platform limits how many requests it takes: raise retry_timeout, or lower Terraform's -parallelism."
	default:
		return ""
	}
}

func (e *Error) orAddress() string {
	if e.own {
		return ""
	}
	return ", and the base address, since this answer doesn't look like the API's own"
}

// waitReason says in a log line why there is a wait.
func (e *Error) waitReason() string {
	why := "no answer"
	switch {
	case e.class == classUnsent:
		why = "not sent"
	case e.Status != 0:
		why = fmt.Sprintf("HTTP %d", e.Status)
	}
	if e.retryAfter > 0 {
		why += ", Retry-After " + readable(e.retryAfter)
	}
	return why
}

// sentence ends a text with a full stop.
func sentence(s string) string {
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
}

// interrupted is the error of a caller who stopped waiting for a shared read.
func (c *Client) interrupted(ctx context.Context, operation string) error {
	return &Error{Operation: operation, class: classInterrupted, Err: context.Cause(ctx), mask: c.Mask}
}
