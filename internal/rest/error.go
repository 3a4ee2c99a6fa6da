package rest

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// Error is the error of a request that was valid. Its texts are clean, and have no secret that the client knows.
type Error struct {
	Operation string // what was tried: "update pipe"
	Subject   string // on what: "pipe … of service …"
	Host      string // and where: see API.Host

	Status    int           // of the last attempt; 0 if it had no complete response
	RequestID string        // of the platform; "" if it returned none
	Message   string        // in the response, cleaned; "" if that was empty
	Foreign   string        // the form of a response that is not the API's own: see Response.form
	detour    bool          // and that says so of itself: see Response.detour
	line      int           // of the status line: the API's own response may say another in its body, or be cut off
	Err       error         // the cause if no response says it: a failed connection, an unusable response, the cancellation by the caller
	Attempts  int           // number of attempts to send the request
	Elapsed   time.Duration // of all of them, waits included

	Kind      Kind
	NotFound  bool // the object of the operation does not exist
	Ambiguous bool // a write that may have been carried out
	// MayExistTwice: see Response.
	MayExistTwice bool

	more      []string      // the paragraphs after the first one
	requested time.Duration // wait that the response requested
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
	case e.Kind == NoResponse && e.line != 0:
		return fmt.Sprintf("A response with %s had begun, and was cut off: %s", statusText(e.line), cause)
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
	response := statusText(e.Status)
	if e.line != 0 && e.line != e.Status {
		response = fmt.Sprintf("HTTP %d with the status %s in the body", e.line, strings.TrimPrefix(response, "HTTP "))
	}
	if e.RequestID != "" {
		response += " (request ID " + e.RequestID + ")"
	}
	return response
}

func statusText(status int) string {
	return strings.TrimSpace(fmt.Sprintf("HTTP %d %s", status, http.StatusText(status)))
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
