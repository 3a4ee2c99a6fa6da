package rest

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"html"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
)

// minSecretLength is the minimum length, in bytes, of a secret that is masked.
// Shorter ones occur in ordinary words, and the masked words would reveal them.
const minSecretLength = 4

const (
	// mask replaces a secret.
	mask = "***"
	// withheld replaces a text with a secret that only decoding shows.
	withheld = "the message is withheld because it contains a secret"
)

// spellings are the forms of a secret that are masked. Whatever else a response may make of
// it is found by decoding.
var spellings = []func(string) string{
	func(s string) string { return s },
	strings.TrimSpace,
	oneLine,
	func(s string) string { return base64.RawStdEncoding.EncodeToString([]byte(s)) },
	func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
}

// decoders undo each one way in which a response may write a text: white space as a page
// shows it, a form, a URL, HTML, JSON or a program, SQL. They take any text, since the
// rest of a message is not written in the same way.
var decoders = []func(string) string{
	oneLine,
	func(s string) string { return strings.ReplaceAll(s, "+", " ") },
	func(s string) string { return percent.ReplaceAllStringFunc(s, unescapePercent) },
	fromLatin1,
	html.UnescapeString,
	func(s string) string { return backslash.ReplaceAllStringFunc(s, unescape) },
	func(s string) string { return strings.ReplaceAll(s, "''", "'") },
	func(s string) string { return strings.ReplaceAll(s, `""`, `"`) },
}

var (
	percent   = regexp.MustCompile(`(?:%u[0-9a-fA-F]{4})+|%[0-9a-fA-F]{2}`)
	backslash = regexp.MustCompile(`(?s)(?:\\u[0-9a-fA-F]{4})+|\\x[0-9a-fA-F]{2}|\\.`)
)

// maxDecoded bounds what is tried on one text, in bytes. Nothing but an attack needs as
// many.
const maxDecoded = 4 << 20

// unescape decodes what begins with a backslash.
func unescape(escaped string) string {
	switch c := escaped[1:]; {
	case c[0] == 'x' && len(c) == 3:
		b, _ := hex.DecodeString(c[1:])
		return string(b)
	case slices.Contains([]string{"b", "f", "n", "r", "t"}, c), c[0] == 'u' && len(c) > 1:
		var decoded string
		_ = json.Unmarshal([]byte(`"`+escaped+`"`), &decoded, jsontext.AllowInvalidUTF8(true))
		return decoded
	default:
		return c
	}
}

// unescapePercent decodes what begins with a percent sign: a byte, or the UTF-16 of
// JavaScript's escape function.
func unescapePercent(escaped string) string {
	if escaped[1] == 'u' {
		return unescape(strings.ReplaceAll(escaped, "%", `\`))
	}
	return unescape(`\x` + escaped[1:])
}

// fromLatin1 reads the bytes that are not UTF-8 as ISO 8859-1.
func fromLatin1(s string) string {
	var decoded strings.Builder
	for s != "" {
		r, size := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && size == 1 {
			r = rune(s[0])
		}
		decoded.WriteRune(r)
		s = s[size:]
	}
	return decoded.String()
}

// Secrets are the literals that must not appear in errors and logs. A list of
// field names ("password", "token") was rejected: it does not cover unknown names,
// and hides what is not secret. The zero value has none.
type Secrets struct {
	mu       sync.Mutex
	literals []string          // in all spellings
	replacer *strings.Replacer // nil if literals has grown since
}

// Add keeps a literal out of errors and logs from now on. Literals of fewer than four
// bytes are ignored.
func (s *Secrets) Add(literal string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(literal) < minSecretLength || slices.Contains(s.literals, literal) {
		return
	}
	for _, spell := range spellings {
		if spelling := spell(literal); len(spelling) >= minSecretLength {
			s.literals = append(s.literals, spelling)
		}
	}
	s.replacer = nil
}

// Mask replaces each secret in a text from outside by three asterisks, and a text in which
// decoding shows another one as a whole. A UUID stays legible even if a secret is part of
// it, unless it is a secret itself: nothing but the ID of a request or of an object helps
// to find it.
//
// Sentences of our own must not be masked: a secret may be an ordinary word.
func (s *Secrets) Mask(text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if IsUUID(text) && !slices.Contains(s.literals, text) {
		return text
	}
	if s.replacer == nil {
		// Longer literals go first: if one secret begins with another, to replace the
		// shorter one first would leave the rest of the longer one.
		slices.SortFunc(s.literals, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
		var pairs []string
		for _, literal := range s.literals {
			pairs = append(pairs, literal, mask)
		}
		s.replacer = strings.NewReplacer(pairs...)
	}
	if text = s.replacer.Replace(text); s.isHidden(text) {
		return withheld
	}
	return text
}

// isHidden reports whether a text contains a secret after it is decoded, in any order and
// any number of times.
func (s *Secrets) isHidden(text string) bool {
	tried, size := map[string]bool{text: true}, 0
	for todo := []string{text}; len(todo) > 0; todo = todo[1:] {
		for _, decode := range decoders {
			decoded := decode(todo[0])
			if tried[decoded] {
				continue
			}
			if size += len(decoded); size > maxDecoded || s.replacer.Replace(decoded) != decoded {
				return true
			}
			tried[decoded] = true
			todo = append(todo, decoded)
		}
	}
	return false
}

// IsUUID reports whether an ID is a UUID of 36 characters with dashes, in any
// letter case. The other forms that the library accepts would change a path.
func IsUUID(s string) bool { return len(s) == 36 && uuid.Validate(s) == nil }
