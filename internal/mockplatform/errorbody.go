package mockplatform

import (
	"fmt"
	"html"
	"net/http"
	"strings"
)

// BodyKind is a form of an error body. The API document shows none, so that a
// client has to get along with each.
type BodyKind string

// The forms: the first, the default, is the management envelope with an error
// in place of the result.
const (
	BodyJSON      BodyKind = ""
	BodyMessage   BodyKind = "message"   // {"message": ...}
	BodyNested    BodyKind = "nested"    // {"error": {"code", "message"}}
	BodyErrors    BodyKind = "errors"    // {"errors": [{"message"}]}
	BodyProblem   BodyKind = "problem"   // {"title", "detail"}, application/problem+json
	BodyString    BodyKind = "string"    // a JSON string
	BodyHTML      BodyKind = "html"      // a gateway's page
	BodyText      BodyKind = "text"      // plain text
	BodyEmpty     BodyKind = "empty"     // nothing
	BodyEcho      BodyKind = "echo"      // the request's body inside the message
	BodyEchoWhole BodyKind = "echowhole" // the whole request as text, Authorization included
)

// BodyKinds are all of them, for tests that try each.
var BodyKinds = []BodyKind{
	BodyJSON, BodyMessage, BodyNested, BodyErrors, BodyProblem, BodyString,
	BodyHTML, BodyText, BodyEmpty, BodyEcho, BodyEchoWhole,
}

const jsonType = "application/json"

// errorBody writes an error in one of the forms. Alerts have no envelope, so
// that their errors have none either.
func (x *exchange) errorBody(kind BodyKind, status int, message string) (contentType string, body []byte) {
	switch kind {
	case BodyMessage:
		return jsonType, encode(Document{"message": message})
	case BodyNested:
		return jsonType, encode(Document{"error": Document{"code": http.StatusText(status), "message": message}})
	case BodyErrors:
		return jsonType, encode(Document{"errors": []any{Document{"message": message}}})
	case BodyProblem:
		return "application/problem+json", encode(Document{
			"type": "about:blank", "title": http.StatusText(status), "status": status, "detail": message,
		})
	case BodyString:
		return jsonType, encode(message)
	case BodyHTML:
		return "text/html; charset=utf-8", fmt.Appendf(nil,
			"<!DOCTYPE html>\n<html><head><title>%d %s</title><style>h1{color:#333}</style></head>\n"+
				"<body><center><h1>%d %s</h1></center><p>%s</p><hr><center>gateway</center></body></html>\n",
			status, http.StatusText(status), status, http.StatusText(status), html.EscapeString(message))
	case BodyText:
		return "text/plain; charset=utf-8", []byte(message + "\n")
	case BodyEmpty:
		return "", nil
	case BodyEcho:
		return jsonType, encode(x.errorEnvelope(status, message+": "+string(x.body)))
	case BodyEchoWhole:
		return "text/plain; charset=utf-8", []byte(message + "\n" + x.dump())
	default:
		return jsonType, encode(x.errorEnvelope(status, message))
	}
}

func (x *exchange) errorEnvelope(status int, message string) Document {
	if x.route.operation == GetAlert {
		return Document{"message": message}
	}
	return Document{"status": status, "requestId": x.requestID, "error": message}
}

// dump is the request as a careless gateway would show it.
func (x *exchange) dump() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s %s %s\nHost: %s\n", x.request.Method, x.request.RequestURI, x.request.Proto, x.request.Host)
	_ = x.request.Header.Write(&out)
	fmt.Fprintf(&out, "\n%s", x.body)
	return out.String()
}
