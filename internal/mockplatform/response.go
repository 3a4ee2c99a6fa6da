package mockplatform

import (
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"net/http"
	"net/http/httputil"
	"strconv"
)

// response is sent whole or in part.
type response struct {
	status int
	header http.Header
	body   []byte
}

const jsonType = "application/json"

func newResponse(status int, contentType string, body []byte) response {
	out := response{status, http.Header{}, body}
	if contentType != "" {
		out.header.Set("Content-Type", contentType)
	}
	if len(body) > 0 {
		// Without it, net/http would send a large body in chunks.
		out.header.Set("Content-Length", strconv.Itoa(len(body)))
	}
	return out
}

// successResponse wraps a result in the envelope of its API.
func (h *handler) successResponse(result any) response {
	result = h.server.rewriteResult(result)
	name, body := "result", Document{"status": json.Number("200"), "requestId": h.requestID}
	if h.route.operation == GetAlert {
		name, body = "data", Document{}
	}
	body[name] = result
	for _, omitted := range h.behaviour.Responses.OmitEnvelope {
		delete(body, omitted)
	}
	var out any = h.fault.editBody(body, name)
	if h.behaviour.Responses.UnknownMembers {
		out = addUnknownMembers(out)
	}
	return newResponse(http.StatusOK, jsonType, encode(out))
}

func (h *handler) errorResponse(err error) response {
	failure := &apiError{http.StatusInternalServerError, err.Error()}
	errors.As(err, &failure)
	return newResponse(failure.status, jsonType, encode(h.errorEnvelope(failure.status, failure.message)))
}

// BodyKind is a form of an error body. The API document shows none, so a client
// must accept each of them.
type BodyKind string

// The forms. BodyJSON, also for "", is the management envelope with an error
// instead of the result.
const (
	BodyJSON      BodyKind = "json"
	BodyHTML      BodyKind = "html"      // a gateway's page
	BodyEmpty     BodyKind = "empty"     // nothing
	BodyEcho      BodyKind = "echo"      // the request's body in the message
	BodyEchoWhole BodyKind = "echowhole" // the whole request as text, Authorization included
)

// errorBody writes an error in one of the forms.
func (h *handler) errorBody(kind BodyKind, status int, message string) (contentType string, body []byte) {
	title := http.StatusText(status)
	switch kind {
	case BodyHTML:
		return "text/html; charset=utf-8", fmt.Appendf(nil,
			"<!DOCTYPE html>\n<html><head><title>%[1]d %[2]s</title><style>h1{color:#333}</style></head>\n"+
				"<body><center><h1>%[1]d %[2]s</h1></center><p>%[3]s</p><hr><center>gateway</center></body></html>\n",
			status, title, html.EscapeString(message))
	case BodyEmpty:
		return "", nil
	case BodyEcho:
		return jsonType, encode(h.errorEnvelope(status, message+": "+string(h.rawBody)))
	case BodyEchoWhole:
		head, _ := httputil.DumpRequest(h.request, false) // fails only if it reads the body
		return "text/plain; charset=utf-8", fmt.Appendf(nil, "%s\n%s%s", message, head, h.rawBody)
	default:
		return jsonType, encode(h.errorEnvelope(status, message))
	}
}

// errorEnvelope returns the envelope of the management API. The alerting API has none, and an unknown
// path belongs to neither API.
func (h *handler) errorEnvelope(status int, message string) Document {
	if h.route.operation == GetAlert || h.routeErr != nil {
		return Document{"message": message}
	}
	return Document{"status": status, "requestId": h.requestID, "error": message}
}
