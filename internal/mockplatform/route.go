package mockplatform

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"
)

// route is one operation: where it is, what body it takes, and what it does.
type route struct {
	operation Operation
	method    string
	path      string
	query     string // the one query parameter it takes
	body      *shape
	run       func(*exchange) (result any, err error)
}

var routes = []route{
	{ListServices, http.MethodGet, "/v1/organizations/{organizationId}/services", "filter", nil, (*exchange).listServices},
	{UpdateScaling, http.MethodPatch, "/v1/organizations/{organizationId}/services/{serviceId}/scaling", "", scalingShape, (*exchange).updateScaling},
	{CreateKey, http.MethodPost, "/v1/organizations/{organizationId}/keys", "", keyShape, (*exchange).createKey},
	{GetPipe, http.MethodGet, "/v1/organizations/{organizationId}/services/{serviceId}/pipes/{pipeId}", "", nil, (*exchange).getPipe},
	{UpdatePipe, http.MethodPatch, "/v1/organizations/{organizationId}/services/{serviceId}/pipes/{pipeId}", "", pipeShape, (*exchange).updatePipe},
	{GetAlert, http.MethodGet, "/api/v2/alerts/{id}", "", nil, (*exchange).getAlert},
}

// findRoute takes the path apart itself, because http.ServeMux answers an
// unclean path with a redirect, which would hide a client's mistake.
func (s *Server) findRoute(method string, u *url.URL) (route, map[string]string, error) {
	var allowed []string
	for _, candidate := range routes {
		prefix := s.seed.ManagementPrefix
		if candidate.operation == GetAlert {
			prefix = s.seed.AlertingPrefix
		}
		params, ok := matchPath(prefix+candidate.path, u.EscapedPath())
		if !ok {
			continue
		}
		if candidate.method == method {
			return candidate, params, nil
		}
		allowed = append(allowed, candidate.method)
	}
	if allowed != nil {
		return route{}, nil, &apiError{
			http.StatusMethodNotAllowed, "method not allowed: " + method,
			http.Header{"Allow": {strings.Join(allowed, ", ")}},
		}
	}
	return route{}, nil, refuse(http.StatusNotFound, "no such path")
}

func matchPath(pattern, escapedPath string) (map[string]string, bool) {
	want, have := strings.Split(pattern, "/"), strings.Split(escapedPath, "/")
	if len(want) != len(have) {
		return nil, false
	}
	params := map[string]string{}
	for i, step := range want {
		if !strings.HasPrefix(step, "{") {
			if step != have[i] {
				return nil, false
			}
			continue
		}
		value, err := url.PathUnescape(have[i])
		if err != nil || value == "" {
			return nil, false
		}
		params[strings.Trim(step, "{}")] = value
	}
	return params, true
}

// isUUID knows the one form that the API document means; uuid.Parse takes URNs
// and braces as well.
func isUUID(value string) bool {
	return len(value) == 36 && uuid.Validate(value) == nil
}
