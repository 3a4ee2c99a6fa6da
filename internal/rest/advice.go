package rest

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"
	"strings"
)

const (
	andProxy = ", and HTTPS_PROXY if it is set." // after a setting with a URL
	// runAgain is what to do about an API that has responded in this run.
	runAgain   = "Run the command again once the platform has recovered."
	orRunAgain = " If they are right, run the command again once the platform has recovered."
	slower     = "Increase retry_timeout, or lower Terraform's -parallelism."
	support    = "Ask the platform's support, with the request ID if there is one."
	expired    = "The server's certificate has expired or is not valid yet: renew it, or correct the clock of this machine."
	checkProxy = "Check the proxy in HTTPS_PROXY: its user and password after an HTTP 407, otherwise whether it can reach this host."
	// askGateway is what to do about a gateway in a run in which the API itself has responded.
	askGateway = "The response does not look like the platform's, which has answered other requests of this run: " +
		"give this text to whoever runs the proxy or gateway in between."
)

// when is a rule of advice: what to do in a case, "" in any other.
func when(applies bool, do string) string {
	if !applies {
		return ""
	}
	return do
}

// advise says what to do about an error; "" if nothing is known to help. See complete for because.
func (k *Call) advise(e *Error, because *refusal) string {
	url := k.API.URLSetting
	invalid := e.Status == http.StatusBadRequest || e.Status == http.StatusUnprocessableEntity
	fails := e.Kind == Temporary || e.Status >= http.StatusInternalServerError
	switch {
	case e.Kind == Interrupted:
		return ""
	case because != nil && because.advice != "":
		return because.advice
	case e.Status == 0:
		return k.adviseUnanswered(e)
	}
	return cmp.Or(
		when(e.Status == http.StatusTooManyRequests && !k.client.Retries(), "Retries are disabled: set retry_timeout, or lower Terraform's -parallelism."),
		when(e.Status == http.StatusTooManyRequests, slower),
		when(fails && e.Foreign != "" && k.unanswered, "Check "+url+andProxy+orRunAgain),
		when(fails, runAgain),
		when(e.Status == http.StatusRequestEntityTooLarge, "The request is too large for a gateway in front of the API: change less at a time."),
		when(e.Status == http.StatusProxyAuthRequired, checkProxy),
		when(e.Status == http.StatusUnauthorized && !e.isForeign(), k.API.Unauthorized),
		when(e.Status == http.StatusForbidden && !e.isForeign(), k.API.Forbidden),
		when(e.Status == http.StatusNotFound && !e.isForeign() && !k.NamesObject && k.unanswered, k.NotFoundAdvice+" Otherwise check "+url+"."),
		when(e.Status == http.StatusNotFound && !e.isForeign() && (e.NotFound || !k.NamesObject), k.NotFoundAdvice),
		when(e.Kind == Busy && !e.isForeign() && k.Method == http.MethodPost, "Nothing was created. Check the name: another object may already have it."),
		when(e.Kind == Busy && !e.isForeign(), "The object's current state does not allow the request: run the command again once it does."),
		when(invalid && e.Message != "" && e.Message != withheld && !e.isForeign(), "Correct the value that the message names."),
		when(e.Foreign != "", k.adviseForeign(e)),
		when(e.Kind == Unreadable && k.unanswered, "Check "+url+". If it is right, ask the platform's support."),
		when(e.Kind == Unreadable || invalid, support),
	)
}

// adviseForeign is what to do about a response that is not the API's own.
func (k *Call) adviseForeign(e *Error) string {
	advice := askGateway
	if k.unanswered {
		advice = "The response does not look like the platform's: check " + k.API.URLSetting + andProxy
	}
	if e.Status == http.StatusNotFound {
		advice += " " + k.GoneAdvice
	}
	return strings.TrimSpace(advice)
}

// adviseUnanswered is what to do about a request without a complete response.
func (k *Call) adviseUnanswered(e *Error) string {
	url, invalid := k.API.URLSetting, new(x509.CertificateInvalidError)
	return cmp.Or(
		when(errors.Is(e.Err, errProxy), checkProxy),
		when(errors.Is(e.Err, http.ErrSchemeMismatch), "The server speaks plain HTTP: check the port of "+url+"."),
		when(errors.As(e.Err, invalid) && invalid.Reason == x509.Expired, expired),
		when(errors.As(e.Err, new(x509.HostnameError)), "The certificate is for another host: check "+url+andProxy),
		when(errors.As(e.Err, new(*tls.CertificateVerificationError)),
			"If the certificate is signed by a private certificate authority, add it to the trusted authorities of this machine. Otherwise check "+url+andProxy),
		when(k.unanswered || e.Kind == Final, "Check "+url+andProxy),
		when(e.Attempts > 0, runAgain),
	)
}
