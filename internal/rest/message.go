package rest

import (
	"fmt"
	"html"
	"io"
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Lenient accepts repeated names and invalid UTF-8 in responses, which do no harm
// here. By the library's defaults, names are case-sensitive and unknown members
// are ignored.
var Lenient = json.JoinOptions(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// readBody reads what arrived of the body of an error.
func readBody(r *Response) []byte {
	r.Limit(maxError)
	raw, _ := io.ReadAll(r)
	return raw
}

// describe returns the message in the body of an error, cleaned and masked, and the
// body if it is a JSON object.
func describe(r *Response, raw []byte) (message string, object map[string]any) {
	if r.Status >= 300 && r.Status <= 399 {
		return describeRedirect(r), nil
	}
	var value any
	if json.Unmarshal(raw, &value, Lenient) != nil {
		return describeOther(r, raw), nil
	}
	object, _ = value.(map[string]any)
	return MessageIn(value, r.Mask), object
}

// describeRedirect names the target of a redirect, without path and query, which
// may contain secrets.
func describeRedirect(r *Response) string {
	where := ""
	if target, err := url.Parse(r.Header.Get("Location")); err == nil && target.Host != "" {
		where = fmt.Sprintf(" to %s://%s", target.Scheme, Clean(r.Mask(target.Host), 100))
	}
	return "a redirect" + where + ", which is not followed because it would send the credentials elsewhere; check the base URL"
}

// describeOther describes a body that is not JSON.
func describeOther(r *Response, raw []byte) string {
	if page := DescribePage(r, raw); page != "" {
		return page
	}
	mediaType, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if strings.HasPrefix(mediaType, "text/") || mediaType == "" {
		return plain(string(raw), r.Mask)
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

// DescribePage describes an HTML page by its title; "" if the body is not a page.
func DescribePage(r *Response, raw []byte) string {
	raw = raw[:min(len(raw), maxError)]
	mediaType, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if mediaType != "text/html" && mediaType != "application/xhtml+xml" && !pageStart.Match(raw) {
		return ""
	}
	title := pageTitle.FindSubmatch(raw)
	if title == nil {
		return htmlPage
	}
	text := Clean(plain(string(title[1]), r.Mask), 100)
	if text == "" {
		return htmlPage
	}
	return htmlPage + `, with the title "` + text + `"`
}

// plain removes secrets, markup and control characters. It masks secrets before the
// rest, which may alter their spelling, and again after it, which may restore their
// spelling.
func plain(s string, mask func(string) string) string {
	s = tag.ReplaceAllString(unseen.ReplaceAllString(mask(s), " "), " ")
	return mask(Clean(html.UnescapeString(s), maxError))
}

// The members in which APIs return their message, the most specific first. RFC
// 9457, OAuth and JSON:API are covered: no document shows the form of an error.
var (
	textMembers = []string{"message", "error_description", "errorMessage", "detail", "reason", "description", "title"}
	nestMembers = []string{"error", "errors", "result", "data", "details", "detail", "violations"}
)

// maxDepth and maxItems bound the search for a message.
const (
	maxDepth = 6
	maxItems = 20
)

// MessageIn returns the message in a JSON value, cleaned and masked: the value itself
// if it is a text, else that of its members.
func MessageIn(value any, mask func(string) string) string {
	return plain(find(value, 0), mask)
}

func find(value any, depth int) string {
	if depth > maxDepth {
		return ""
	}
	found := ""
	switch value := value.(type) {
	case string:
		return value
	case map[string]any:
		for _, name := range textMembers {
			if text, ok := value[name].(string); ok && strings.TrimSpace(text) != "" {
				found = text
				break
			}
		}
		for _, name := range nestMembers {
			found = join(found, find(value[name], depth+1))
		}
	case []any:
		for _, item := range value[:min(len(value), maxItems)] {
			found = join(found, find(item, depth+1))
		}
	}
	return found
}

// join adds another message unless it has no information of its own, such as
// "Bad Request" beside a sentence.
func join(text, other string) string {
	switch {
	case other == "" || strings.Contains(text, other):
		return text
	case text == "":
		return other
	case strings.ContainsAny(strings.TrimSpace(other), " ") && !isStatusText(other):
		return text + "; " + other
	default:
		return text
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
