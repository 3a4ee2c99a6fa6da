package rest

import (
	"crypto/tls"
	"errors"
	"net/http"
	"testing"
	"time"
)

// What to do about an error, for each kind of it.
func TestAdviceForEachKindOfError(t *testing.T) {
	t.Parallel()
	const (
		address = "Check base_url, and HTTPS_PROXY if it is set."
		page    = "Check base_url: the response is from a login page or a gateway."
		support = "Ask the platform's support, with the request ID if there is one."
		state   = "The object's current state does not allow the request: apply again once it does."
		console = "The message names a state of the object. Check its state in the platform's console, and apply again once it allows the change."
		large   = "The request is too large for a gateway in front of the API. Change less at a time, or ask the platform's support to raise the limit."
	)
	failure, outage := errors.New("x"), &refusal{"the API is down", "Check it."}
	for name, test := range map[string]struct {
		e          Error
		because    error
		unanswered bool
		noRetries  bool
		method     string
		want       string
	}{
		"interrupted":             {e: Error{Kind: Interrupted}, because: outage, unanswered: true},
		"refused":                 {e: Error{Kind: NotSent}, because: outage, unanswered: true, want: "Check it."},
		"plain HTTP":              {e: Error{Kind: Final, Err: http.ErrSchemeMismatch, Attempts: 1}, unanswered: true, want: "The server speaks plain HTTP: check the port of base_url."},
		"a certificate":           {e: Error{Kind: Final, Err: &tls.CertificateVerificationError{}, Attempts: 1}, unanswered: true, want: "If the certificate is signed by a private certificate authority, add it to the trusted authorities of this machine. Otherwise check base_url, and HTTPS_PROXY if it is set."},
		"another error of TLS":    {e: Error{Kind: Final, Err: failure, Attempts: 1}, want: address},
		"no response":             {e: Error{Kind: NoResponse, Attempts: 1}, want: runAgain},
		"no response, never any":  {e: Error{Kind: NoResponse, Attempts: 1}, unanswered: true, want: address},
		"not sent at all":         {e: Error{Kind: NotSent, Err: failure}},
		"429":                     {e: Error{Kind: RateLimited, Status: 429}, want: slower},
		"429, without retries":    {e: Error{Kind: RateLimited, Status: 429}, noRetries: true, want: "Retries are disabled (retry_timeout is 0s): set retry_timeout, or lower Terraform's -parallelism."},
		"300":                     {e: Error{Status: 300}, want: "Check base_url."},
		"401":                     {e: Error{Status: 401}, want: "Check key_id and key_secret."},
		"403":                     {e: Error{Status: 403}, want: "Check the roles."},
		"403 with a page":         {e: Error{Status: 403, Message: htmlPage}, want: page},
		"404 of the API":          {e: Error{Status: 404, NotFound: true}, want: "Check the IDs."},
		"404 of a gateway":        {e: Error{Status: 404, Message: htmlPage}, want: "Check base_url: the response does not look like the platform's. Remove it."},
		"400":                     {e: Error{Status: 400, Message: "x"}, want: "Correct the value that the message names."},
		"400 without a message":   {e: Error{Status: 400}, want: support},
		"422 with a withheld one": {e: Error{Status: 422, Message: withheld}, want: support},
		"400 about a state":       {e: Error{Status: 400, Message: "pipe must be Paused to edit"}, want: console},
		"400 about a setting":     {e: Error{Status: 400, Message: "idle scaling needs an idle timeout"}, want: "Correct the value that the message names."},
		"409 about a state":       {e: Error{Kind: Busy, Status: 409, Message: "it is running"}, want: console},
		"409 to a creation":       {e: Error{Kind: Busy, Status: 409, Message: "x"}, method: "POST", want: "Nothing was created. Check the name: another object may already have it."},
		"413":                     {e: Error{Status: 413, Message: "x"}, want: large},
		"409":                     {e: Error{Kind: Busy, Status: 409, Message: "x"}, want: state},
		"410":                     {e: Error{Status: 410, Message: "x"}},
		"200 with a page":         {e: Error{Status: 200, Kind: Unreadable, Err: errors.New(htmlPage)}, want: page},
		"200 that is unreadable":  {e: Error{Status: 200, Kind: Unreadable, Err: failure}, want: "Check base_url. If it is right, ask the platform's support."},
	} {
		config := Config{RetryTimeout: time.Minute}
		if test.noRetries {
			config.RetryTimeout = 0
		}
		about := About{URLSetting: "base_url", Unauthorized: "Check key_id and key_secret.", Forbidden: "Check the roles."}
		k := &Call{client: New(config), unanswered: test.unanswered, Request: &Request{
			API: &API{About: about}, Method: test.method, NamesObject: true, NotFoundAdvice: "Check the IDs.", GoneAdvice: "Remove it.",
		}}
		if got := k.advise(&test.e, test.because); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// The first sentences of an error say what was tried where, and what the API returned.
func TestErrorSaysWhatWasTriedAndReturned(t *testing.T) {
	t.Parallel()
	failure := errors.New("it broke")
	for want, e := range map[string]Error{
		"The operation was interrupted.":                                                         {Kind: Interrupted, Err: failure},
		"The API returned HTTP 200 OK, but the response cannot be used: it broke.":               {Kind: Unreadable, Status: 200, Err: failure},
		"The API returned HTTP 409 Conflict without a message.":                                  {Status: 409},
		"The API returned HTTP 409 Conflict: why?":                                               {Status: 409, Message: "why?:"},
		"The API returned HTTP 499: too small!":                                                  {Status: 499, Message: "too small!"},
		"Two lists omit it.":                                                                     {Message: "Two lists omit it.", NotFound: true},
		"The request was sent, but no complete response arrived: it broke.":                      {Kind: NoResponse, Err: failure, Attempts: 1},
		"The request was not sent: it broke.":                                                    {Kind: NotSent, Err: failure},
		"The API could not be reached: it broke.":                                                {Kind: NotSent, Err: failure, Attempts: 1},
		"The API returned HTTP 410 Gone without a message.\n\nFailed after it.\n\nRun it again.": {Status: 410, more: []string{"", "Failed after it.", "", "Run it again."}},
	} {
		e.Operation, e.Subject, e.Host = "read pipe", "pipe p of service s", "https://a.example"
		if got := e.Detail(); got != "Tried to read pipe p of service s at https://a.example. "+want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
