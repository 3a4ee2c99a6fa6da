package rest

import (
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

// Secrets are the literals that must not appear in errors and logs. A list of
// field names ("password", "token") was rejected: it does not cover unknown names,
// and hides what is not secret. The zero value has none.
type Secrets struct {
	mu       sync.RWMutex
	literals map[string]struct{}
	replacer *strings.Replacer // nil if literals has grown since
}

// Add masks a literal in errors and logs from now on, also in the spellings
// of JSON, HTML, URLs and base64. Literals of fewer than four bytes are ignored.
func (s *Secrets) Add(literal string) {
	if len(literal) < minSecretLength {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.literals[literal]; known {
		return
	}
	if s.literals == nil {
		s.literals = map[string]struct{}{}
	}
	for _, spelling := range spellings(literal) {
		s.literals[spelling] = struct{}{}
	}
	s.replacer = nil
}

// Mask replaces each secret in a text from outside by three asterisks. A UUID stays
// legible even if a secret is part of it, unless it is a secret itself: nothing but the
// ID of a request or of an object helps to find it.
//
// Sentences of our own must not be masked: a secret may be an ordinary word.
func (s *Secrets) Mask(text string) string {
	if IsUUID(text) && !s.has(text) {
		return text
	}
	return s.current().Replace(text)
}

// IsUUID reports whether an ID is a UUID of 36 characters with dashes, in any
// letter case. The other forms that the library accepts would change a path.
func IsUUID(s string) bool { return len(s) == 36 && uuid.Validate(s) == nil }

func (s *Secrets) has(literal string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, known := s.literals[literal]
	return known
}

func (s *Secrets) current() *strings.Replacer {
	s.mu.RLock()
	r := s.replacer
	s.mu.RUnlock()
	if r != nil {
		return r
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.replacer == nil {
		s.replacer = s.build()
	}
	return s.replacer
}

// build puts longer literals first: if one secret begins with another, to replace
// the shorter one first would leave the rest of the longer one.
func (s *Secrets) build() *strings.Replacer {
	literals := make([]string, 0, len(s.literals))
	for literal := range s.literals {
		literals = append(literals, literal)
	}
	slices.SortFunc(literals, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	pairs := make([]string, 0, 2*len(literals))
	for _, literal := range literals {
		pairs = append(pairs, literal, mask)
	}
	return strings.NewReplacer(pairs...)
}

// spellings are the forms in which a response may repeat a text.
func spellings(s string) []string {
	all := []string{
		s,
		strings.TrimSpace(s),
		strings.Join(strings.Fields(s), " "), // as in a cleaned message
		html.EscapeString(s),
		url.QueryEscape(s),
		url.PathEscape(s),
		base64.StdEncoding.EncodeToString([]byte(s)),
		base64.RawStdEncoding.EncodeToString([]byte(s)),
		base64.URLEncoding.EncodeToString([]byte(s)),
		base64.RawURLEncoding.EncodeToString([]byte(s)),
		JSONInside(s),
		JSONInside(s, jsontext.EscapeForHTML(true), jsontext.EscapeForJS(true)),
		strings.ReplaceAll(JSONInside(s), "/", `\/`),
	}
	return slices.DeleteFunc(all, func(s string) bool { return len(s) < minSecretLength })
}

// JSONInside returns a text as a JSON string, without the quotes.
func JSONInside(s string, options ...jsontext.Options) string {
	var b strings.Builder
	encoder := jsontext.NewEncoder(&b, append(options, jsontext.AllowInvalidUTF8(true))...)
	if encoder.WriteToken(jsontext.String(s)) != nil {
		return s
	}
	quoted := strings.TrimSuffix(b.String(), "\n")
	return quoted[1 : len(quoted)-1]
}
