package rest

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"strings"
)

const (
	// runAgain is what to do about an API that has responded in this run.
	runAgain   = "Run the command again once the platform has recovered."
	orRunAgain = " If they are right, run the command again once the platform has recovered."
	slower     = "Increase retry_timeout, or lower Terraform's -parallelism."
	support    = "Ask the platform's support, with the request ID if there is one."
	later      = "The object's current state does not allow the request: run the command again once it does."
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
	default:
		return k.adviseAnswered(e)
	}
}

func (k *Call) adviseAnswered(e *Error) string {
	isOutage := e.Kind == Temporary || e.Status >= http.StatusInternalServerError
	switch {
	case isOutage && e.Foreign != "" && k.unanswered:
		return "Check " + k.API.address() + orRunAgain
	case isOutage:
		return runAgain
	case e.Kind == RateLimited:
		return slower
	default:
		return k.adviseRejected(e)
	}
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
		return k.adviseForeign()
	case e.Status == http.StatusUnauthorized:
		return k.API.Unauthorized
	case e.Status == http.StatusForbidden:
		return k.API.Forbidden
	case e.Kind == Busy:
		return later
	case e.Foreign != "":
		return k.adviseForeign()
	case e.Kind == Unreadable:
		return support
	default:
		return ""
	}
}

func (k *Call) adviseNotFound(e *Error) string {
	switch {
	case e.isForeign() || k.NamesObject && !e.NotFound:
		return strings.TrimSpace(k.adviseForeign() + " " + k.GoneAdvice)
	case !k.NamesObject && k.unanswered:
		return k.NotFoundAdvice + " Otherwise check " + k.API.URLSetting + "."
	default:
		return k.NotFoundAdvice
	}
}

// adviseForeign is what to do about a response that is not the API's own.
func (k *Call) adviseForeign() string {
	if k.unanswered {
		return "The response does not look like the platform's: check " + k.API.address()
	}
	return askGateway
}
