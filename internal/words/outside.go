package words

import (
	"html"
	"regexp"
	"slices"
	"strings"
)

// What responses say, in whatever form.

// messageMembers are those in which APIs return their message, in lower case and the most specific
// first, as a text or nested. No document shows the form of an error.
var messageMembers = strings.Fields("message msg errormessage errorsummary detail details reason description errors error title code")

// OfJSON are the messages in a JSON value, each once, cut to so many bytes, and not too many: a response may have millions.
func OfJSON(value any, most int) []string { return messagesIn(value, most, nil) }

func messagesIn(value any, most int, found []string) []string {
	switch value := value.(type) {
	case string:
		value = value[:min(len(value), most)]
		repeats := func(other string) bool { return strings.Contains(other, value) }
		if strings.TrimSpace(value) != "" && len(found) < 20 && !slices.ContainsFunc(found, repeats) {
			found = append(found, value)
		}
	case map[string]any:
		named := make([]any, len(messageMembers))
		for name, member := range value {
			if at := slices.Index(messageMembers, strings.ToLower(name)); at >= 0 {
				named[at] = member
			}
		}
		return messagesIn(named, most, found)
	case []any:
		for _, item := range value {
			found = messagesIn(item, most, found)
		}
	}
	return found
}

// reference matches the number by which whoever runs a gateway finds a request.
var reference = regexp.MustCompile(`(?i)\b(?:reference|incident|support|request|ray)(?: ?(?:id|number|no|code)\b)?[.:#\s]+[\w.-]*\d[\w.-]*`)

// hidden matches what of a page is not shown.
var hidden = regexp.MustCompile(`(?is)<script.*?(?:</script>|$)|<style.*?(?:</style>|$)|<!--.*?(?:-->|$)|<[^>]*>?`)

// OfPage returns the beginning of what an HTML page shows, its title first, and its reference number.
func OfPage(page string) string {
	text := OneLine(html.UnescapeString(hidden.ReplaceAllString(page, " ")))
	begins := Clean(text, 300)
	if number := reference.FindString(text); !strings.Contains(begins, number) {
		begins += " " + number
	}
	return begins
}

// OfHidden is what is shown of a body that may have a secret: its content type, if it is a usual one, and its size.
func OfHidden(contentType string, size int) string {
	if size == 0 {
		return ""
	}
	form := contentForm.FindString(contentType)
	if form == "" {
		form = "no usual content type"
	}
	return "its body is not shown, because it may have the secret (" + form + ", " + Count(size, "byte") + ")"
}

var contentForm = regexp.MustCompile(`^(?:application/json|text/html|text/plain|application/xml|text/xml)`)
