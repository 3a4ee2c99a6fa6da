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

// readError reads an answer that is no success. The API document doesn't show
// what an error looks like, so that every usual place is looked at.
func readError(a *answer) *Error {
	a.left = capError
	raw, _ := io.ReadAll(a) // what there is of it
	if a.inspect != nil {
		a.inspect(raw)
	}
	e := &Error{Status: a.status, RequestID: a.requestID}
	if e.Status >= 300 && e.Status <= 399 {
		e.Message = describeRedirect(a.header)
		return e
	}
	var value any
	if json.Unmarshal(raw, &value, lenient) != nil {
		e.Message = describeOther(a.header, raw, a.mask)
		return e
	}
	m := nested(value, -1)
	e.said = m.clean(a.mask)
	e.Message = cleanText(e.said, maxMessage)
	e.fields = m.fields
	object, _ := value.(map[string]any)
	if id, ok := object["requestId"].(string); ok && id != "" {
		a.requestID, e.RequestID = id, id
	}
	e.own = e.Status == http.StatusNotFound && object != nil && isOwn(object, e.said)
	return e
}

// describeRedirect says where a redirect points, without path and query, which
// may hold what nobody should read.
func describeRedirect(header http.Header) string {
	const never = "a redirect, which is never followed, since it would carry the credentials elsewhere; check the base address"
	target, err := url.Parse(header.Get("Location"))
	if err != nil || target.Host == "" {
		return never
	}
	return fmt.Sprintf("a redirect to %s://%s, which is never followed, since it would carry the credentials elsewhere; check the base address",
		target.Scheme, target.Host)
}

// describeOther says what a body is that isn't a JSON object.
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

// describePage says that a page answered and not the API, with the page's
// title; "" where it is no page.
func describePage(header http.Header, raw []byte, mask func(string) string) string {
	raw = raw[:min(len(raw), capError)]
	mediaType, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	if mediaType != "text/html" && mediaType != "application/xhtml+xml" && !pageStart.Match(raw) {
		return ""
	}
	const page = "a page and not the API answered"
	title := pageTitle.FindSubmatch(raw)
	if title == nil {
		return page
	}
	text := cleanText(message{text: string(title[1])}.clean(mask), 100)
	if text == "" {
		return page
	}
	return page + `, with the title "` + text + `"`
}

// stripMarkup leaves the text of HTML, and any other text as it is.
func stripMarkup(s string) string {
	s = unseen.ReplaceAllString(s, " ")
	s = tag.ReplaceAllString(s, " ")
	return html.UnescapeString(s)
}

// cleanText makes one line of a text: control and formatting characters become
// spaces (a terminal would obey them), runs of spaces one, and what is longer
// than limit runes is cut.
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

// message is what the API says about an error.
type message struct {
	text   string
	fields []string // JSON names of fields at fault, as the answer gives them
}

// clean takes secrets, markup and control characters out. Secrets go first, as
// the rest might change them beyond recognition, and last, as the rest may have
// brought them to light.
func (m message) clean(mask func(string) string) string {
	return mask(cleanText(stripMarkup(mask(m.text)), capError))
}

// Where APIs put their message, the most telling first: RFC 9457, OAuth and
// JSON:API among them.
var (
	textMembers  = []string{"message", "error_description", "errorMessage", "detail", "reason", "description", "title"}
	nestMembers  = []string{"error", "errors", "result", "data", "details", "detail", "violations"}
	fieldMembers = []string{"field", "path", "pointer", "param", "parameter", "property", "loc", "location", "attribute", "name", "source"}
)

// maxDepth and maxItems bound what is looked at of an error.
const (
	maxDepth = 6
	maxItems = 20
)

// findMessage looks for a message in the usual places: in members of the
// object, then in what is nested in it.
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
	if depth > 0 {
		m.fields = fieldNames(object, 0)
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

// add appends what another message has to say beyond this one. A bare name
// such as "Bad Request" beside a sentence says nothing.
func (m *message) add(other message) {
	m.fields = append(m.fields, other.fields...)
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

// fieldNames reads which field an item of an error is about.
func fieldNames(object map[string]any, depth int) []string {
	var names []string
	for _, member := range fieldMembers {
		switch value := object[member].(type) {
		case string:
			names = append(names, value)
		case []any: // a path in its parts
			if len(value) > 0 {
				if last, ok := value[len(value)-1].(string); ok {
					names = append(names, last)
				}
			}
		case map[string]any: // JSON:API: source.pointer
			if depth == 0 {
				names = append(names, fieldNames(value, 1)...)
			}
		}
	}
	return names
}

// noRoute is how gateways and frameworks word a 404 of their own in JSON.
var noRoute = regexp.MustCompile(`(?i)\broutes?\b|\bcannot (get|patch|post)\b|\bno such (endpoint|path|url)\b|\bendpoint not found\b`)

// isOwn says that the JSON of a 404 reads like the API's word on a resource
// rather than on a path, its own router's included: a wrong base address must
// never look like a pipe that is gone. A message that speaks of no route, or
// the API's envelope without a message, is proof enough.
func isOwn(object map[string]any, said string) bool {
	for _, member := range []string{"status", "statusCode"} {
		if status, ok := object[member].(float64); ok && status != http.StatusNotFound {
			return false
		}
	}
	if noRoute.MatchString(said) {
		return false
	}
	if id, ok := object["requestId"].(string); ok && id != "" || said != "" {
		return true
	}
	_, hasStatus := object["status"].(float64)
	_, hasError := object["error"]
	_, hasErrors := object["errors"]
	_, hasCode := object["code"]
	return hasStatus || hasError || hasErrors || hasCode
}
