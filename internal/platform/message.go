package platform

import (
	"fmt"
	"html"
	"io"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json"
)

// maxMessage is the length, in runes, that a message is cut to.
const maxMessage = 500

// maxRequestID is the same of a request ID.
const maxRequestID = 100

// readError reads a response that is not a success. The API document does not
// show the form of an error, so it looks for a message in all usual places.
// findSecrets may be nil.
func readError(r *response, findSecrets func([]byte)) *Error {
	r.left = capError
	raw, _ := io.ReadAll(r) // as much as arrived
	if findSecrets != nil {
		findSecrets(raw)
	}
	e := &Error{Status: r.status, RequestID: r.requestID}
	if e.Status >= 300 && e.Status <= 399 {
		e.Message = describeRedirect(r.header, r.mask)
		return e
	}
	var value any
	if json.Unmarshal(raw, &value, lenient) != nil {
		e.Message = describeOther(r.header, raw, r.mask)
		return e
	}
	m := nested(value, -1)
	e.fullMessage = m.clean(r.mask)
	e.Message = cleanText(e.fullMessage, maxMessage)
	object, _ := value.(map[string]any)
	if id, ok := object["requestId"].(string); ok && id != "" {
		r.requestID = cleanText(r.mask(id), maxRequestID)
		e.RequestID = r.requestID
	}
	e.apiNotFound = e.Status == http.StatusNotFound && object != nil && isFromAPI(object, e.fullMessage)
	return e
}

// describeRedirect names the target of a redirect, without path and query, which
// may contain secrets.
func describeRedirect(header http.Header, mask func(string) string) string {
	const never = "a redirect, which is not followed because it would send the credentials elsewhere; check the base URL"
	target, err := url.Parse(header.Get("Location"))
	if err != nil || target.Host == "" {
		return never
	}
	return fmt.Sprintf("a redirect to %s://%s, which is not followed because it would send the credentials elsewhere; check the base URL",
		target.Scheme, cleanText(mask(target.Host), 100))
}

// describeOther describes a body that is not JSON.
func describeOther(header http.Header, raw []byte, mask func(string) string) string {
	if page := describePage(header, raw, mask); page != "" {
		return page
	}
	mediaType, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	if strings.HasPrefix(mediaType, "text/") || mediaType == "" {
		return cleanText(message{text: string(raw)}.clean(mask), maxMessage)
	}
	return ""
}

var (
	pageStart = regexp.MustCompile(`(?i)^\s*(<!doctype|<html|<head|<body|<\?xml|<!--|<title|<h1|<center|<p>|<div)`)
	pageTitle = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title`)
	unseen    = regexp.MustCompile(`(?is)<(script|style|head)\b.*?</(script|style|head)\s*>|<!--.*?-->`)
	tag       = regexp.MustCompile(`(?s)</?[a-zA-Z!?][^<>]*>`)
)

const htmlPage = "it is an HTML page, not a response of the API"

// describePage describes an HTML page by its title; "" if the body is not a page.
func describePage(header http.Header, raw []byte, mask func(string) string) string {
	raw = raw[:min(len(raw), capError)]
	mediaType, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	if mediaType != "text/html" && mediaType != "application/xhtml+xml" && !pageStart.Match(raw) {
		return ""
	}
	title := pageTitle.FindSubmatch(raw)
	if title == nil {
		return htmlPage
	}
	text := cleanText(message{text: string(title[1])}.clean(mask), 100)
	if text == "" {
		return htmlPage
	}
	return htmlPage + `, with the title "` + text + `"`
}

// stripMarkup returns the text of HTML. Any other text stays as it is.
func stripMarkup(s string) string {
	s = unseen.ReplaceAllString(s, " ")
	s = tag.ReplaceAllString(s, " ")
	return html.UnescapeString(s)
}

// cleanText turns a text into one line of at most limit runes. Control and
// formatting characters become spaces, since terminals interpret them.
func cleanText(s string, limit int) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) {
			return ' '
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	n := 0
	for i := range s {
		if n == limit {
			return s[:i] + "…"
		}
		n++
	}
	return s
}

// message is what the API reports about an error.
type message struct{ text string }

// clean removes secrets, markup and control characters. It masks secrets before
// the rest, which may alter their spelling, and again after it, which may restore
// their spelling.
func (m message) clean(mask func(string) string) string {
	return mask(cleanText(stripMarkup(mask(m.text)), capError))
}

// The members in which APIs return their message, the most specific first. RFC
// 9457, OAuth and JSON:API are covered.
var (
	textMembers = []string{"message", "error_description", "errorMessage", "detail", "reason", "description", "title"}
	nestMembers = []string{"error", "errors", "result", "data", "details", "detail", "violations"}
)

// maxDepth and maxItems bound the search for a message.
const (
	maxDepth = 6
	maxItems = 20
)

// findMessage looks for a message in the members of an object, then in nested
// ones.
func findMessage(object map[string]any, depth int) message {
	var m message
	if depth > maxDepth {
		return m
	}
	for _, name := range textMembers {
		if text, ok := object[name].(string); ok && strings.TrimSpace(text) != "" {
			m.text = text
			break
		}
	}
	for _, name := range nestMembers {
		m.add(nested(object[name], depth))
	}
	return m
}

// nested reads a member that may be a text, an object or an array of either.
func nested(value any, depth int) message {
	switch value := value.(type) {
	case string:
		return message{text: value}
	case map[string]any:
		return findMessage(value, depth+1)
	case []any:
		var m message
		for _, item := range value[:min(len(value), maxItems)] {
			m.add(nested(item, depth+1))
		}
		return m
	default:
		return message{}
	}
}

// add appends another message unless it has no information of its own, such as
// "Bad Request" beside a sentence.
func (m *message) add(other message) {
	switch {
	case other.text == "" || strings.Contains(m.text, other.text):
	case m.text == "":
		m.text = other.text
	case strings.ContainsAny(strings.TrimSpace(other.text), " ") && !isStatusText(other.text):
		m.text += "; " + other.text
	}
}

func isStatusText(s string) bool {
	for status := 400; status < 600; status++ {
		if strings.EqualFold(s, http.StatusText(status)) {
			return true
		}
	}
	return false
}

// noRoute matches the JSON messages of gateways and frameworks about a 404 of
// their own. The words between "path" and "not found" are free only if the message
// begins with the path: "Pipe x at path y not found" is about a pipe.
var noRoute = regexp.MustCompile(`(?i)\broutes?\b|\bcannot (get|patch|post)\b` +
	`|\b(no such|unknown|invalid) (resource )?(endpoint|path|url|uri)\b` +
	`|\b(endpoint|path|url|uri|page)( was| is| does)? not (found|exist)\b` +
	`|^\W*(the )?(requested |request )?(endpoint|path|url|uri)\b.* not (found|exist)\b` +
	`|\bnot found:? ['"]?((the )?(requested )?(endpoint|path|url|uri)\b|/)`)

// isFromAPI reports whether the JSON of a 404 is an error of the API about an
// object, and not one of a router about a path: a wrong base URL must never look
// like a deleted pipe. A message that does not mention a route is accepted, and
// so is the API's envelope without a message.
func isFromAPI(object map[string]any, message string) bool {
	for _, member := range []string{"status", "statusCode"} {
		if status, ok := object[member].(float64); ok && status != http.StatusNotFound {
			return false
		}
	}
	if noRoute.MatchString(strings.ReplaceAll(message, "_", " ")) { // or PATH_NOT_FOUND
		return false
	}
	if id, ok := object["requestId"].(string); ok && id != "" || message != "" {
		return true
	}
	_, hasStatus := object["status"].(float64)
	_, hasError := object["error"]
	_, hasErrors := object["errors"]
	_, hasCode := object["code"]
	return hasStatus || hasError || hasErrors || hasCode
}

// SettingsAre is the beginning of a sentence about settings: "a is", "a, b and c
// are". names must not be empty.
func SettingsAre(names []string) string {
	if len(names) == 1 {
		return names[0] + " is"
	}
	return Enumerate(names) + " are"
}

// Enumerate joins names for a sentence: "a", "a, b and c". names must not be empty.
func Enumerate(names []string) string {
	last := len(names) - 1
	if last == 0 {
		return names[0]
	}
	return strings.Join(names[:last], ", ") + " and " + names[last]
}
