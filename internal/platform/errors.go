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
// its own (see rest.Request.NamesObject), or two consecutive lists of services omit the object. A 404 to
// a list is about the organization and not about its services.
func IsNotFound(err error) bool { return asError(err).NotFound }

// IsAmbiguous reports whether a write may have been carried out although it failed: an attempt was
// sent, and its response was lost, cut off, unusable, a redirect or a 5xx, or to a creation, a 408 or
// 425. A 503 to an update is no such response if it is the API's own or has Retry-After. Reads are never
// ambiguous.
func IsAmbiguous(err error) bool { return asError(err).Ambiguous }

// IsUnreadable reports whether the API accepted an operation with a response that cannot be used.
func IsUnreadable(err error) bool { return asError(err).Status/100 == 2 }

// Absence returns why IsNotFound holds for an error, as the rest of a sentence: "the API returned
// HTTP 404 Not Found (request ID req-1): pipe not found.", or that two consecutive lists omit the
// object.
func Absence(err error) string {
	e := asError(err)
	switch {
	case e.Status == 0:
		return "two consecutive lists of its services omit it."
	case e.Cause() == "":
		return "the API returned " + e.Response() + " without a message."
	default:
		return "the API returned " + e.Response() + ": " + strings.TrimRight(e.Cause(), ".: ") + "."
	}
}

// SettingsAre is the beginning of a sentence about settings: "a is", "a, b and c
// are". names must not be empty.
func SettingsAre(names []string) string {
	if len(names) == 1 {
		return names[0] + " is"
	}
	return Enumerate(names) + " are"
}

// Enumerate joins names for a sentence: "a", "a, b and c". names must not be empty.
func Enumerate(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
