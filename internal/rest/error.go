package rest

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// Error is the error of a request that was valid. Its texts contain no secret that the client knows, no
// markup and no control characters.
type Error struct {
	Operation string // what was tried: "update pipe"
	Subject   string // on what: "pipe … of service …"
	Host      string // and where: see API.Host

	Status    int           // of the last attempt; 0 if it had no complete response
	RequestID string        // of the platform; "" if it returned none
	Message   string        // in the response, cleaned; "" if that was empty
	Foreign   string        // the form of a response that is not the API's own: see Response.form
	detour    bool          // and that says so of itself: see Response.detour
	line      int           // of the status line, if the API's own response says another in its body
	Err       error         // the cause if no response says it: a failed connection, an unusable response, the cancellation by the caller
	Attempts  int           // number of attempts to send the request
	Elapsed   time.Duration // of all of them, waits included

	Kind      Kind
	NotFound  bool // the object of the operation does not exist
	Ambiguous bool // a write that may have been carried out

	more      []string      // the paragraphs after the first one
	requested time.Duration // wait that the response requested
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
	Busy                    // rejected, because its object is being changed or wakes up
	Unreadable              // a success that cannot be used
	Interrupted             // the caller has cancelled
)

// kindOf is the kind of a status.
func kindOf(status int) Kind {
	switch status {
	case http.StatusTooManyRequests:
		return RateLimited
	case http.StatusConflict, http.StatusLocked, http.StatusFailedDependency:
		return Busy
	case http.StatusRequestTimeout, http.StatusTooEarly:
		return Temporary
	}
	if status >= 500 && status != http.StatusNotImplemented && status != http.StatusHTTPVersionNotSupported {
		return Temporary
	}
	return Final
}

// Unwrap returns Err, which is the cause of the cancellation if the operation was interrupted.
func (e *Error) Unwrap() error { return e.Err }

// Error returns the operation, the host and the whole text in one line.
func (e *Error) Error() string {
	return fmt.Sprintf("%s at %s: %s", e.Operation, e.Host, strings.Join(append([]string{e.happened()}, e.more...), " "))
}

// Detail returns the text below a summary, in paragraphs: what was tried, who returned what, what that means, what to do.
func (e *Error) Detail() string {
	verb, _, _ := strings.Cut(e.Operation, " ")
	return strings.Join(append([]string{fmt.Sprintf("Tried to %s %s at %s. %s", verb, e.Subject, e.Host, e.happened())}, e.more...), "\n\n")
}

// happened is who responded and what, or why there was no response.
func (e *Error) happened() string {
	switch cause := words.Sentence(e.Cause()); {
	case e.Kind == Interrupted:
		return "The operation was interrupted."
	case e.Kind == Unreadable && e.Foreign == "":
		return fmt.Sprintf("The API returned %s, but the response cannot be used: %s", e.Response(), cause)
	case e.Status != 0:
		return e.responder() + " " + words.Sentence(e.says())
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

// responder begins a sentence about a response: who has answered.
func (e *Error) responder() string {
	switch {
	case e.detour:
		return "A cache or gateway seems to have answered instead of the API:"
	case e.isForeign():
		return "A login page or gateway seems to have answered instead of the API:"
	case e.Foreign != "":
		return "The API or a gateway in front of it returned"
	default:
		return "The API returned"
	}
}

// isForeign reports whether there is hardly a doubt that something in between has answered. The API
// document shows no error, so that of the API may be a text, too, or JSON without a requestId.
func (e *Error) isForeign() bool {
	return e.Foreign != "" && (e.Foreign != odd || e.Status < http.StatusBadRequest || e.Status == http.StatusProxyAuthRequired)
}

// says is the response and what it says, with its form if the API has no such responses.
func (e *Error) says() string {
	says := e.Response()
	if e.isForeign() {
		says += ", " + e.Foreign
	} else if e.Message == "" {
		return says + " with an empty body"
	}
	return strings.TrimRight(says+": "+e.Message, ": ")
}

// short is the whole cause in a few words, for a sentence about all requests.
func (e *Error) short() string {
	if e.Status == 0 {
		return e.Cause()
	}
	return words.Clean(e.says(), maxMessage/2)
}

// Response is the status of the response and the request ID.
func (e *Error) Response() string {
	response := strings.TrimSpace(fmt.Sprintf("HTTP %d %s", e.Status, http.StatusText(e.Status)))
	if e.line != 0 && e.line != e.Status {
		response = fmt.Sprintf("HTTP %d with the status %s in the body", e.line, strings.TrimPrefix(response, "HTTP "))
	}
	if e.RequestID != "" {
		response += " (request ID " + e.RequestID + ")"
	}
	return response
}

// Cause is the message of the response if there is one, else the text of Err.
func (e *Error) Cause() string {
	if e.Message == "" && e.Err != nil {
		return words.Clean(e.Err.Error(), maxMessage)
	}
	return e.Message
}

const maxMessage = 500 // the length, in runes, that a message from outside is cut to

// Reworded is an error with a text of ours, because its own may have secrets or words of a library.
type Reworded struct {
	Text string
	Err  error
}

func (e *Reworded) Error() string { return e.Text }

// Unwrap returns the error whose text was replaced.
func (e *Reworded) Unwrap() error { return e.Err }

const (
	// runAgain is what to do about an API that has responded in this run.
	runAgain   = "Run the command again once the platform has recovered."
	orRunAgain = " If they are right, run the command again once the platform has recovered."
	slower     = "Increase retry_timeout, or lower Terraform's -parallelism."
	support    = "Ask the platform's support, with the request ID if there is one."
	later      = "The object's current state does not allow the request: run the command again once it does."
	notValid   = "A setting has a character that HTTP does not allow. For the User-Agent, correct the environment variable TF_APPEND_USER_AGENT."
	askCache   = "The response says itself that it is not what the platform has now. " +
		"Give this text to whoever runs the cache or proxy in between: it must not cache responses of this host, nor shorten or change them."
	expired    = "The server's certificate has expired or is not valid yet: renew it, or correct the clock of this machine."
	trust      = " If they are right, add the certificate authority that has signed the server's certificate to the trusted ones of this machine."
	checkProxy = "Check the proxy in HTTPS_PROXY: its user and password after an HTTP 407, otherwise whether it can reach this host."
	// askGateway is what to do about a gateway in a run in which the API itself has responded.
	askGateway = "The response does not look like the platform's, which has answered other requests of this run: " +
		"give this text to whoever runs the proxy or gateway in between."
)

// address is what to check if the API may be at another address.
func (a *API) address() string { return a.URLSetting + ", and HTTPS_PROXY if it is set." }

// advise says what to do about an error; "" if nothing is known to help. See complete for because.
func (k *Call) advise(e *Error, because *refusal) string {
	switch {
	case e.Kind == Interrupted:
		return ""
	case because != nil && because.advice != "":
		return because.advice
	case e.Status == 0:
		return k.adviseUnanswered(e)
	case e.isOutage() && e.Foreign != "" && k.unanswered:
		return "Check " + k.API.address() + orRunAgain
	case e.isOutage():
		return runAgain
	case e.Kind == RateLimited:
		return slower
	default:
		return k.adviseRejected(e)
	}
}

func (e *Error) isOutage() bool {
	return e.Kind == Temporary || e.Status >= http.StatusInternalServerError
}

// adviseUnanswered is what to do about a request without a complete response.
func (k *Call) adviseUnanswered(e *Error) string {
	invalid := new(x509.CertificateInvalidError)
	switch {
	case errors.Is(e.Err, errProxy):
		return checkProxy
	case errors.As(e.Err, invalid) && invalid.Reason == x509.Expired:
		return expired
	case errors.As(e.Err, new(*tls.CertificateVerificationError)):
		return "Check " + k.API.address() + trust
	case e.Kind == Final && e.Attempts == 0:
		return notValid
	case k.unanswered || e.Kind == Final:
		return "Check " + k.API.address()
	case e.Attempts == 0: // it waited for its turn
		return slower
	default:
		return runAgain
	}
}

// adviseRejected is what to do about a response, of which the API's own may have any form but a page.
func (k *Call) adviseRejected(e *Error) string {
	switch {
	case e.Status == http.StatusProxyAuthRequired:
		return checkProxy
	case e.Status == http.StatusNotFound:
		return k.adviseNotFound(e)
	case e.isForeign():
		return k.adviseForeign(e)
	case e.Status == http.StatusUnauthorized:
		return k.API.Unauthorized
	case e.Status == http.StatusForbidden:
		return k.API.Forbidden
	case e.Kind == Busy:
		return cmp.Or(k.BusyAdvice, later)
	case e.Foreign != "":
		return k.adviseForeign(e)
	case e.Kind == Unreadable:
		return support
	default:
		return ""
	}
}

func (k *Call) adviseNotFound(e *Error) string {
	switch {
	case e.isForeign() || k.NamesObject && !e.NotFound:
		return strings.TrimSpace(k.adviseForeign(e) + " " + k.GoneAdvice)
	case !k.NamesObject && k.unanswered:
		return k.NotFoundAdvice + " Otherwise check " + k.API.URLSetting + "."
	default:
		return k.NotFoundAdvice
	}
}

// adviseForeign is what to do about a response that is not the API's own.
func (k *Call) adviseForeign(e *Error) string {
	switch {
	case e.detour:
		return askCache
	case k.unanswered:
		return "The response does not look like the platform's: check " + k.API.address()
	default:
		return askGateway
	}
}
