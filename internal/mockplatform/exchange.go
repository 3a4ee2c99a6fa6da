package mockplatform

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
)

// exchange is one request on its way to an answer.
type exchange struct {
	server    *Server
	writer    http.ResponseWriter
	request   *http.Request
	behaviour Behaviour
	fault     Fault
	released  <-chan struct{}
	entry     *Request
	requestID string

	route     route
	params    map[string]string
	routeErr  error
	body      []byte
	submitted Document // the body, decoded and checked
}

// answer is what goes back. The body is in pieces, so that a long list is not
// copied for every reader.
type answer struct {
	status int
	header http.Header
	body   [][]byte
}

// apiError is a refusal by the platform itself.
type apiError struct {
	status  int
	message string
	header  http.Header
}

func (e *apiError) Error() string { return e.message }

func refuse(status int, format string, args ...any) error {
	return &apiError{status: status, message: fmt.Sprintf(format, args...)}
}

func (s *Server) open(w http.ResponseWriter, r *http.Request) *exchange {
	x := &exchange{server: s, writer: w, request: r, behaviour: s.currentBehaviour(), requestID: uuid.NewString()}
	x.route, x.params, x.routeErr = s.findRoute(r.Method, r.URL)
	x.entry = s.journal.begin(r, x.route.operation, x.behaviour.JournalSize)
	x.fault, x.released = s.takeFault(x.route.operation, r.Method, r.URL.EscapedPath())
	return x
}

func (x *exchange) close() {
	entry := x.server.journal.end(x.entry)
	if x.behaviour.OnRequest != nil {
		x.behaviour.OnRequest(entry)
	}
}

// largestBody is far beyond any request of the six operations.
const largestBody = 16 << 20

func (x *exchange) readBody() error {
	var err error
	x.body, err = io.ReadAll(http.MaxBytesReader(x.writer, x.request.Body, largestBody))
	x.server.journal.update(x.entry, func(r *Request) { r.Body = string(x.body) })
	return err
}

// answer is the true answer, or what the fault puts in its place.
func (x *exchange) answer() answer {
	if x.fault.Status != 0 && !x.fault.After {
		return x.faultAnswer()
	}
	out := x.carryOut()
	if x.fault.Status != 0 {
		out = x.faultAnswer()
	}
	x.fault.addHeaders(out.header)
	return out
}

func (x *exchange) carryOut() answer {
	if wait, ok := x.server.limiter.take(time.Now()); !ok {
		out := x.errorAnswer(refuse(http.StatusTooManyRequests, "too many requests"))
		x.behaviour.RateLimit.RetryAfter.set(out.header, wait)
		return out
	}
	if err := x.admit(); err != nil {
		return x.errorAnswer(err)
	}
	result, err := x.route.run(x)
	if err != nil {
		return x.errorAnswer(err)
	}
	return x.successAnswer(result)
}

// admit checks a request in the order in which a gateway and then a service
// would.
func (x *exchange) admit() error {
	if x.routeErr != nil {
		return x.routeErr
	}
	if err := x.authenticate(); err != nil {
		return err
	}
	for _, name := range []string{"organizationId", "serviceId", "pipeId"} {
		if value, ok := x.params[name]; ok && !isUUID(value) {
			return refuse(http.StatusBadRequest, "%s must be a UUID", name)
		}
	}
	for name := range x.request.URL.Query() {
		if name != x.route.query {
			return refuse(http.StatusBadRequest, "unknown query parameter %q", name)
		}
	}
	return x.checkBody()
}

func (x *exchange) authenticate() error {
	if x.route.operation == GetAlert {
		scheme, token, _ := strings.Cut(x.request.Header.Get("Authorization"), " ")
		if strings.EqualFold(scheme, "Bearer") && same(token, x.server.seed.AccessToken) {
			return nil
		}
		return &apiError{http.StatusUnauthorized, "invalid access token", http.Header{"Www-Authenticate": {"Bearer"}}}
	}
	id, secret, ok := x.request.BasicAuth()
	if ok && same(id, x.server.seed.KeyID) && same(secret, x.server.seed.KeySecret) ||
		ok && x.server.store.opens(id, secret, x.behaviour.now()) {
		return nil
	}
	return &apiError{http.StatusUnauthorized, "invalid API key", http.Header{"Www-Authenticate": {`Basic realm="management API"`}}}
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

func (x *exchange) checkBody() error {
	if x.route.body == nil {
		if len(x.body) != 0 {
			return refuse(http.StatusBadRequest, "no body expected")
		}
		return nil
	}
	mediaType, _, err := mime.ParseMediaType(x.request.Header.Get("Content-Type"))
	if err != nil || mediaType != jsonType {
		return refuse(http.StatusUnsupportedMediaType, "Content-Type must be %s", jsonType)
	}
	value, err := decode(x.body)
	if err != nil {
		return refuse(http.StatusBadRequest, "the body is not JSON: %v", err)
	}
	if err := x.route.body.check("", value); err != nil {
		return refuse(http.StatusBadRequest, "%v", err)
	}
	x.submitted = asDocument(value)
	return nil
}

func (x *exchange) errorAnswer(err error) answer {
	failure := &apiError{status: http.StatusInternalServerError, message: err.Error()}
	errors.As(err, &failure)
	contentType, body := x.errorBody(x.behaviour.ErrorBody, failure.status, failure.message)
	out := newAnswer(failure.status, contentType, body)
	for name, values := range failure.header {
		out.header[name] = values
	}
	return out
}

func newAnswer(status int, contentType string, body ...[]byte) answer {
	out := answer{status: status, header: http.Header{}, body: body}
	if contentType != "" {
		out.header.Set("Content-Type", contentType)
	}
	return out
}

// encoded is a result that is JSON text already.
type encoded []byte

// successAnswer wraps a result in the envelope of its API.
func (x *exchange) successAnswer(result any) answer {
	if text, ok := result.(encoded); ok {
		head := fmt.Appendf(nil, `{"status":200,"requestId":%q,"result":`, x.requestID)
		return newAnswer(http.StatusOK, jsonType, head, text, []byte("}"))
	}
	result = x.server.distort(x.route.operation, x.behaviour.Answers, result)
	name, body := "result", Document{"status": http.StatusOK, "requestId": x.requestID}
	if x.route.operation == GetAlert {
		name, body = "data", Document{}
	}
	body[name] = result
	for _, omitted := range x.behaviour.Answers.OmitEnvelope {
		delete(body, omitted)
	}
	x.fault.editBody(body, name)
	return newAnswer(http.StatusOK, jsonType, encode(x.behaviour.Answers.spell(body)))
}

// plain tells whether the result is answered just as it is stored.
func (x *exchange) plain() bool {
	return x.fault.Edit == nil && x.fault.Result == "" && x.behaviour.Answers.plain()
}
