package rest

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"testing"
)

// What to do about an error before the API itself has responded in the run, and after that.
func TestAdviceForEachKindOfError(t *testing.T) {
	t.Parallel()
	const (
		address = "Check base_url, and HTTPS_PROXY if it is set."
		looks   = "The response does not look like the platform's: check base_url, and HTTPS_PROXY if it is set."
	)
	certificate := func(err error) error { return &tls.CertificateVerificationError{Err: err} }
	untrusted, old := certificate(x509.UnknownAuthorityError{}), certificate(x509.CertificateInvalidError{Reason: x509.Expired})
	json := "not as the API responds"
	for name, test := range map[string]struct {
		e            Error
		first, after string
	}{
		"interrupted":           {Error{Kind: Interrupted}, "", ""},
		"a proxy":               {Error{Kind: NotSent, Err: errProxyFinal, Attempts: 1}, checkProxy, checkProxy},
		"a certificate":         {Error{Kind: Final, Err: untrusted, Attempts: 1}, address + trust, address + trust},
		"an old certificate":    {Error{Kind: Final, Err: old, Attempts: 1}, expired, expired},
		"another error of TLS":  {Error{Kind: Final, Err: errors.New("x"), Attempts: 1}, address, address},
		"no response":           {Error{Kind: NoResponse, Attempts: 1}, address, runAgain},
		"a response cut off":    {Error{Kind: NoResponse, Attempts: 1, line: 200}, runAgain, runAgain},
		"not sent at all":       {Error{Kind: NotSent}, address, slower},
		"429":                   {Error{Kind: RateLimited, Status: 429, Foreign: htmlPage}, slower, slower},
		"502 of a gateway":      {Error{Kind: Temporary, Status: 502, Foreign: htmlPage}, address + orRunAgain, runAgain},
		"503 of the API":        {Error{Kind: Temporary, Status: 503}, runAgain, runAgain},
		"401":                   {Error{Status: 401}, "Check key_id and key_secret.", "Check key_id and key_secret."},
		"403":                   {Error{Status: 403, Foreign: json}, "Check the roles.", "Check the roles."},
		"403 with a page":       {Error{Status: 403, Foreign: htmlPage}, looks, askGateway},
		"404 of the API":        {Error{Status: 404, NotFound: true}, "Check the IDs.", "Check the IDs."},
		"404 of a gateway":      {Error{Status: 404, Foreign: json}, looks + " Remove it.", askGateway + " Remove it."},
		"407":                   {Error{Status: 407, Foreign: htmlPage}, checkProxy, checkProxy},
		"409":                   {Error{Kind: Busy, Status: 409, Foreign: json}, later, later},
		"404 of a cache":        {Error{Status: 404, Foreign: "old", detour: true}, askCache + " Remove it.", askCache + " Remove it."},
		"never valid":           {Error{Kind: Final}, notValid, notValid},
		"200 that is of no use": {Error{Status: 200, Kind: Unreadable}, support, support},
	} {
		for _, unanswered := range []bool{true, false} {
			about := About{URLSetting: "base_url", Unauthorized: "Check key_id and key_secret.", Forbidden: "Check the roles."}
			r := &Request{API: &API{About: about}, NamesObject: true, NotFoundAdvice: "Check the IDs.", GoneAdvice: "Remove it."}
			k, want := &Call{Request: r, unanswered: unanswered}, test.after
			if unanswered {
				want = test.first
			}
			if got := k.advise(&test.e, nil); got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
	}
}

// The first sentences of an error say what was tried where, and who returned what.
func TestErrorSaysWhatWasTriedAndReturned(t *testing.T) {
	t.Parallel()
	const seems = "A login page or gateway seems to have answered instead of the API: "
	failure := errors.New("it broke")
	for want, e := range map[string]Error{
		"The operation was interrupted.":                                                         {Kind: Interrupted, Err: failure},
		"The API returned HTTP 200 OK, but the response cannot be used: it broke.":               {Kind: Unreadable, Status: 200, Err: failure},
		seems + "HTTP 200 OK, an HTML page: Sign in.":                                            {Status: 200, Foreign: htmlPage, Message: "Sign in"},
		seems + "HTTP 302 Found, a redirect: x.":                                                 {Status: 302, Foreign: redirect, Message: "x"},
		seems + "HTTP 403 Forbidden (request ID r), an HTML page: No.":                           {Status: 403, RequestID: "r", Foreign: htmlPage, Message: "No"},
		seems + "HTTP 407 Proxy Authentication Required, empty.":                                 {Status: 407, Foreign: "empty"},
		"The API or a gateway in front of it returned HTTP 404 Not Found: no route.":             {Status: 404, Foreign: odd, Message: "no route"},
		"The API or a gateway in front of it returned HTTP 400 Bad Request with an empty body.":  {Status: 400, Foreign: odd},
		"The API returned HTTP 409 Conflict: why?":                                               {Status: 409, Message: "why?:"},
		"The API returned HTTP 200 with the status 503 Service Unavailable in the body: down.":   {Status: 503, line: 200, Message: "down"},
		"A cache or gateway seems to have answered instead of the API: HTTP 200 OK, an old one.": {Status: 200, Foreign: "an old one", detour: true},
		"Two lists omit it.": {Message: "Two lists omit it.", NotFound: true},
		"The request was sent, but no complete response arrived: it broke.": {Kind: NoResponse, Err: failure, Attempts: 1},
		"A response with HTTP 200 OK had begun, and was cut off: it broke.": {Kind: NoResponse, Err: failure, Attempts: 1, line: 200},
		"The request was not sent: it broke.":                               {Kind: NotSent, Err: failure},
		"The API could not be reached: it broke.":                           {Kind: NotSent, Err: failure, Attempts: 1},
		"The API returned HTTP 410 Gone: no.\n\nRun it again.":              {Status: 410, Message: "no", more: []string{"Run it again."}},
	} {
		e.Operation, e.Subject, e.Host = "read pipe", "pipe p of service s", "https://a.example"
		if got := e.Detail(); got != "Tried to read pipe p of service s at https://a.example. "+want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
