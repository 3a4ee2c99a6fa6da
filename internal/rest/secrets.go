package rest

import (
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"iter"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

const (
	// runLength is how many characters in a row of a secret a text must not repeat. A password that
	// contains a word must not withhold every message with that word.
	runLength = 12
	// minSecretLength is the minimum length, in bytes, of a secret that is masked. Shorter ones occur in
	// ordinary words, and the masked words would reveal them.
	minSecretLength = 4
	// maxText is the length, in bytes, that a text from outside is cut to before it is masked.
	maxText = 4 << 10
	// mask replaces a secret, or a whole text that repeats a part or another form of one.
	mask = "***"
)

// Secrets are what must not appear in errors and logs. The zero value has none.
//
// Rejected: a list of field names ("password", "token"), which lacks unknown names and hides what is
// not secret. Rejected: undoing escapes in a text. A platform repeats secrets in more ways than
// decoders know, and a part of one is none of these ways.
type Secrets struct {
	mu       sync.Mutex
	whole    map[string]bool   // as a text has them once it is clean
	runs     map[string]bool   // of runLength characters, or all of a shorter form
	replacer *strings.Replacer // of whole; nil if that has grown since
}

// AddSecret keeps a secret out of errors and logs from now on. If it has parts, only these are secret,
// such as the keys in a connection string, and all of it where it stands as it is. One of fewer than
// four bytes is ignored.
func (s *Secrets) AddSecret(secret string, parts ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	spelled := words.Clean(secret, len(secret))
	if len(spelled) < minSecretLength || s.whole[spelled] {
		return
	}
	if s.whole == nil {
		s.whole, s.runs = map[string]bool{}, map[string]bool{}
	}
	s.whole[spelled], s.replacer = true, nil
	if parts == nil {
		parts = []string{secret}
	}
	for _, part := range parts {
		for _, form := range forms(strings.TrimSpace(part)) {
			for run := range runsOf(fold(form), runLength, runLength) {
				s.runs[run] = true
			}
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

// runsOf yields all runs of a text that have between least and most characters, or all of a shorter
// text.
func runsOf(text string, least, most int) iter.Seq[string] {
	var starts []int
	for at := range text {
		starts = append(starts, at)
	}
	starts = append(starts, len(text))
	return func(yield func(string) bool) {
		for n := least; n <= most; n++ {
			for i := range max(1, len(starts)-n) {
				if !yield(text[starts[i]:starts[min(i+n, len(starts)-1)]]) {
					return
				}
			}
		}
	}
}

// Mask replaces each secret in a text from outside by three asterisks. It replaces a whole line if
// that repeats a part or another form of a secret. Sentences of our own must not be masked: a secret
// may be an ordinary word.
func (s *Secrets) Mask(text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.replacer == nil {
		// Longer ones go first: if one secret begins with another, to replace the shorter one
		// first would leave the rest of the longer one.
		var pairs []string
		for _, secret := range slices.SortedFunc(maps.Keys(s.whole), func(a, b string) int { return cmp.Compare(len(b), len(a)) }) {
			pairs = append(pairs, secret, mask)
		}
		s.replacer = strings.NewReplacer(pairs...)
	}
	lines := strings.Split(s.replacer.Replace(text), "\n")
	for i, line := range lines {
		for run := range runsOf(fold(line), minSecretLength, runLength) {
			if s.runs[run] {
				lines[i] = mask
				break
			}
		}
	}
	return strings.Join(lines, "\n")
}

// Clean makes a text from outside fit for a message: one line of at most that many characters,
// without control characters, and masked.
func (s *Secrets) Clean(text string, most int) string {
	return words.Clean(s.Mask(words.Clean(text[:min(len(text), maxText)], maxText)), most)
}
