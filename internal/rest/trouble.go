package rest

import (
	"fmt"
	"time"
)

// caller is a call, as health sees it.
type caller struct {
	label     string    // the beginning of its error
	address   string    // what it reads or writes
	realm     string    // who it does so for, as in " in organization …"
	end       time.Time // of retry_timeout; zero for none
	attempts  int
	began     time.Time // the attempt
	first     time.Time // the first attempt
	connected bool      // the attempt had a connection
	contact   time.Time // until when it may try to connect; zero if only its end counts
	epoch     int       // of health when the attempt was sent
}

// trouble is what fails for all requests of an API, or for all of an organization.
type trouble struct {
	reason  string // "the management API at … has not responded to any request since …"
	summary string // of the error that has the details; "" if that has one of its operation
	first   string // else its beginning
	owner   *caller
}

// Error makes a trouble the cause of a wait that has ended.
func (t *trouble) Error() string { return t.reason }

// reference names the error that has the details. It does not say "the first":
// Terraform prints errors in another order than they occurred.
func (t *trouble) reference() string {
	if t.summary != "" {
		return fmt.Sprintf("The error %q has the details.", t.summary)
	}
	return fmt.Sprintf("The error that begins with %q has the details.", t.first)
}

// tooLate is the error of a wait that would exceed retry_timeout.
type tooLate struct{ text string }

func (e *tooLate) Error() string { return e.text }
