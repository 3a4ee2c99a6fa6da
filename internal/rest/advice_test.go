package rest

import (
	"crypto/tls"
	"errors"
	"net/http"
	"testing"
	"time"
)

// What to do about an error, for each kind of it.
func TestAdvice(t *testing.T) {
	t.Parallel()
	const (
		address = "Check base_url, and HTTPS_PROXY if it is set."
		page    = "Check base_url: the response is from a login page or a gateway."
		support = "Ask the platform's support, with the request ID if there is one."
		state   = "The object's current state does not allow the request: apply again once it does."
		retries = time.Minute
	)
	failure, outage := errors.New("x"), &trouble{"the API is down", "Check it."}
	for name, test := range map[string]struct {
		e            Error
		because      error
		unanswered   bool
		retryTimeout time.Duration
		want         string
	}{
		"interrupted":             {Error{Kind: Interrupted}, outage, true, retries, ""},
		"refused":                 {Error{Kind: NotSent}, outage, true, retries, "Check it."},
		"refused after a 5xx":     {Error{Kind: Temporary, Status: 503, Attempts: 1}, outage, false, retries, "Check it."},
		"plain HTTP":              {Error{Kind: Final, Err: http.ErrSchemeMismatch, Attempts: 1}, nil, true, retries, "The server speaks plain HTTP: check the port of base_url."},
		"a certificate":           {Error{Kind: Final, Err: &tls.CertificateVerificationError{}, Attempts: 1}, nil, true, retries, "If the certificate is signed by a private certificate authority, add it to the trusted authorities of this machine. Otherwise check base_url, and HTTPS_PROXY if it is set."},
		"another error of TLS":    {Error{Kind: Final, Err: failure, Attempts: 1}, nil, false, retries, address},
		"no response":             {Error{Kind: NoResponse, Attempts: 1}, nil, false, retries, runAgain},
		"no response, never any":  {Error{Kind: NoResponse, Attempts: 1}, nil, true, retries, address},
		"not sent at all":         {Error{Kind: NotSent, Err: failure}, nil, false, retries, ""},
		"held back for too long":  {Error{Kind: NotSent}, tooLate("x"), false, retries, slower},
		"429":                     {Error{Kind: RateLimited, Status: 429}, nil, false, retries, slower},
		"429, without retries":    {Error{Kind: RateLimited, Status: 429}, nil, false, 0, "Retries are disabled (retry_timeout is 0s): set retry_timeout, or lower Terraform's -parallelism."},
		"408":                     {Error{Status: 408, Kind: Temporary}, nil, false, retries, runAgain},
		"501":                     {Error{Status: 501}, nil, false, retries, runAgain},
		"a page with a 5xx":       {Error{Status: 500, Kind: Temporary, Message: htmlPage}, nil, false, retries, runAgain},
		"300":                     {Error{Status: 300}, nil, false, retries, "Check base_url."},
		"401":                     {Error{Status: 401}, nil, false, retries, "Check key_id and key_secret."},
		"403":                     {Error{Status: 403}, nil, false, retries, "Check the roles."},
		"403 with a page":         {Error{Status: 403, Message: htmlPage}, nil, false, retries, page},
		"404 of the API":          {Error{Status: 404, NotFound: true}, nil, false, retries, "Check the IDs."},
		"404 of a gateway":        {Error{Status: 404, Message: htmlPage}, nil, false, retries, "Check base_url: the response does not look like the platform's. Remove it."},
		"400":                     {Error{Status: 400, Message: "x"}, nil, false, retries, "Correct the value that the message names."},
		"400 without a message":   {Error{Status: 400}, nil, false, retries, support},
		"422 with a withheld one": {Error{Status: 422, Message: withheld}, nil, false, retries, support},
		"409":                     {Error{Status: 409, Message: "x"}, nil, false, retries, state},
		"423":                     {Error{Status: 423}, nil, false, retries, state},
		"424":                     {Error{Status: 424}, nil, false, retries, state},
		"410":                     {Error{Status: 410, Message: "x"}, nil, false, retries, ""},
		"200 with a page":         {Error{Status: 200, Kind: Unreadable, Err: errors.New(htmlPage)}, nil, false, retries, page},
		"200 that is unreadable":  {Error{Status: 200, Kind: Unreadable, Err: failure}, nil, false, retries, "Check base_url. If it is right, ask the platform's support."},
	} {
		k := &call{client: New(Config{RetryTimeout: test.retryTimeout}), Request: &Request{
			API:         &API{About: About{URLSetting: "base_url", Unauthorized: "Check key_id and key_secret.", Forbidden: "Check the roles."}},
			NamesObject: true, NotFoundAdvice: "Check the IDs.", GoneAdvice: "Remove it.",
		}}
		k.unanswered = test.unanswered
		if got := k.advise(&test.e, test.because); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// The first sentences of an error say what was tried where, and what the API returned.
func TestErrorText(t *testing.T) {
	t.Parallel()
	failure := errors.New("it broke")
	for want, e := range map[string]Error{
		"The operation was interrupted.":                                                         {Kind: Interrupted, Err: failure},
		"The API returned HTTP 200 OK, but the response cannot be used: it broke.":               {Kind: Unreadable, Status: 200, Err: failure},
		"The API returned HTTP 409 Conflict without a message.":                                  {Status: 409},
		"The API returned HTTP 499: too small!":                                                  {Status: 499, Message: "too small!"},
		"The API returned HTTP 404 Not Found (request ID r): no.":                                {Status: 404, Message: "no", RequestID: "r", NotFound: true},
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
