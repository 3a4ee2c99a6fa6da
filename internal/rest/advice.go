package rest

import (
	"crypto/tls"
	"errors"
	"net/http"
	"regexp"
	"strings"
)

const slower = "Increase retry_timeout, or lower Terraform's -parallelism."

// advise says what to do about the error of a request; "" if nothing is known to help.
// own404 reports whether a 404 is the API's own, retries whether they are enabled.
func advise(r *Request, e *Error, own404, retries bool) string {
	_, rejected := rejections[e.Status]
	switch {
	case e.Kind == Interrupted:
		return ""
	case errors.Is(e.Err, http.ErrSchemeMismatch):
		return "The server speaks plain HTTP: check the port of " + r.API.URLSetting + "."
	case errors.As(e.Err, new(*tls.CertificateVerificationError)):
		return "If the certificate is signed by a private certificate authority, add it to the trusted authorities of this machine. Otherwise check " + r.API.URLSetting + ", and HTTPS_PROXY if it is set."
	case e.Status == 0 && e.Attempts > 0 && e.Kind != NoResponse:
		return "Check " + r.API.URLSetting + ", and HTTPS_PROXY if it is set."
	case e.Status == http.StatusTooManyRequests && !retries:
		return "Retries are disabled (retry_timeout is 0s): set retry_timeout, or lower Terraform's -parallelism."
	case e.Status == http.StatusTooManyRequests, errors.As(e.Err, new(*tooLate)):
		return slower
	case e.Status == http.StatusUnauthorized:
		return r.API.Unauthorized
	case e.Status == http.StatusForbidden:
		return r.API.Forbidden
	case e.Status != 0 && e.Status < http.StatusInternalServerError && strings.HasPrefix(e.Cause(), htmlPage):
		return "Check " + r.API.URLSetting + ": the response is from a login page or a gateway."
	case e.Status == http.StatusNotFound && (own404 || r.IsOwn404 == nil):
		return r.NotFoundAdvice
	case e.Status == http.StatusNotFound:
		return "Check " + r.API.URLSetting + " and the IDs: the response does not look like the API's own."
	case rejected:
		return correct(e)
	default:
		return ""
	}
}

// busy matches messages about the state of an object: no value in the configuration
// is wrong.
var busy = regexp.MustCompile(`(?i)\b(must|has to|needs to) be (paused|stopped|started|running|resumed)\b` +
	`|\bis (currently |already )?(busy|locked|paused|stopped|starting|stopping|running|updating|provisioning)\b|\bin progress\b`)

// correct is what to do about a rejected request.
func correct(e *Error) string {
	advice := "Correct the value that the message names"
	switch {
	case rejections[e.Status] || busy.MatchString(e.Message):
		advice = "The object's current state does not allow the request: apply again once it does"
	case e.Message == "" && e.RequestID == "":
		return ""
	case e.Message == "":
		return "Ask the platform's support with the request ID."
	}
	if e.RequestID != "" {
		advice += ", or ask the platform's support with the request ID"
	}
	return advice + "."
}
