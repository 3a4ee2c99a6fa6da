package rest

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

const (
	// runLength is how many characters in a row of a secret a text must not repeat. Fewer would withhold
	// every message with a word that a password contains.
	runLength       = 12
	minSecretLength = 4       // bytes; shorter ones occur in ordinary words, which would reveal them
	maxText         = 4 << 10 // bytes that a text from outside is cut to before it is masked
	mask            = "***"
)

// Secrets are what must not appear in errors and logs. The zero value has none. Rejected: a list of field
// names ("password", "token"), which lacks unknown names and hides what is not secret.
type Secrets struct {
	mu    sync.Mutex
	whole []string        // as a text has them once it is clean, longer ones first
	runs  map[string]bool // of runLength characters, or all of a shorter form
}

// AddSecret keeps a secret out of errors and logs from now on. If it has parts, only these are secret,
// such as the keys in a connection string, and all of it where it stands as it is. One of fewer than
// four bytes is ignored.
func (s *Secrets) AddSecret(secret string, parts ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	spelled := words.Clean(secret, len(secret))
	if len(spelled) < minSecretLength || slices.Contains(s.whole, spelled) {
		return
	}
	if s.runs == nil {
		s.runs = map[string]bool{}
	}
	s.whole = append(s.whole, spelled)
	slices.SortFunc(s.whole, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	if parts == nil {
		parts = []string{secret}
	}
	for _, part := range parts {
		for _, form := range forms(strings.TrimSpace(part)) {
			anyRun(fold(form), runLength, runLength, func(run string) bool {
				s.runs[run] = true
				return false
			})
		}
	}
}

// forms are the forms in which a text must not repeat a secret. The base64 of a longer text, such as
// "user:secret", has one of three forms of the secret in it, depending on what precedes it.
func forms(secret string) []string {
	quoted, _ := json.Marshal(secret) // never fails
	all := []string{
		secret, string(quoted), hex.EncodeToString([]byte(secret)),
		url.QueryEscape(secret), url.PathEscape(secret), url.UserPassword("", secret).String()[1:],
	}
	for before := range 3 {
		for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			encoded := alphabet.EncodeToString(append(make([]byte, before), secret...))
			all = append(all, encoded[(8*before+5)/6:8*(before+len(secret))/6])
		}
	}
	return all
}

var unquote = strings.NewReplacer("'", "", `"`, "", "`", "", `\`, "")

// fold makes texts equal that differ in letter case, in white space, and in how they quote: SQL, the
// shell, JSON and others add quotes or backslashes.
func fold(text string) string { return unquote.Replace(strings.ToLower(words.Clean(text, len(text)))) }

// anyRun reports whether some run of a text that has between least and most characters, or all of a
// shorter text, is one that holds.
func anyRun(text string, least, most int, holds func(run string) bool) bool {
	var starts []int
	for at := range text {
		starts = append(starts, at)
	}
	starts = append(starts, len(text))
	for n := least; n <= most; n++ {
		for i := range max(1, len(starts)-n) {
			if holds(text[starts[i]:starts[min(i+n, len(starts)-1)]]) {
				return true
			}
		}
	}
	return false
}

// Mask replaces each secret in a text from outside by three asterisks. It replaces a whole line if
// that repeats a part or another form of a secret. Sentences of our own must not be masked: a secret
// may be an ordinary word.
func (s *Secrets) Mask(text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, secret := range s.whole {
		text = strings.ReplaceAll(text, secret, mask)
	}
	isSecret := func(run string) bool { return s.runs[run] }
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		decoded := unescape(line)
		if anyRun(fold(line), minSecretLength, runLength, isSecret) || decoded != line && anyRun(fold(decoded), minSecretLength, runLength, isSecret) {
			lines[i] = mask
		}
	}
	return strings.Join(lines, "\n")
}

// unescape undoes what JSON, and HTML within it, do to some characters of a text, and not to others: each
// mixture is another form.
func unescape(text string) string {
	return html.UnescapeString(escapedUnicode.ReplaceAllStringFunc(text, func(escapes string) (plain string) {
		_ = json.Unmarshal([]byte(`"`+backslashes.ReplaceAllString(escapes, `\`)+`"`), &plain) // never fails
		return plain
	}))
}

var (
	escapedUnicode = regexp.MustCompile(`(\\+u[0-9A-Fa-f]{4})+`) // some characters have two parts
	backslashes    = regexp.MustCompile(`\\+`)
)

// Clean makes a text from outside fit for a message: one line of at most that many characters,
// without control characters, and masked.
func (s *Secrets) Clean(text string, most int) string {
	return words.Clean(s.Mask(words.Clean(text[:min(len(text), maxText)], maxText)), most)
}
