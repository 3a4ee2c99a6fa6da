package platform

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// logins records, by organization, whether an API accepts the credentials: a key
// may be valid for one organization and rejected by another. A 401 before any
// success is final for the process, since hundreds of them may lock the account.
// After a success, a 401 is an error like any other.
type logins struct {
	mu       sync.Mutex
	accepted map[string]bool
	rejected map[string]*refusal
}

// refuse returns a refusal if the credentials were rejected for an organization.
func (l *logins) refuse(organization string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	r, rejected := l.rejected[organization]
	if !rejected {
		return nil // not r: a nil *refusal would be a non-nil error
	}
	return r
}

// succeed records that the credentials are accepted.
func (l *logins) succeed(organization string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.accepted == nil {
		l.accepted = map[string]bool{}
	}
	l.accepted[organization] = true
	delete(l.rejected, organization)
}

// reject records a 401. If it is not the first and there was no success before,
// it returns the first one.
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
		where = " in organization " + organization
	}
	l.rejected[organization] = &refusal{fmt.Sprintf("the API has rejected %s%s since %s", settings, where, clock(time.Now()))}
	return nil
}

// organization is the organization ID in the path of a request, in lower case; ""
// for the alerting API.
func (r *request) organization() string {
	if len(r.path) > 2 && r.path[1] == "organizations" {
		return strings.ToLower(r.path[2])
	}
	return ""
}
