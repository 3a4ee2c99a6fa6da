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
	switch m := meaningOf(e.Status); {
	case e.Kind == Interrupted:
		return ""
	case because != nil && because.advice != "":
		return because.advice
	case e.Status == 0:
		return k.adviseUnanswered(e)
	case e.isOutage() && e.Foreign != "" && k.unanswered:
		return "Check " + k.API.address() + orRunAgain
	case e.Foreign != "" && !m.byAnyone && (e.isForeign() || m.advise == nil),
		e.Status == http.StatusNotFound && k.NamesObject && !e.NotFound: // it does not say that the object does not exist
		return k.adviseForeign(e)
	case m.advise != nil:
		return m.advise(k)
	default:
		return ""
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
	case e.Kind == Final && e.Attempts == 0:
		return notValid
	case e.line == 0 && (k.unanswered || e.Kind == Final):
		return "Check " + k.API.address()
	case e.Attempts == 0: // it waited for its turn
		return slower
	default:
		return runAgain
	}
}

// adviseNotFound is what to do about a 404 of the API's own, or of any if the request names no object.
func (k *Call) adviseNotFound() string {
	if !k.NamesObject && k.unanswered {
		return k.NotFoundAdvice + " Otherwise check " + k.API.URLSetting + "."
	}
	return k.NotFoundAdvice
}

// adviseForeign is what to do about a response that is not the API's own.
func (k *Call) adviseForeign(e *Error) string {
	ask, gone := askGateway, ""
	switch {
	case e.detour:
		ask = askCache
	case k.unanswered:
		ask = "The response does not look like the platform's: check " + k.API.address()
	}
	if e.Status == http.StatusNotFound {
		gone = k.GoneAdvice
	}
	return strings.TrimSpace(ask + " " + gone)
}
