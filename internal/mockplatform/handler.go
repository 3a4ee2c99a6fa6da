package mockplatform

import (
	"cmp"
	"context"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"time"
)

// handler handles one request.
type handler struct {
	server    *Server
	writer    http.ResponseWriter
	request   *http.Request
	behaviour Behaviour
	limiter   *limiter
	fault     Fault
	hanging   context.Context
	entry     *Request
	requestID string

	route    route
	params   map[string]string
	routeErr error
	rawBody  []byte
	body     Document // rawBody, decoded and checked
}

// apiError is the platform's own reason to reject a request.
type apiError struct {
	status  int
	message string
}

func (e *apiError) Error() string { return e.message }

func reject(status int, format string, args ...any) error {
	return &apiError{status, fmt.Sprintf(format, args...)}
}

func (s *Server) newHandler(w http.ResponseWriter, r *http.Request) *handler {
	h := &handler{server: s, writer: w, request: r, requestID: fmt.Sprintf("80000000-0000-4000-8000-%012d", s.requests.Add(1))}
	h.behaviour, h.limiter = s.current()
	h.route, h.params, h.routeErr = s.findRoute(r.Method, r.URL)
	h.entry = s.journal.begin(r, h.route.operation)
	h.fault, h.hanging = s.takeFault(h.route.operation, r.Method, r.URL.EscapedPath())
	if r.Method == http.MethodPatch {
		h.fault.Result = cmp.Or(h.fault.Result, h.behaviour.Responses.PatchResult)
	}
	return h
}

func (h *handler) finish() {
	entry := h.server.journal.end(h.entry)
	if h.behaviour.OnRequest != nil {
		h.behaviour.OnRequest(entry)
	}
}

// wait pauses, and reports whether the client is still connected.
func (h *handler) wait(d time.Duration) bool {
	if d <= 0 {
		return true
	}
	select {
	case <-time.After(d):
		return true
	case <-h.request.Context().Done():
		return false
	}
}

// respond returns the real response or the fault's.
func (h *handler) respond() response {
	var out response
	if h.fault.Status == 0 || h.fault.After || h.fault.Half && h.route.operation == UpdatePipe {
		out = h.carryOut()
	}
	if h.fault.Status != 0 {
		out = h.faultResponse()
	}
	h.fault.addHeaders(out.header)
	return out
}

func (h *handler) carryOut() response {
	now := time.Now()
	if wait, ok := h.limiter.take(now); !ok {
		out := h.errorResponse(reject(http.StatusTooManyRequests, "too many requests"))
		out.header.Set("Retry-After", wholeSeconds(wait))
		return out
	}
	if err := h.check(); err != nil {
		return h.errorResponse(err)
	}
	result, err := h.runOperation()
	if err != nil {
		return h.errorResponse(err)
	}
	return h.successResponse(result)
}

// runOperation returns a copy of the result, which the caller may change.
func (h *handler) runOperation() (any, error) {
	h.server.store.mu.Lock()
	defer h.server.store.mu.Unlock()
	result, err := h.route.run(h)
	return clone(result), err
}

// check follows the order in which a gateway and then a service would check.
func (h *handler) check() error {
	if h.routeErr != nil {
		return h.routeErr
	}
	if err := h.authenticate(); err != nil {
		return err
	}
	for _, name := range []string{"organizationId", "serviceId", "pipeId"} {
		if value, ok := h.params[name]; ok && !isUUID(value) {
			return reject(http.StatusBadRequest, "%s must be a UUID", name)
		}
	}
	for name := range h.request.URL.Query() {
		if name != h.route.query {
			return reject(http.StatusBadRequest, "unknown query parameter %q", name)
		}
	}
	return h.checkBody()
}

func (h *handler) authenticate() error {
	if h.route.operation == GetAlert {
		scheme, token, _ := strings.Cut(h.request.Header.Get("Authorization"), " ")
		if strings.EqualFold(scheme, "Bearer") && token == h.server.seed.AccessToken {
			return nil
		}
		return reject(http.StatusUnauthorized, "invalid access token")
	}
	id, secret, ok := h.request.BasicAuth()
	if ok && (id == h.server.seed.KeyID && secret == h.server.seed.KeySecret || h.server.store.accepts(id, secret, h.behaviour.now())) {
		return nil
	}
	return reject(http.StatusUnauthorized, "invalid API key")
}

func (h *handler) checkBody() error {
	if h.route.body == nil {
		if len(h.rawBody) != 0 {
			return reject(http.StatusBadRequest, "the body must be empty")
		}
		return nil
	}
	mediaType, _, err := mime.ParseMediaType(h.request.Header.Get("Content-Type"))
	if err != nil || mediaType != jsonType {
		return reject(http.StatusUnsupportedMediaType, "Content-Type must be %s", jsonType)
	}
	value, err := decode(h.rawBody)
	if err != nil {
		return reject(http.StatusBadRequest, "the body is not valid JSON: %v", err)
	}
	if err := h.route.body.check("", value); err != nil {
		return reject(http.StatusBadRequest, "%v", err)
	}
	h.body = asDocument(value)
	return nil
}
