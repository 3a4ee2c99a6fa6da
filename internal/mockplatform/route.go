package mockplatform

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/google/uuid"
)

// route is one operation. The store is locked while run is called.
type route struct {
	operation Operation
	method    string
	path      string
	query     string // the only query parameter it accepts
	body      *schema
	run       func(*handler) (result any, err error)
}

var routes = []route{
	{ListServices, http.MethodGet, "/v1/organizations/{organizationId}/services", "filter", nil, (*handler).listServices},
	{UpdateScaling, http.MethodPatch, "/v1/organizations/{organizationId}/services/{serviceId}/scaling", "", scalingBody, (*handler).updateScaling},
	{CreateKey, http.MethodPost, "/v1/organizations/{organizationId}/keys", "", keyBody, (*handler).createKey},
	{GetPipe, http.MethodGet, "/v1/organizations/{organizationId}/services/{serviceId}/pipes/{pipeId}", "", nil, (*handler).getPipe},
	{UpdatePipe, http.MethodPatch, "/v1/organizations/{organizationId}/services/{serviceId}/pipes/{pipeId}", "", pipeBody, (*handler).updatePipe},
	{GetAlert, http.MethodGet, "/api/v2/alerts/{id}", "", nil, (*handler).getAlert},
}

// findRoute compares paths itself, since http.ServeMux redirects an unclean path
// and so would hide a client's mistake.
func (s *Server) findRoute(method string, u *url.URL) (route, map[string]string, error) {
	err := reject(http.StatusNotFound, "path not found")
	for _, candidate := range routes {
		prefix := s.seed.ManagementPrefix
		if candidate.operation == GetAlert {
			prefix = s.seed.AlertingPrefix
		}
		params, ok := matchPath(prefix+candidate.path, u.EscapedPath())
		switch {
		case ok && candidate.method == method:
			return candidate, params, nil
		case ok:
			err = reject(http.StatusMethodNotAllowed, "method not allowed: %s", method)
		}
	}
	return route{}, nil, err
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

// isUUID accepts only the plain form; uuid.Validate accepts URNs and braces too.
func isUUID(value string) bool {
	return len(value) == 36 && uuid.Validate(value) == nil
}
