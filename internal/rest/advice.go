package rest

import (
	"crypto/tls"
	"errors"
	"net/http"
	"regexp"
	"strings"
)

const slower = "Increase retry_timeout, or lower Terraform's -parallelism."

// advise says what to do about an error; "" if nothing is known to help. because is why
// there was no further attempt, retries reports whether they are enabled, and unanswered
// whether the API has not responded to any request of this run.
func advise(r *Request, e *Error, because error, retries, unanswered bool) string {
	_, rejected := rejections[e.Status]
	refused := new(trouble)
	switch {
	case e.Kind == Interrupted:
		return ""
	case errors.As(because, &refused):
		return refused.advice
	case errors.Is(e.Err, http.ErrSchemeMismatch):
		return "The server speaks plain HTTP: check the port of " + r.API.URLSetting + "."
	case errors.As(e.Err, new(*tls.CertificateVerificationError)):
		return "If the certificate is signed by a private certificate authority, add it to the trusted authorities of this machine. Otherwise check " + r.API.URLSetting + ", and HTTPS_PROXY if it is set."
	case e.Status == 0 && e.Attempts > 0 && (e.Kind != NoResponse || unanswered):
		return r.API.checkAddress()
	case e.Status == http.StatusTooManyRequests && !retries:
		return "Retries are disabled (retry_timeout is 0s): set retry_timeout, or lower Terraform's -parallelism."
	case e.Status == http.StatusTooManyRequests, errors.As(because, new(*tooLate)) && e.Attempts == 0:
		return slower
	case e.Status == http.StatusNotFound && r.NamesObject && !e.NotFound:
		return strings.TrimSpace("Check " + r.API.URLSetting + ": the response does not look like the platform's. " + r.GoneAdvice)
	case e.Status != 0 && e.Status < http.StatusInternalServerError && strings.HasPrefix(e.Cause(), htmlPage): // whatever the status says
		return "Check " + r.API.URLSetting + ": the response is from a login page or a gateway."
	case e.Status == http.StatusUnauthorized:
		return r.API.Unauthorized
	case e.Status == http.StatusForbidden:
		return r.API.Forbidden
	case e.Status >= 300 && e.Status <= 399:
		return "Check " + r.API.URLSetting + "."
	case e.Status == http.StatusNotFound:
		return r.NotFoundAdvice
	case rejected:
		return correct(e)
	case e.Kind == Unreadable && e.RequestID == "":
		return "Check " + r.API.URLSetting + ". If it is right, ask the platform's support."
	case e.Kind == Unreadable:
		return askSupport
	default:
		return ""
	}
}

const askSupport = "Ask the platform's support with the request ID."

// busy matches messages about the state of an object: no value in the configuration
// is wrong.
var busy = regexp.MustCompile(`(?i)\b(must|has to|needs to) be (paused|stopped|started|running|resumed)\b` +
	`|\bis (currently |already )?(busy|locked|paused|stopped|starting|stopping|running|updating|provisioning)\b|\bin progress\b`)

// correct is what to do about a rejected request.
func correct(e *Error) string {
	advice, legible := "Correct the value that the message names", e.Message != "" && e.Message != withheld
	switch {
	case rejections[e.Status] || busy.MatchString(e.Message):
		advice = "The object's current state does not allow the request: apply again once it does"
	case !legible && e.RequestID == "":
		return ""
	case !legible:
		return askSupport
	}
	if e.RequestID != "" {
		advice += ", or ask the platform's support with the request ID"
	}
	return advice + "."
}
