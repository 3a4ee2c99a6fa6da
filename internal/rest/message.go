package rest

import (
	"mime"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// describe returns the message in the body of an error, cleaned and masked, and the
// body if it is a JSON object.
func describe(r *Response) (message string, object map[string]any) {
	if location := r.Header.Get("Location"); r.Status/100 == 3 && location != "" {
		return describeRedirect(location, r.Mask), nil
	}
	if value, err := r.JSON(); err == nil {
		object, _ = value.(map[string]any)
		return strings.TrimSuffix(MessageIn(value, r.Mask), "; "+http.StatusText(r.Status)), object
	}
	message = r.Page()
	if kind := r.mediaType(); message == "" && (strings.HasPrefix(kind, "text/") || kind == "") {
		message = plain(string(r.Body), r.Mask)
	}
	return message, nil
}

// describeRedirect names the target of a redirect, without path and query.
func describeRedirect(location string, mask func(string) string) string {
	where := ""
	if target, err := url.Parse(location); err == nil && target.Host != "" {
		where = " to " + strings.TrimPrefix(target.Scheme+"://"+words.Clean(mask(target.Host), 100), "://")
	}
	return "a redirect" + where + ", which is not followed because it would send the credentials elsewhere"
}

var (
	pageStart = regexp.MustCompile(`(?i)^\s*(<!doctype|<html|<head|<body|<\?xml|<!--|<title|<h1|<center|<p>|<div)`)
	pageTitle = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title`)
)

const htmlPage = "it is an HTML page, not a response of the API"

// Page describes a body that is an HTML page by its title; "" if it is none.
func (r *Response) Page() string {
	raw := r.Body[:min(len(r.Body), maxError)]
	if kind := r.mediaType(); kind != "text/html" && kind != "application/xhtml+xml" && !pageStart.Match(raw) {
		return ""
	}
	if title := pageTitle.FindSubmatch(raw); title != nil {
		if text := words.Clean(plain(string(title[1]), r.Mask), 100); text != "" && text != withheld {
			return htmlPage + `, with the title "` + text + `"`
		}
	}
	return htmlPage
}

func (r *Response) mediaType() string {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return kind
}

// withheld takes the place of a message of which masking leaves nothing.
const withheld = "the message is withheld because it contains a secret"

// plain masks secrets in a text from outside and cleans it. It masks again, since the
// spelling of a secret may be the cleaned one.
func plain(s string, hide func(string) string) string {
	if s = hide(words.Clean(hide(s), maxError)); s == mask {
		return withheld
	}
	return s
}

// The members in which APIs return their message, the most specific first. RFC
// 9457, OAuth and JSON:API are covered: no document shows the form of an error.
var (
	textMembers = []string{"message", "error_description", "errorMessage", "detail", "reason", "description", "title"}
	nestMembers = []string{"error", "errors", "result", "data", "details", "detail", "violations"}
)

// maxMessages bounds the search for messages.
const maxMessages = 20

// MessageIn returns the messages in a JSON value, cleaned and masked, each once: the
// value itself if it is a text, else those of its members.
func MessageIn(value any, mask func(string) string) string {
	return plain(strings.Join(messages(nil, value), "; "), mask)
}

func messages(found []string, value any) []string {
	switch value := value.(type) {
	case string:
		repeats := func(text string) bool { return strings.Contains(text, value) }
		if strings.TrimSpace(value) != "" && len(found) < maxMessages && !slices.ContainsFunc(found, repeats) {
			found = append(found, value)
		}
	case map[string]any:
		before := len(found)
		for _, name := range textMembers {
			if text, ok := value[name].(string); ok && len(found) == before {
				found = messages(found, text)
			}
		}
		for _, name := range nestMembers {
			found = messages(found, value[name])
		}
	case []any:
		for _, item := range value {
			found = messages(found, item)
		}
	}
	return found
}
