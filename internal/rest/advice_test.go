package rest

import (
	"crypto/tls"
	"errors"
	"net/http"
	"testing"
)

// What to do about an error, for each kind of it.
func TestAdvice(t *testing.T) {
	t.Parallel()
	const (
		address = "Check base_url, and HTTPS_PROXY if it is set."
		support = "Ask the platform's support with the request ID."
		state   = "The object's current state does not allow the request: apply again once it does"
		correct = "Correct the value that the message names"
	)
	r := &Request{
		API:         &API{About: About{URLSetting: "base_url", Unauthorized: "Check key_id and key_secret.", Forbidden: "Check the roles."}},
		NamesObject: true, NotFoundAdvice: "Check the IDs.", GoneAdvice: "Remove it.",
	}
	outage := &trouble{"the API is down", "EOF", "Check it."}
	for name, test := range map[string]struct {
		e                   Error
		because             error
		retries, unanswered bool
		want                string
	}{
		"interrupted":                  {Error{Kind: Interrupted}, outage, true, true, ""},
		"refused":                      {Error{Kind: NotSent}, outage, true, true, "Check it."},
		"refused after a 5xx":          {Error{Kind: Temporary, Status: 503, Attempts: 1}, outage, true, false, "Check it."},
		"plain HTTP":                   {Error{Kind: Final, Err: http.ErrSchemeMismatch, Attempts: 1}, nil, true, true, "The server speaks plain HTTP: check the port of base_url."},
		"a certificate":                {Error{Kind: Final, Err: &tls.CertificateVerificationError{}, Attempts: 1}, nil, true, true, "If the certificate is signed by a private certificate authority, add it to the trusted authorities of this machine. Otherwise check base_url, and HTTPS_PROXY if it is set."},
		"another error of TLS":         {Error{Kind: Final, Err: errors.New("x"), Attempts: 1}, nil, true, false, address},
		"not connected":                {Error{Kind: NotSent, Err: errors.New("x"), Attempts: 1}, nil, true, false, runAgain},
		"not connected, never":         {Error{Kind: NotSent, Err: errors.New("x"), Attempts: 1}, nil, true, true, address},
		"not sent at all":              {Error{Kind: NotSent, Err: errors.New("x")}, nil, true, false, ""},
		"no response":                  {Error{Kind: NoResponse, Attempts: 1}, nil, true, false, runAgain},
		"no response, never any":       {Error{Kind: NoResponse, Attempts: 1}, nil, true, true, address},
		"429":                          {Error{Kind: RateLimited, Status: 429, Attempts: 1}, nil, true, false, "Increase retry_timeout, or lower Terraform's -parallelism."},
		"429, without retries":         {Error{Kind: RateLimited, Status: 429, Attempts: 1}, nil, false, false, "Retries are disabled (retry_timeout is 0s): set retry_timeout, or lower Terraform's -parallelism."},
		"held back for too long":       {Error{Kind: NotSent}, tooLate("x"), true, false, "Increase retry_timeout, or lower Terraform's -parallelism."},
		"a 5xx, and no time left":      {Error{Kind: Temporary, Status: 503, Attempts: 3}, tooLate("x"), true, false, runAgain},
		"401":                          {Error{Status: 401, Attempts: 1}, nil, true, false, "Check key_id and key_secret."},
		"403":                          {Error{Status: 403, Attempts: 1}, nil, true, false, "Check the roles."},
		"403 with a page":              {Error{Status: 403, Message: htmlPage, Attempts: 1}, nil, true, false, "Check base_url: the response is from a login page or a gateway."},
		"300":                          {Error{Status: 300, Attempts: 1}, nil, true, false, "Check base_url."},
		"399":                          {Error{Status: 399, Attempts: 1}, nil, true, false, "Check base_url."},
		"404 of the API":               {Error{Status: 404, NotFound: true, Attempts: 1}, nil, true, false, "Check the IDs."},
		"404 of a gateway":             {Error{Status: 404, Message: htmlPage, Attempts: 1}, nil, true, false, "Check base_url: the response does not look like the platform's. Remove it."},
		"a page":                       {Error{Status: 200, Kind: Unreadable, Err: errors.New(htmlPage), Attempts: 1}, nil, true, false, "Check base_url: the response is from a login page or a gateway."},
		"a page with a 5xx":            {Error{Status: 500, Kind: Temporary, Message: htmlPage, Attempts: 1}, nil, true, false, runAgain},
		"408":                          {Error{Status: 408, Kind: Temporary, Attempts: 1}, nil, true, false, runAgain},
		"400":                          {Error{Status: 400, Message: "x"}, nil, true, false, correct + "."},
		"400 with a request ID":        {Error{Status: 400, Message: "x", RequestID: "r"}, nil, true, false, correct + ", or ask the platform's support with the request ID."},
		"400 without a message":        {Error{Status: 400, RequestID: "r"}, nil, true, false, support},
		"400 with a withheld one":      {Error{Status: 400, RequestID: "r", Message: withheld}, nil, true, false, support},
		"400 without anything":         {Error{Status: 400}, nil, true, false, ""},
		"400 about a state":            {Error{Status: 400, Message: "the pipe must be paused"}, nil, true, false, state + "."},
		"409":                          {Error{Status: 409}, nil, true, false, state + "."},
		"423 with a request ID":        {Error{Status: 423, RequestID: "r"}, nil, true, false, state + ", or ask the platform's support with the request ID."},
		"424":                          {Error{Status: 424}, nil, true, false, state + "."},
		"410":                          {Error{Status: 410}, nil, true, false, ""},
		"a success that is unreadable": {Error{Status: 200, Kind: Unreadable, Err: errors.New("x")}, nil, true, false, "Check base_url. If it is right, ask the platform's support."},
		"one with a request ID":        {Error{Status: 200, Kind: Unreadable, Err: errors.New("x"), RequestID: "r"}, nil, true, false, support},
	} {
		if got := advise(r, &test.e, test.because, test.retries, test.unanswered); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
	if got := advise(&Request{API: r.API, NotFoundAdvice: "Check it."}, &Error{Status: 404}, nil, true, false); got != "Check it." {
		t.Error(got)
	}
}
