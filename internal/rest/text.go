package rest

import (
	"strings"
	"time"
	"unicode"
)

// The lengths, in runes, that texts from outside are cut to in messages.
const (
	maxMessage = 500
	// MaxID is that of the ID of a request or an object.
	MaxID = 100
)

// Clean turns a text into one line of at most that many runes. Control and formatting
// characters become spaces, since terminals interpret them.
func Clean(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, s)
	s = oneLine(s)
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}

// HasControl reports whether a text contains a control character.
func HasControl(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// oneLine collapses white space, as a page shows it.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// sentence adds a full stop to a text that has no end mark. A colon announces
// something that the text does not have.
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

// Reworded is an error with a text of ours in place of its own, which may have secrets
// or words of a library.
type Reworded struct {
	Text string
	Err  error
}

func (e *Reworded) Error() string { return e.Text }

// Unwrap returns the error whose text was replaced.
func (e *Reworded) Unwrap() error { return e.Err }
