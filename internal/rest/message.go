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

// describe returns the message in the body of an error, clean, and the body if it is a JSON object.
func describe(r *Response) (message string, object map[string]any) {
	if location := r.Header.Get("Location"); r.Status/100 == 3 && location != "" {
		return describeRedirect(location, r.Clean), nil
	}
	if value, err := r.JSON(); err == nil {
		object, _ = value.(map[string]any)
		return strings.TrimSuffix(r.MessageIn(value), "; "+http.StatusText(r.Status)), object
	}
	message = r.Page()
	if kind := r.mediaType(); message == "" && (strings.HasPrefix(kind, "text/") || kind == "") {
		message = r.message(string(r.Body))
	}
	return message, nil
}

// describeRedirect names the target of a redirect, without path and query.
func describeRedirect(location string, clean func(string, int) string) string {
	where := ""
	if target, err := url.Parse(location); err == nil && target.Host != "" {
		where = " to " + strings.TrimPrefix(target.Scheme+"://"+clean(target.Host, words.MaxID), "://")
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
		if text := r.Clean(string(title[1]), words.MaxID); text != "" && text != mask {
			return htmlPage + `, with the title "` + text + `"`
		}
	}
	return htmlPage
}

func (r *Response) mediaType() string {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return kind
}

// withheld replaces a message of which masking leaves nothing.
const withheld = "the message is withheld because it contains a secret"

func (r *Response) message(text string) string {
	if text = r.Clean(text, maxMessage); text == mask {
		return withheld
	}
	return text
}

// messageMembers are those in which APIs return their message, the most specific first, as a text or
// nested. No document shows the form of an error.
var messageMembers = []string{"message", "detail", "details", "reason", "description", "errors", "error", "title"}

// maxMessages bounds the search for messages.
const maxMessages = 20

// MessageIn returns the messages in a JSON value, clean, each once: the value itself if it is a
// text, else those of its members.
func (r *Response) MessageIn(value any) string {
	return r.message(strings.Join(messages(nil, value), "; "))
}

func messages(found []string, value any) []string {
	switch value := value.(type) {
	case string:
		repeats := func(text string) bool { return strings.Contains(text, value) }
		if strings.TrimSpace(value) != "" && len(found) < maxMessages && !slices.ContainsFunc(found, repeats) {
			found = append(found, value)
		}
	case map[string]any:
		for _, name := range messageMembers {
			found = messages(found, value[name])
		}
	case []any:
		for _, item := range value {
			found = messages(found, item)
		}
	}
	return found
}
