package rest

import (
	"cmp"
	"crypto/tls"
	"errors"
	"net/http"
	"regexp"
	"strings"
)

const (
	andProxy = ", and HTTPS_PROXY if it is set." // after a setting with a URL
	slower   = "Increase retry_timeout, or lower Terraform's -parallelism."
	// runAgain is what to do about an API that has responded in this run.
	runAgain = "Run the command again once the platform has recovered."
)

// when is one row of advice: what to do in a case, "" in any other.
func when(applies bool, do string) string {
	if !applies {
		return ""
	}
	return do
}

// advise says what to do about an error; "" if nothing is known to help. See conclude for because.
func (k *Call) advise(e *Error, because error) string {
	url := k.API.URLSetting
	refused := new(refusal)
	switch {
	case e.Kind == Interrupted:
		return ""
	case errors.As(because, &refused):
		return refused.advice
	case e.Status == 0:
		return cmp.Or(
			when(errors.Is(e.Err, http.ErrSchemeMismatch), "The server speaks plain HTTP: check the port of "+url+"."),
			when(errors.As(e.Err, new(*tls.CertificateVerificationError)),
				"If the certificate is signed by a private certificate authority, add it to the trusted authorities of this machine. Otherwise check "+url+andProxy),
			when(k.unanswered || e.Kind == Final, "Check "+url+andProxy),
			when(e.Attempts > 0, runAgain),
		)
	}
	foreign := e.Status == http.StatusNotFound && k.NamesObject && !e.NotFound
	rejected := e.Status == http.StatusBadRequest || e.Status == http.StatusUnprocessableEntity
	creates := k.Method == http.MethodPost
	namesState := stateWord.MatchString(notOneOfIts.ReplaceAllString(e.Message, "")) // so no other value helps
	return cmp.Or(
		when(e.Status == http.StatusTooManyRequests && !k.client.Retries(), "Retries are disabled (retry_timeout is 0s): set retry_timeout, or lower Terraform's -parallelism."),
		when(e.Status == http.StatusTooManyRequests, slower),
		when(e.Kind == Temporary || e.Status >= http.StatusInternalServerError, runAgain),
		when(foreign, strings.TrimSpace("Check "+url+": the response does not look like the platform's. "+k.GoneAdvice)),
		when(e.Status == http.StatusRequestEntityTooLarge, "The request is too large for a gateway in front of the API. Change less at a time, or ask the platform's support to raise the limit."),
		when(strings.HasPrefix(e.Cause(), htmlPage), "Check "+url+": the response is from a login page or a gateway."),
		when(e.Status == http.StatusUnauthorized, k.API.Unauthorized),
		when(e.Status == http.StatusForbidden, k.API.Forbidden),
		when(e.Status == http.StatusNotFound, k.NotFoundAdvice),
		when(e.Status == http.StatusConflict && creates, "Nothing was created. Check the name: another object may already have it."),
		when((e.Kind == Busy || rejected) && namesState, "The message names a state of the object. Check its state in the platform's console, and apply again once it allows the change."),
		when(e.Kind == Busy, "The object's current state does not allow the request: apply again once it does."),
		when(rejected && e.Message != "" && e.Message != withheld, "Correct the value that the message names."),
		when(rejected, "Ask the platform's support, with the request ID if there is one."),
		when(e.Status/100 == 3, "Check "+url+"."),
		when(e.Kind == Unreadable, "Check "+url+". If it is right, ask the platform's support."),
	)
}

var (
	stateWord   = regexp.MustCompile(`(?i)\b(paused|running|stopped|idle)\b`)
	notOneOfIts = regexp.MustCompile(`(?i)\bidle (scaling|timeout)\b`) // settings of a service
)
