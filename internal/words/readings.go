package words

import (
	"encoding/json"
	"html"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"
)

// Readings are a text as it is, and with its escapes decoded, again and again: a text may escape any of its characters,
// once or twice. Rejected: a list of the spellings of a text, which lacked a third of those that other tools write.
func Readings(text string) []string {
	all := []string{text}
	for range 5 {
		if !strings.ContainsAny(text, `%=\&`) {
			break
		}
		decoded := html.UnescapeString(escapes.ReplaceAllStringFunc(text, decode))
		if decoded == text {
			break
		}
		text = decoded
		all = append(all, text)
	}
	return all
}

var (
	// escapes matches escapes in a row: bytes of URLs, mails, C, Python and shells, characters of JSON, JavaScript and
	// Python, and white space.
	escapes = regexp.MustCompile(`(?:(?:[%=]|\\+x)[0-9A-Fa-f]{2}|\\+[0-3][0-7]{2}|(?:\\+|%)u[0-9A-Fa-f]{4}|\\+U[0-9A-Fa-f]{8}|\\+[abfnrtv])+`)
	slashes = regexp.MustCompile(`\\+`)
	asInGo  = strings.NewReplacer("%u", `\u`, "%", `\x`, "=", `\x`)
)

// decode returns what escapes stand for. Bytes that are not UTF-8 are Latin-1.
func decode(escapes string) string {
	quoted := `"` + asInGo.Replace(slashes.ReplaceAllString(escapes, `\`)) + `"`
	plain, err := strconv.Unquote(quoted)
	if err != nil { // in JSON, some characters have two parts
		_ = json.Unmarshal([]byte(quoted), &plain)
	}
	if !utf8.ValidString(plain) {
		plain, _ = charmap.ISO8859_1.NewDecoder().String(plain) // never fails
	}
	return plain
}

// Fold makes texts equal that differ in letter case or in their Unicode form.
func Fold(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII }) {
		return strings.ToLower(text)
	}
	return norm.NFKC.String(cases.Fold().String(norm.NFKC.String(text)))
}

// Bare removes white space, and what quotes: SQL, the shell, JSON and others add quotes or backslashes, and forms have a
// plus for a space.
func Bare(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Z, unicode.Pi, unicode.Pf) || strings.ContainsRune("'\"`\\+\ufffd", r) {
			return -1
		}
		return r
	}, text)
}
