package platform

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// logins are what is known of an API's credentials, by organization: one key may
// be rejected by one organization and work in another. A 401 before any success
// is remembered for good, since hundreds of them lock accounts elsewhere. After a
// success a 401 is an error like another.
type logins struct {
	mu       sync.Mutex
	accepted map[string]bool
	rejected map[string]*refusal
}

// refuse returns why nothing may be sent for an organization, or nil.
func (l *logins) refuse(organization string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	r, rejected := l.rejected[organization]
	if !rejected {
		return nil // and no nil refusal, which would be an error
	}
	return r
}

// succeed notes that the credentials are accepted.
func (l *logins) succeed(organization string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.accepted == nil {
		l.accepted = map[string]bool{}
	}
	l.accepted[organization] = true
	delete(l.rejected, organization)
}

// reject notes a 401. It returns the earlier one, if there was one and there has
// been no success.
func (l *logins) reject(organization, settings string) (earlier *refusal) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.accepted[organization] {
		return nil
	}
	if earlier := l.rejected[organization]; earlier != nil {
		return earlier
	}
	if l.rejected == nil {
		l.rejected = map[string]*refusal{}
	}
	where := ""
	if organization != "" {
		where = " for organization " + organization
	}
	l.rejected[organization] = &refusal{fmt.Sprintf("the API rejected %s%s with HTTP %d at %s", settings, where, http.StatusUnauthorized, clock(time.Now()))}
	return nil
}

// organization is the one in the path of a request, in lower case; "" in the
// alerting API.
func (r *request) organization() string {
	if len(r.path) > 2 && r.path[1] == "organizations" {
		return strings.ToLower(r.path[2])
	}
	return ""
}
