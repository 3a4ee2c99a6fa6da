package rest

import (
	"fmt"
	"time"
)

// About is how messages name an API and its settings.
type About struct {
	Name string // "management API"
	// URLSetting and Credentials are the settings with the URL and the credentials.
	URLSetting, Credentials string
	// Unauthorized and Forbidden are what to do about a 401 and a 403.
	Unauthorized, Forbidden string
}

// checkAddress is what to do about an API that cannot be reached.
func (a *About) checkAddress() string {
	return "Check " + a.URLSetting + ", and HTTPS_PROXY if it is set."
}

// trouble is what fails for all requests of an API, or for all of an organization. Terraform
// prints an error for each object, in any order, so each has all of it.
type trouble struct {
	reason string // "every request to the management API has failed since …"
	cause  string // "connection refused", "HTTP 401 Unauthorized"
	advice string // what to check
}

// Error is the reason, for a call that says itself what became of its attempts.
func (t *trouble) Error() string { return t.reason }

// outage is that of an API that has returned nothing but failures for a while.
func (a *About) outage(since time.Time, cause string, answered bool) *trouble {
	advice := a.checkAddress()
	if answered {
		advice = runAgain
	}
	return &trouble{fmt.Sprintf("every request to the %s has failed since %s", a.Name, clock(since)), cause, advice}
}

// badLogin is a 401. realm is whom it is about, as in " in organization …".
func (a *About) badLogin(realm string, at time.Time, cause string) *trouble {
	return &trouble{fmt.Sprintf("the %s rejected %s%s at %s", a.Name, a.Credentials, realm, clock(at)), cause, a.Unauthorized}
}
