package platform

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"
)

// Error is the error of an operation whose settings and IDs were valid. Its texts
// contain no secret that the client knows, no markup and no control characters.
type Error struct {
	// Operation is what was tried, such as "update pipe".
	Operation string
	// Status is the HTTP status of the last response; 0 if there was none.
	Status int
	// RequestID is the platform's ID of the last request, if it returned one.
	RequestID string
	// Message is the API's own message, cleaned and cut to maxMessage runes; "" if
	// the response had none.
	Message string
	// Attempts is the number of requests sent; Elapsed is the time of all of them,
	// waits included.
	Attempts int
	Elapsed  time.Duration
	// Err is the cause if the API did not return one: a failed connection, an
	// unusable response, the end of the caller's context.
	Err error

	class       class
	retryAfter  time.Duration
	fullMessage string // Message, uncut
	apiNotFound bool   // a 404 that is the API's own
	notFound    bool   // the object of the operation does not exist
	ambiguous   bool   // a write that may have been carried out
	write       bool
	creation    bool     // a write that creates an object
	subject     string   // the object, as in "pipe … of service …"
	settings    string   // the settings with the credentials
	local       bool     // net/http rejected the request
	collection  bool     // the request was about a collection, not an object
	noRetries   bool     // retry_timeout is 0
	endless     bool     // the response was still arriving when the attempt timed out
	refusal     *refusal // a reason that an earlier error has reported in full
	brief       string   // replaces the text if an earlier error has the details
	gaveUp      string   // why a retry that was possible did not take place
	unfinished  error    // why what is left of the request was not sent
}

// class is what a failed attempt means for the next one.
type class int

const (
	classPermanent   class = iota // a retry would fail in the same way
	classNotSent                  // the request cannot have been carried out
	classNoResponse               // it was sent, and the response is lost or cut off
	classRateLimited              // 429: it was not carried out
	classServerError              // 500, 502, 503, 504
	classUnreadable               // a success that the API document does not describe
	classInterrupted              // the caller has cancelled
)

// IsNotFound reports whether the object of an operation does not exist: the API
// returned a 404 of its own, or two consecutive lists of services omit the
// object.
//
// A 404 is the API's own if its body is a JSON object that looks like an error of
// the API. A page of a gateway, a text, an empty body and a message about an
// unknown route are not, since they may come from a wrong base URL. A 404 to a
// list is about the organization and not about its services.
func IsNotFound(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.notFound
}

// Absence returns why IsNotFound holds for an error, in brief and as a sentence:
// "HTTP 404, request ID req-1" and "the API returned HTTP 404 Not Found (request ID
// req-1): pipe not found.", or that two consecutive lists omit the object.
func Absence(err error) (brief, full string) {
	var e *Error
	if !errors.As(err, &e) || e.Status == 0 {
		return "two consecutive lists omit it", "two consecutive lists of its services omit it."
	}
	brief = fmt.Sprintf("HTTP %d", e.Status)
	if e.RequestID != "" {
		brief += ", request ID " + cleanText(e.RequestID, 100)
	}
	full = "the API returned " + e.response() + " without a message."
	if e.cause() != "" {
		full = "the API returned " + e.response() + ": " + sentence(e.cause())
	}
	return brief, full
}

// IsAmbiguous reports whether a write may have been carried out although it
// failed: the request was sent, and the response was lost, cut off, a 5xx or
// unusable. Reads are never ambiguous.
func IsAmbiguous(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.ambiguous
}

// Unwrap returns Err; context.Canceled if the operation was interrupted.
func (e *Error) Unwrap() error { return e.Err }

// Error returns the operation and the whole text in one line.
func (e *Error) Error() string {
	if e.brief != "" {
		return e.Operation + ": " + e.brief
	}
	return e.Operation + ": " + strings.Join(e.sentences(), " ")
}

// tried is the first sentence of Detail: "Tried to update pipe … of service … in
// organization …."
func (e *Error) tried() string {
	verb, _, _ := strings.Cut(e.Operation, " ")
	if e.subject == "" {
		return "Tried to " + e.Operation + ". "
	}
	return "Tried to " + verb + " " + e.subject + ". "
}

// Detail returns the text below a summary, in paragraphs: what was tried and what
// the API returned, what that means, what to do.
func (e *Error) Detail() string {
	if e.brief != "" {
		return e.brief
	}
	return e.tried() + strings.Join(e.sentences(), "\n\n")
}

// Rejection returns the API's whole message about the content of a request that it
// rejected, cleaned; "" for any other error.
func (e *Error) Rejection() string {
	if !isRejection(e.Status) {
		return ""
	}
	return e.fullMessage
}

func (e *Error) sentences() []string {
	all := []string{e.happened(), e.notFinished(), e.consequence(), e.retries(), e.hint()}
	kept := all[:0]
	for _, s := range all {
		if s != "" {
			kept = append(kept, s)
		}
	}
	return kept
}

// happened is what the API returned, or why there was no response.
func (e *Error) happened() string {
	switch {
	case e.class == classInterrupted && errors.Is(e.Err, context.Canceled):
		return "The operation was interrupted."
	case e.class == classInterrupted:
		return "The operation was stopped: " + sentence(e.Err.Error())
	case e.notFound && e.Status == 0:
		return sentence(e.Message)
	case e.class == classUnreadable:
		return fmt.Sprintf("The API returned %s, but the response cannot be used: %s", e.response(), sentence(e.cause()))
	case e.Status != 0 && e.class != classNoResponse && e.cause() == "":
		return fmt.Sprintf("The API returned %s without a message.", e.response())
	case e.Status != 0 && e.class != classNoResponse:
		return fmt.Sprintf("The API returned %s: %s", e.response(), sentence(e.cause()))
	case e.class == classNoResponse:
		return fmt.Sprintf("The request was sent, but no complete response arrived: %s", sentence(e.cause()))
	case e.local:
		return fmt.Sprintf("The request cannot be sent: %s", sentence(e.cause()))
	case e.Attempts == 0:
		return fmt.Sprintf("The request was not sent: %s", sentence(e.cause()))
	default:
		return fmt.Sprintf("The API could not be reached: %s", sentence(e.cause()))
	}
}

// response is the status of the response and the request ID.
func (e *Error) response() string {
	s := fmt.Sprintf("HTTP %d", e.Status)
	if text := http.StatusText(e.Status); text != "" {
		s += " " + text
	}
	if e.RequestID != "" {
		s += " (request ID " + cleanText(e.RequestID, 100) + ")"
	}
	return s
}

// cause is the API's message if there is one, else the text of Err.
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

// meaning is what a write may have left behind. It is empty for a creation: its
// caller knows what the object may be found by, and reports both at once.
func (e *Error) meaning() string {
	switch {
	case !e.write || !e.ambiguous || e.creation:
		return ""
	case e.class == classUnreadable:
		return "The change was probably applied."
	default:
		return "It is not known whether the change was applied."
	}
}

// consequence is meaning, and how to find out.
func (e *Error) consequence() string {
	s := e.meaning()
	if s == "" || e.class == classUnreadable {
		return s
	}
	return s + " The next apply sends only what is still missing."
}

// seeOtherError ends the text of an error that another one explains. It does not
// say "the first": Terraform prints errors in another order than they occurred. Only
// a text in full begins with "Tried to".
const seeOtherError = ` Another error of this run has the details: look for one that begins with "Tried to".`

// briefly is the text of an error whose refusal was reported in full before.
func (e *Error) briefly() string {
	var s string
	switch {
	case e.Attempts == 0:
		s = "Nothing was sent: "
	case e.Status != 0:
		s = e.returned() + ": "
	default:
		s = fmt.Sprintf("Gave up after %s in %s: ", e.attempts(), readable(e.Elapsed))
	}
	return strings.TrimSpace(s + sentence(e.refusal.Error()) + seeOtherError + " " + e.meaning())
}

// returned is a short form of response.
func (e *Error) returned() string {
	s := fmt.Sprintf("HTTP %d", e.Status)
	if e.RequestID != "" {
		s += " (request ID " + cleanText(e.RequestID, 40) + ")"
	}
	return s
}

// repeated is the error for further callers of a read that has failed.
func (e *Error) repeated(failedAt time.Time) *Error {
	next := *e
	if next.brief == "" {
		what := cleanText(e.cause(), 100)
		if e.Status != 0 {
			what = e.returned()
		}
		if e.class == classUnreadable {
			what += ", a response that cannot be used"
		}
		next.brief = fmt.Sprintf("The request to %s failed at %s: %s%s", e.Operation, clock(failedAt), sentence(what), seeOtherError)
	}
	return &next
}

func (e *Error) attempts() string {
	if e.Attempts == 1 {
		return "1 attempt"
	}
	return fmt.Sprintf("%d attempts", e.Attempts)
}

// retries is the number of attempts and their time, if there was more than one,
// and why there were no more.
func (e *Error) retries() string {
	switch {
	case e.gaveUp != "" && e.Attempts > 0:
		return fmt.Sprintf("Gave up after %s in %s: %s", e.attempts(), readable(e.Elapsed), sentence(e.gaveUp))
	case e.Attempts > 1:
		return fmt.Sprintf("Failed after %s in %s.", e.attempts(), readable(e.Elapsed))
	default:
		return ""
	}
}

// notFinished is why what is left of a request was not sent, after an attempt that may
// have been carried out.
func (e *Error) notFinished() string {
	if e.unfinished == nil {
		return ""
	}
	return "Nothing more was sent: " + sentence(e.unfinished.Error())
}

// hint is what to do about a common error.
func (e *Error) hint() string {
	var late *waitTooLong
	switch {
	case e.class == classInterrupted, e.local:
		return ""
	case errors.Is(e.Err, http.ErrSchemeMismatch):
		return "The server speaks plain HTTP: check the port of " + e.urlSetting() + "."
	case errors.As(e.Err, new(*tls.CertificateVerificationError)):
		return "If the certificate is signed by a private certificate authority, add it to the trusted authorities of this machine. Otherwise check " + e.urlSetting() + ", and HTTPS_PROXY if it is set."
	case e.Status == 0 && e.Attempts > 0 && e.class != classNoResponse:
		return "Check " + e.urlSetting() + ", and HTTPS_PROXY if it is set."
	case errors.As(e.Err, &late):
		return "Increase retry_timeout, or lower Terraform's -parallelism."
	}
	return e.statusHint()
}

// statusHint is what to do about a response.
func (e *Error) statusHint() string {
	switch {
	case e.Status == http.StatusUnauthorized && e.settings == tokenSetting:
		return "Check " + e.settings + ". It may be wrong, expired or revoked."
	case e.Status == http.StatusUnauthorized:
		return "Check " + e.settings + ". The key may be wrong, expired, disabled or revoked."
	case e.Status == http.StatusForbidden && e.settings == tokenSetting:
		return "The credentials (" + e.settings + ") are valid but lack permission: check what the token is allowed to do."
	case e.Status == http.StatusForbidden:
		return "The credentials (" + e.settings + ") are valid but lack permission: check the roles of the API key and its IP access list."
	case e.Status != 0 && e.Status < http.StatusInternalServerError && strings.HasPrefix(e.cause(), htmlPage):
		return "Check " + e.urlSetting() + ": the response is from a login page or a gateway."
	case e.Status == http.StatusNotFound && e.collection:
		return "Check organization_id and " + e.urlSetting() + "."
	case e.Status == http.StatusNotFound && e.apiNotFound:
		return "Check the IDs."
	case e.Status == http.StatusNotFound:
		return "Check " + e.urlSetting() + " and the IDs: the response does not look like the API's own."
	case e.Status == http.StatusTooManyRequests && e.noRetries:
		return "Retries are disabled (retry_timeout is 0s): set retry_timeout, or lower Terraform's -parallelism."
	case e.Status == http.StatusTooManyRequests:
		return "Increase retry_timeout, or lower Terraform's -parallelism."
	case isRejection(e.Status):
		return e.correct()
	default:
		return ""
	}
}

// correct is what to do about a rejected request.
func (e *Error) correct() string {
	if e.isStateConflict() {
		return "The platform rejected the request in the object's present state: try again once it allows it" + e.orSupport() + "."
	}
	if e.Message != "" {
		return "Correct the value that the message names" + e.orSupport() + "."
	}
	if e.RequestID != "" {
		return "Ask the platform's support with the request ID."
	}
	return ""
}

func (e *Error) orSupport() string {
	if e.RequestID == "" {
		return ""
	}
	return ", or ask the platform's support with the request ID"
}

// busy matches messages about the state of an object: no value in the configuration
// is wrong.
var busy = regexp.MustCompile(`(?i)\b(must|has to|needs to) be (paused|stopped|started|running|resumed)\b` +
	`|\bis (currently |already )?(busy|locked|paused|stopped|starting|stopping|running|updating|provisioning)\b|\bin progress\b`)

// isStateConflict reports whether the API rejected a request because of the state that
// the object is in.
func (e *Error) isStateConflict() bool {
	switch e.Status {
	case http.StatusConflict, http.StatusLocked, http.StatusFailedDependency:
		return true
	default:
		return busy.MatchString(e.fullMessage)
	}
}

// isRejection reports whether a status is about the content of the request, or about
// the state of its object.
func isRejection(status int) bool {
	switch status {
	case http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusConflict, http.StatusLocked, http.StatusFailedDependency:
		return true
	default:
		return false
	}
}

// urlSetting is the setting with the base URL of the API.
func (e *Error) urlSetting() string {
	if e.settings == tokenSetting {
		return "alerts_base_url"
	}
	return "base_url"
}

// waitReason is why a retry waits, for a log line.
func (e *Error) waitReason() string {
	why := "no response"
	switch {
	case e.class == classNotSent:
		why = "not sent"
	case e.Status != 0:
		why = fmt.Sprintf("HTTP %d", e.Status)
	}
	if e.retryAfter > 0 {
		why += ", Retry-After " + readable(e.retryAfter)
	}
	return why
}

// sentence adds a full stop to a text that has no end mark. A colon announces
// something that the text does not have.
func sentence(s string) string {
	s = strings.TrimRight(s, ": ")
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
}

// interrupted is the error of a caller that cancelled its wait for a shared read.
func (c *Client) interrupted(ctx context.Context, operation, subject string) error {
	return &Error{Operation: operation, subject: subject, class: classInterrupted, Err: context.Cause(ctx)}
}

// unreadable is the error of a complete response that the API document does not
// describe.
func (c *Client) unreadable(operation, subject string, err error) error {
	return &Error{Operation: operation, subject: subject, Status: http.StatusOK, Attempts: 1, class: classUnreadable, Err: err}
}
