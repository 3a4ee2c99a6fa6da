package platform

import (
	"net/http"
	"regexp"
	"strings"
)

// noRoute matches the JSON messages of gateways and frameworks about a 404 of
// their own. The words between "path" and "not found" are free only if the message
// begins with the path: "Pipe x at path y not found" is about a pipe.
var noRoute = regexp.MustCompile(`(?i)\broutes?\b|\bcannot (get|patch|post)\b` +
	`|\b(no such|unknown|invalid) (resource )?(endpoint|path|url|uri)\b` +
	`|\b(endpoint|path|url|uri|page)( was| is| does)? not (found|exist)\b` +
	`|^\W*(the )?(requested |request )?(endpoint|path|url|uri)\b.* not (found|exist)\b` +
	`|\bnot found:? ['"]?((the )?(requested )?(endpoint|path|url|uri)\b|/)`)

// isOwn404 reports whether the JSON of a 404 is an error of the API about an object,
// and not one of a router about a path: a wrong base URL must never look like a
// deleted pipe. A message that does not mention a route is accepted, and so is the
// API's envelope without a message, since the API document does not show the form of
// an error.
func isOwn404(body map[string]any, message string) bool {
	for _, member := range []string{"status", "statusCode"} {
		if status, ok := body[member].(float64); ok && status != http.StatusNotFound {
			return false
		}
	}
	if noRoute.MatchString(strings.ReplaceAll(message, "_", " ")) { // or PATH_NOT_FOUND
		return false
	}
	if id, ok := body["requestId"].(string); ok && id != "" || message != "" {
		return true
	}
	_, hasStatus := body["status"].(float64)
	for _, member := range []string{"error", "errors", "code"} {
		if _, exists := body[member]; exists {
			return true
		}
	}
	return hasStatus
}
