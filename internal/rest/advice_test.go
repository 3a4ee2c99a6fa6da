package rest

import (
	"crypto/tls"
	"crypto/x509"
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
		looks   = "The response does not look like the platform's: check base_url, and HTTPS_PROXY if it is set."
		state   = "The object's current state does not allow the request: run the command again once it does."
		large   = "The request is too large for a gateway in front of the API: change less at a time."
		unknown = "If the certificate is signed by a private certificate authority, add it to the trusted authorities of this machine. Otherwise check base_url, and HTTPS_PROXY if it is set."
	)
	certificate := func(err error) error { return &tls.CertificateVerificationError{Err: err} }
	failure, json := errors.New("x"), "JSON that is not the API's"
	for name, test := range map[string]struct {
		e          Error
		because    *refusal
		unanswered bool
		noRetries  bool
		method     string
		want       string
	}{
		"interrupted":             {e: Error{Kind: Interrupted}, because: &refusal{"down", "Check it."}, unanswered: true},
		"refused":                 {e: Error{Kind: NotSent}, because: &refusal{"down", "Check it."}, unanswered: true, want: "Check it."},
		"late, of an outage":      {e: Error{Kind: Temporary, Status: 503}, because: &refusal{reason: "late"}, want: runAgain},
		"a proxy":                 {e: Error{Kind: NotSent, Err: errProxyFinal, Attempts: 1}, unanswered: true, want: checkProxy},
		"plain HTTP":              {e: Error{Kind: Final, Err: http.ErrSchemeMismatch, Attempts: 1}, unanswered: true, want: "The server speaks plain HTTP: check the port of base_url."},
		"a certificate":           {e: Error{Kind: Final, Err: certificate(x509.UnknownAuthorityError{}), Attempts: 1}, unanswered: true, want: unknown},
		"an expired certificate":  {e: Error{Kind: Final, Err: certificate(x509.CertificateInvalidError{Reason: x509.Expired}), Attempts: 1}, want: expired},
		"another certificate":     {e: Error{Kind: Final, Err: certificate(x509.HostnameError{}), Attempts: 1}, want: "The certificate is for another host: check base_url, and HTTPS_PROXY if it is set."},
		"another error of TLS":    {e: Error{Kind: Final, Err: failure, Attempts: 1}, want: address},
		"no response":             {e: Error{Kind: NoResponse, Attempts: 1}, want: runAgain},
		"no response, never any":  {e: Error{Kind: NoResponse, Attempts: 1}, unanswered: true, want: address},
		"not sent at all":         {e: Error{Kind: NotSent, Err: failure}},
		"429":                     {e: Error{Kind: RateLimited, Status: 429}, want: slower},
		"429, without retries":    {e: Error{Kind: RateLimited, Status: 429}, noRetries: true, want: "Retries are disabled: set retry_timeout, or lower Terraform's -parallelism."},
		"502 of a gateway":        {e: Error{Kind: Temporary, Status: 502, Foreign: htmlPage}, want: runAgain},
		"502, never any other":    {e: Error{Kind: Temporary, Status: 502, Foreign: htmlPage}, unanswered: true, want: address + " If they are right, run the command again once the platform has recovered."},
		"302":                     {e: Error{Status: 302, Foreign: "a redirect"}, unanswered: true, want: looks},
		"401":                     {e: Error{Status: 401}, want: "Check key_id and key_secret."},
		"401 with a page":         {e: Error{Status: 401, Foreign: htmlPage}, want: askGateway},
		"409 with a page":         {e: Error{Kind: Busy, Status: 409, Foreign: htmlPage}, method: "POST", want: askGateway},
		"403":                     {e: Error{Status: 403, Foreign: json}, want: "Check the roles."},
		"403 with a page":         {e: Error{Status: 403, Foreign: htmlPage}, unanswered: true, want: looks},
		"403 after good reads":    {e: Error{Status: 403, Foreign: htmlPage}, want: askGateway},
		"404 of the API":          {e: Error{Status: 404, NotFound: true}, want: "Check the IDs."},
		"404 of a gateway":        {e: Error{Status: 404, Foreign: json}, unanswered: true, want: looks + " Remove it."},
		"404 after good reads":    {e: Error{Status: 404, Foreign: json}, want: askGateway + " Remove it."},
		"407":                     {e: Error{Status: 407, Foreign: htmlPage}, want: checkProxy},
		"400":                     {e: Error{Status: 400, Foreign: json, Message: "x"}, want: "Correct the value that the message names."},
		"400 without a message":   {e: Error{Status: 400}, want: support},
		"400 with a page":         {e: Error{Status: 400, Foreign: htmlPage, Message: "x"}, want: askGateway},
		"422 with a withheld one": {e: Error{Status: 422, Message: withheld}, want: support},
		"409 to a creation":       {e: Error{Kind: Busy, Status: 409, Message: "x"}, method: "POST", want: "Nothing was created. Check the name: another object may already have it."},
		"413":                     {e: Error{Status: 413, Message: "x"}, want: large},
		"409":                     {e: Error{Kind: Busy, Status: 409, Message: "x"}, want: state},
		"410":                     {e: Error{Status: 410, Message: "x"}},
		"200 with a page":         {e: Error{Status: 200, Kind: Unreadable, Err: failure, Foreign: htmlPage}, want: askGateway},
		"200 that is unreadable":  {e: Error{Status: 200, Kind: Unreadable, Err: failure}, want: support},
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

// The first sentences of an error say what was tried where, and who returned what.
func TestErrorSaysWhatWasTriedAndReturned(t *testing.T) {
	t.Parallel()
	failure := errors.New("it broke")
	for want, e := range map[string]Error{
		"The operation was interrupted.":                                                                                          {Kind: Interrupted, Err: failure},
		"The API returned HTTP 200 OK, but the response cannot be used: it broke.":                                                {Kind: Unreadable, Status: 200, Err: failure},
		"A login page or gateway seems to have answered instead of the API: HTTP 200 OK, an HTML page: Sign in.":                  {Kind: Unreadable, Status: 200, Err: failure, Foreign: htmlPage, Message: "Sign in"},
		"A login page or gateway seems to have answered instead of the API: HTTP 302 Found, a redirect to https://b: x.":          {Status: 302, Foreign: "a redirect to https://b", Message: "x"},
		"A proxy or gateway seems to have answered instead of the API: HTTP 403 Forbidden (request ID r), an HTML page: Blocked.": {Status: 403, RequestID: "r", Foreign: htmlPage, Message: "Blocked"},
		"A proxy or gateway seems to have answered instead of the API: HTTP 407 Proxy Authentication Required, an empty body.":    {Status: 407, Foreign: "an empty body"},
		"The API or a gateway in front of it returned HTTP 404 Not Found: no route.":                                              {Status: 404, Foreign: "JSON that is not the API's", Message: "no route"},
		"The API or a gateway in front of it returned HTTP 503 Service Unavailable with an empty body.":                           {Status: 503, Foreign: "an empty body"},
		"The API returned HTTP 409 Conflict: why?":                                                                                {Status: 409, Message: "why?:"},
		"The API returned HTTP 499: too small!":                                                                                   {Status: 499, Message: "too small!"},
		"Two lists omit it.":                                                                                                      {Message: "Two lists omit it.", NotFound: true},
		"The request was sent, but no complete response arrived: it broke.":                                                       {Kind: NoResponse, Err: failure, Attempts: 1},
		"The request was not sent: it broke.":                                                                                     {Kind: NotSent, Err: failure},
		"The API could not be reached: it broke.":                                                                                 {Kind: NotSent, Err: failure, Attempts: 1},
		"The API returned HTTP 410 Gone: no.\n\nFailed after it.\n\nRun it again.":                                                {Status: 410, Message: "no", more: []string{"Failed after it.", "Run it again."}},
	} {
		e.Operation, e.Subject, e.Host = "read pipe", "pipe p of service s", "https://a.example"
		if got := e.Detail(); got != "Tried to read pipe p of service s at https://a.example. "+want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
