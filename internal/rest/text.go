package rest

import (
	"strings"
	"time"
)

// maxMessage is the length, in runes, that a message from outside is cut to.
const maxMessage = 500

// sentence adds a full stop to a text that has no end mark. A colon at its end announces something
// that is not there, and is removed.
func sentence(s string) string {
	s = strings.TrimRight(s, ": ")
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?") {
		return s
	}
	return s + "."
}

// readable rounds a duration for a message.
func readable(d time.Duration) string {
	if d >= 10*time.Second {
		return d.Round(time.Second).String()
	}
	return d.Round(time.Millisecond).String()
}

// clock is a time of day for a message, with its time zone.
func clock(t time.Time) string { return t.Format("15:04:05 MST") }

// Reworded is an error with a text of ours, because its own may have secrets or words of a library.
type Reworded struct {
	Text string
	Err  error
}

func (e *Reworded) Error() string { return e.Text }

// Unwrap returns the error whose text was replaced.
func (e *Reworded) Unwrap() error { return e.Err }
