package platform

import (
	"errors"
	"strings"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/rest"
)

// Error is the error of an operation whose settings and IDs were valid.
type Error = rest.Error

// asError returns the error of an operation; an empty one if err is another error, or nil.
func asError(err error) *Error {
	e := new(Error)
	errors.As(err, &e)
	return e
}

// IsNotFound reports whether the object of an operation does not exist: the API returned a 404 of
// its own, or two consecutive lists of services omit the object.
func IsNotFound(err error) bool { return asError(err).NotFound }

// IsAmbiguous reports whether a write may have been carried out although it failed.
func IsAmbiguous(err error) bool { return asError(err).Ambiguous }

// IsUnreadable reports whether an operation failed with a success that cannot be used: the API may have
// accepted it, or something in between has answered.
func IsUnreadable(err error) bool { return asError(err).Status/100 == 2 }

// IsRateLimited reports whether the last attempt of an operation was rejected with a 429.
func IsRateLimited(err error) bool { return asError(err).Kind == rest.RateLimited }

// Absence returns why IsNotFound holds for an error, as the rest of a sentence: "the API returned
// HTTP 404 Not Found (request ID req-1): pipe not found.", or that two consecutive lists omit the
// object.
func Absence(err error) string {
	e := asError(err)
	if e.Status == 0 {
		return "two consecutive lists of its services omit it."
	}
	return "the API returned " + e.Response() + ": " + strings.TrimRight(e.Cause(), ".: ") + "."
}
