package rest

import (
	"cmp"
	"encoding/base64"
	"html"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
)

// minSecretLength is the minimum length, in bytes, of a secret that is masked.
// Shorter ones occur in ordinary words, and the masked words would reveal them.
const minSecretLength = 4

// mask replaces a secret.
const mask = "***"

// spellings are the forms in which a response may repeat a secret.
var spellings = []func(string) string{
	func(s string) string { return s },
	strings.TrimSpace,
	func(s string) string { return strings.Join(strings.Fields(s), " ") }, // as a page shows it
	html.EscapeString,
	url.QueryEscape,
	url.PathEscape,
	func(s string) string { return base64.RawStdEncoding.EncodeToString([]byte(s)) },
	func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
	JSONInside,
	func(s string) string { return jsonInHTML.Replace(JSONInside(s)) },
	func(s string) string { return strings.ReplaceAll(JSONInside(s), "/", `\/`) },
}

// jsonInHTML escapes JSON as some encoders do by default.
var jsonInHTML = strings.NewReplacer("<", `\u003c`, ">", `\u003e`, "&", `\u0026`)

// JSONInside returns a text as a JSON string, without the quotes.
func JSONInside(s string) string {
	quoted, _ := jsontext.AppendQuote(nil, s) // the error is about invalid UTF-8, which is replaced
	return string(quoted[1 : len(quoted)-1])
}

// Secrets are the literals that must not appear in errors and logs. A list of
// field names ("password", "token") was rejected: it does not cover unknown names,
// and hides what is not secret. The zero value has none.
type Secrets struct {
	mu       sync.Mutex
	literals []string          // in all spellings
	replacer *strings.Replacer // nil if literals has grown since
}

// Add masks a literal in errors and logs from now on, also in the spellings
// of JSON, HTML, URLs and base64. Literals of fewer than four bytes are ignored.
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

// Mask replaces each secret in a text from outside by three asterisks. A UUID stays
// legible even if a secret is part of it, unless it is a secret itself: nothing but the
// ID of a request or of an object helps to find it.
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
	return s.replacer.Replace(text)
}

// IsUUID reports whether an ID is a UUID of 36 characters with dashes, in any
// letter case. The other forms that the library accepts would change a path.
func IsUUID(s string) bool { return len(s) == 36 && uuid.Validate(s) == nil }
