package rest

import (
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Request declares what is sent to an API, how its response is read, and how it may be
// retried.
type Request struct {
	Operation string // "update pipe"
	Subject   string // "pipe … of service … in organization …"
	// Realm is whom the credentials have to be valid for, as in " in organization …".
	Realm  string
	API    *API
	Method string
	Path   []string
	Query  url.Values
	Body   []byte // JSON; nil for none

	// Accept reads a response, whatever its status and even if it was cut off. Its error
	// is why the response cannot be used; if the status is not 2xx, that is the reason.
	Accept func(*Response) error
	// NamesObject reports that a 404 of the API's own, a JSON object with a requestId,
	// means that the object at the path does not exist. Messages were rejected as a sign:
	// gateways and frameworks return JSON, too.
	NamesObject bool
	// NotFoundAdvice is what to do about such a 404, and about any if NamesObject is
	// false. GoneAdvice is what to do about any other if the object does not exist.
	NotFoundAdvice, GoneAdvice string

	// Invalidate prevents later reads from sharing earlier ones. It is called before and
	// after each attempt of a write. Optional.
	Invalidate func()
	// Unrepeatable is a creation that nothing can undo. It is not retried after an attempt
	// that may have been carried out. An attempt that was sent runs to its end even if the
	// caller cancels. Each attempt has a new connection: on one that is reused, a server
	// that has just closed it leaves open whether the request was carried out.
	Unrepeatable bool
	// AsOf is when what the body rests on was read, the end of that read; zero if it rests on
	// nothing. The request is not sent more than maxAge after it (Call.Try), and a success
	// that cannot be read is tried again, since the caller reads again before.
	AsOf time.Time
	// Leaves names what a PATCH carries, for the log line of an attempt; never values.
	Leaves []string
}

func (r *Request) isWrite() bool { return r.Method != http.MethodGet }

func (r *Request) invalidate() {
	if r.Invalidate != nil {
		r.Invalidate()
	}
}

// staleAt is when what the request rests on is too old to send it; zero for never.
func (r *Request) staleAt() time.Time {
	if r.AsOf.IsZero() {
		return time.Time{}
	}
	return r.AsOf.Add(maxAge)
}

// url is the address. Each segment is escaped, so that none can address another path.
func (r *Request) url() *url.URL {
	u := *r.API.Base
	u.RawPath = u.EscapedPath() + r.escapedPath(func(segment string) string { return segment })
	u.Path, _ = url.PathUnescape(u.RawPath) // it is escaped above
	u.RawQuery = r.Query.Encode()
	return &u
}

// escapedPath is the path below the base URL. The base URL's own path stays out of
// messages, and so does the query, whose filters come from the configuration.
func (r *Request) escapedPath(change func(string) string) string {
	var b strings.Builder
	for _, segment := range r.Path {
		b.WriteString("/" + change(url.PathEscape(segment)))
	}
	return b.String()
}

// NewError returns an error of this request that is not one of sending it.
func (r *Request) NewError(kind Kind, err error) *Error {
	return &Error{Operation: r.Operation, Subject: r.Subject, Host: r.API.Host(), Kind: kind, Err: err}
}
