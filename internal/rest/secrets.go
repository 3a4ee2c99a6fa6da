package rest

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// minSecretLength is the minimum length, in bytes, of a secret that is masked. Shorter ones occur in
// ordinary words, and the masked words would reveal them.
const minSecretLength = 4

// mask replaces a secret, or a whole text in which only decoding shows a secret.
const mask = "***"

// spellings are the forms in which a secret is masked. Escaped forms are found by decoding.
var spellings = []func(string) string{
	func(s string) string { return s },
	strings.TrimSpace,
	words.OneLine,
	func(s string) string { return base64.RawStdEncoding.EncodeToString([]byte(s)) },
	func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
}

// escapes are those of a URL, of JSON and of HTML, with what undoes each.
var escapes = []struct {
	form *regexp.Regexp
	undo func(string) string
}{
	{regexp.MustCompile(`%[0-9a-fA-F]{2}`), unescapePercent},
	{regexp.MustCompile(`(?:\\u[0-9a-fA-F]{4})+|\\["\\/bfnrt]`), unescapeJSON},
	{regexp.MustCompile(`&#?\w+;`), html.UnescapeString}, // with a semicolon, as whatever escapes writes it
}

// maxDecoded is how often a text is decoded. Only an attack is escaped more often.
const maxDecoded = 10

func unescapePercent(escaped string) string {
	b, _ := hex.DecodeString(escaped[1:])
	return string(b)
}

func unescapeJSON(escaped string) (decoded string) {
	_ = json.Unmarshal([]byte(`"`+escaped+`"`), &decoded)
	return decoded
}

// Secrets are the literals that must not appear in errors and logs. The zero value has none.
// Rejected: a list of field names ("password", "token"), which lacks unknown names and hides what
// is not secret.
type Secrets struct {
	mu       sync.Mutex
	literals []string          // in all spellings
	decoded  []string          // the same without escapes
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
		spelling := spell(literal)
		if len(spelling) >= minSecretLength {
			s.literals = append(s.literals, spelling)
		}
		if decoded, _ := decode(spelling); len(decoded) >= minSecretLength {
			s.decoded = append(s.decoded, decoded)
		}
	}
	s.replacer = nil
}

// Mask replaces each secret in a text from outside by three asterisks, and the whole text if
// decoding shows another secret. A UUID stays legible even if a secret is a part of it, since
// nothing else helps to find an object. Sentences of our own must not be masked: a secret may be an
// ordinary word.
func (s *Secrets) Mask(text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if words.IsUUID(text) && !slices.Contains(s.literals, text) {
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
	text = s.replacer.Replace(text)
	// Both are decoded, since a secret may look like an escape itself.
	decoded, ok := decode(text)
	if !ok || slices.ContainsFunc(s.decoded, func(secret string) bool { return strings.Contains(decoded, secret) }) {
		return mask
	}
	return text
}

// decode undoes the escapes of a text, as often as it is escaped. It gives up after maxDecoded.
func decode(text string) (decoded string, ok bool) {
	for range maxDecoded {
		before := text
		for _, escape := range escapes {
			text = escape.form.ReplaceAllStringFunc(text, escape.undo)
		}
		if text == before {
			return text, true
		}
	}
	return "", false
}
