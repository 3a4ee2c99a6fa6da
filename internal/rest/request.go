package rest

import (
	"cmp"
	"net/http"
	"net/url"
	"time"
)

// Request declares what is sent to an API, how its response is read, and how it may be retried.
type Request struct {
	Operation string // "update pipe"
	Subject   string // "pipe … of service … in organization …"
	// Tenant is for whom credentials are accepted or rejected, as words for a message: " in organization …".
	Tenant  string
	API     *API
	Method  string
	Path    []string
	Invalid error // why it must not be sent; nil if it may
	Query   url.Values
	Body    []byte   // JSON; nil for none
	Leaves  []string // for the log: what a PATCH has, without values, or the name of what a POST creates
	MaxBody int64    // maximum size of the response to a success, in bytes; 0 for 8 MiB
	Result  string   // the member of the body of a success that has the result: an object, or an array if IsArray
	IsArray bool
	Object  map[string]string // what a result has of the object that the request is about: its "id", and others
	// Secret returns a new secret that a body has, which is masked from then on; "" if it has none. Not nil for a creation whose
	// response may have one in another form, too, so that only messages of its own JSON are shown: see Response.hidesBody.
	Secret func(body any) string
	// HasCredentials means that the body has some. No read shows them, so a success has to name the request or the object.
	HasCredentials bool
	// Accept reads a response, whatever its status and even if it was cut off. Its error
	// is why the response cannot be used; if the status is not 2xx, that is the reason.
	Accept         func(*Response) error
	NamesObject    bool   // a 404 of the API's own means that the object at the path does not exist
	NotFoundAdvice string // what to do about such a 404, or about any 404 if NamesObject is false
	GoneAdvice     string // what to do about any other 404 if the object does not exist
	BusyAdvice     string // what to do about a 409; "" for what is true of an object that is being changed
	// Invalidate prevents later reads from sharing earlier ones. It is called before each attempt of a
	// write, and after it and the wait for the next one. May be nil.
	Invalidate func()
	// NonIdempotent means a request that does harm if it is carried out twice: a creation that nothing can undo, or a removal
	// that may undo what was added since. It is not retried after an attempt that may have been carried out, and an attempt
	// that was sent has all of request_timeout, even if the caller cancels or retry_timeout ends. Each attempt has a
	// connection of its own: on one that a server has just closed, it would not be known whether the request was carried out.
	NonIdempotent bool
	AsOf          time.Time // the end of the read that the body is based on; zero if there is none: see Call.Try
}

func (r *Request) isWrite() bool { return r.Method != http.MethodGet }

// url is the address. Each segment is escaped, so that none can address another path.
func (r *Request) url() *url.URL {
	u := *r.API.Base
	u.RawPath = u.EscapedPath()
	for _, segment := range r.Path {
		u.RawPath += "/" + url.PathEscape(segment)
	}
	u.Path, _ = url.PathUnescape(u.RawPath) // it is escaped above
	u.RawQuery = r.Query.Encode()
	return &u
}

// NewError returns an error of this request that is not one of sending it.
func (r *Request) NewError(kind Kind, err error) *Error {
	return &Error{Operation: r.Operation, Subject: r.Subject, Host: r.API.Host(), Kind: kind, Err: cmp.Or(r.Invalid, err)}
}
