// Package words has the words of messages: it cleans a text from outside, tells whether it is an ID, and makes sentences
// of lists, counts and durations. It imports no other package of this module.
package words

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/google/uuid"
)

// MaxID is the length, in runes, that an ID or a name is cut to in a message.
const MaxID = 100

// Clean turns a text into one line of at most that many runes. Control and formatting
// characters become spaces, since terminals interpret them.
func Clean(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, s)
	s = OneLine(s)
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}

// Cut cuts the description of a value to 2,000 characters, long enough to show where two certificates differ, and one line
// of text, which is quoted, to 200.
func Cut(spelled string) string {
	limit := 2000
	if strings.HasPrefix(spelled, `"`) && !strings.Contains(spelled, `\n`) {
		limit = 200
	}
	if runes := []rune(spelled); len(runes) > limit {
		return string(runes[:limit]) + "…"
	}
	return spelled
}

// Name returns a name for a message. One that is not plain is quoted: it may end in a space, look like
// two names, or contain what a terminal or a page interprets.
func Name(s string) string {
	isPlain := func(r rune) bool {
		return unicode.In(r, unicode.Letter, unicode.Digit, unicode.Mn, unicode.Mc) || strings.ContainsRune("_-$#@", r)
	}
	if s == "" || strings.ContainsFunc(s, func(r rune) bool { return !isPlain(r) }) {
		return strconv.Quote(s)
	}
	return s
}

// Literal spells a text as it stands between the quotation marks of a configuration.
func Literal(text string) string {
	var written strings.Builder
	for _, r := range text {
		switch {
		case unicode.IsControl(r):
			fmt.Fprintf(&written, `\u%04X`, r)
		case r == '"', r == '\\':
			written.WriteString(`\` + string(r))
		default:
			written.WriteRune(r)
		}
	}
	return strings.NewReplacer("${", "$${", "%{", "%%{").Replace(written.String())
}

// Names returns each name for a message.
func Names(all []string) (quoted []string) {
	for _, name := range all {
		quoted = append(quoted, Name(name))
	}
	return quoted
}

// OneLine collapses white space, as a page shows it.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// IsUUID reports whether an ID is a UUID of 36 characters with dashes, in any
// letter case. The other forms that the library accepts would change a path.
func IsUUID(s string) bool { return len(s) == 36 && uuid.Validate(s) == nil }
