package rest

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"

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
// names ("password", "token") alone, which lacks unknown names.
type Secrets struct {
	mu    sync.Mutex
	whole []string                       // as a text has them once it is clean, longer ones first
	runs  [runLength + 1]map[string]bool // by their length: of runLength characters, or all of a shorter form
	named *regexp.Regexp                 // what stands behind some names; nil for none
}

// AddSecret keeps a secret out of errors and logs from now on. If it has parts, only these are secret, such as the keys
// in a connection string, and all of it where it stands as it is. One of fewer than four bytes is ignored.
func (s *Secrets) AddSecret(secret string, parts ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	spelled := words.Clean(secret, len(secret))
	if len(spelled) < minSecretLength || slices.Contains(s.whole, spelled) {
		return
	}
	s.whole = append(s.whole, spelled)
	slices.SortFunc(s.whole, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	if parts == nil {
		parts = []string{secret}
	}
	for _, part := range parts {
		part = strings.TrimSpace(part)
		for _, form := range append(words.Readings(part), encoded(part)...) {
			for _, run := range runsOf(words.Fold(form), runLength) {
				run = words.Bare(run)
				n := len([]rune(run))
				if s.runs[n] == nil {
					s.runs[n] = map[string]bool{}
				}
				s.runs[n][run] = n >= minSecretLength
			}
		}
	}
}

// runsOf are each n characters in a row of a text, or all of a shorter one.
func runsOf(text string, n int) (runs []string) {
	starts := make([]int, 0, len(text)+1)
	for at := range text + "." { // and its end
		starts = append(starts, at)
	}
	for i := range max(1, len(starts)-n) {
		runs = append(runs, text[starts[i]:starts[min(i+n, len(starts)-1)]])
	}
	return runs
}

// encoded is a secret as hex and base64. The base64 of a longer text, such as "user:secret", has one of three forms
// of the secret in it, depending on what precedes it. Rejected: decoding what looks like base64, which may be cut.
func encoded(secret string) (all []string) {
	for _, spelled := range []string{secret, norm.NFD.String(secret)} {
		all = append(all, hex.EncodeToString([]byte(spelled)))
		for before := range 3 {
			for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
				text := alphabet.EncodeToString(append(make([]byte, before), spelled...))
				all = append(all, text[(8*before+5)/6:8*(before+len(spelled))/6])
			}
		}
	}
	return all
}

// Mask replaces each secret in a text from outside by three asterisks. It replaces a whole line if that repeats a part
// or another form of a secret. Sentences of our own must not be masked: a secret may be an ordinary word.
func (s *Secrets) Mask(text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, secret := range s.whole {
		text = strings.ReplaceAll(text, secret, mask)
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if slices.ContainsFunc(words.Readings(line), s.repeats) {
			lines[i] = mask
		}
	}
	return strings.Join(lines, "\n")
}

func (s *Secrets) repeats(text string) bool {
	text = words.Bare(words.Fold(text))
	for n, runs := range s.runs {
		if runs != nil && slices.ContainsFunc(runsOf(text, n), func(run string) bool { return runs[run] }) {
			return true
		}
	}
	return false
}

// MaskNamed lets Clean also mask what stands behind these names, which are in camelCase: in JSON, in other
// texts, and where it is cut off. It has to be called before the first request.
func (s *Secrets) MaskNamed(names ...string) {
	name := regexp.MustCompile("([a-z])([A-Z])").ReplaceAllString(strings.Join(names, "|"), "$1[ _-]?$2")
	name = `((?:` + name + `)[\s"'\\]*(?:[:=]>?|>|<[^<>]*>)(?:\s|<[^<>]*>)*`
	s.named = regexp.MustCompile(`(?is)` + name + `")((?:[^"\\*]|\\.)(?:[^"\\]|\\.)*)|` + name + `[\s"'\\]*)([^"'<*\s\\,}\])][^"<]*)`)
}

func (s *Secrets) hideNamed(text string) string {
	if s.named == nil {
		return text
	}
	text = s.named.ReplaceAllString(text, "${1}${3}"+mask)
	if slices.ContainsFunc(words.Readings(text), s.named.MatchString) {
		return mask
	}
	return text
}

// Clean makes a text from outside fit for a message: masked, and one line of at most that many clean characters.
func (s *Secrets) Clean(text string, most int) string {
	text = words.Clean(text[:min(len(text), maxText)], maxText)
	return words.Clean(s.Mask(s.hideNamed(text)), most)
}
