package rest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// Proxies, gateways, filters and login pages answer in place of an API, with any status. This file
// alone decides whose answer a response is, what that means for a write, and what the response says.

// Maximum size of a success and of an error, in bytes. In memory, it may take fifty times as much.
const (
	maxBody  = 1 << 20
	maxError = 64 << 10
)

// Response is the response to one attempt.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
	// Cut is why the body is not complete, nil if it is. It is an io.ErrUnexpectedEOF if the
	// connection ended or the time was over.
	Cut error
	// Value is the body as encoding/json reads it: of two members with one name the last counts, and
	// what is not UTF-8 is replaced. But numbers are as they are spelled: to decode one may fail, or take
	// gigabytes. Malformed is why the body is no JSON: io.ErrUnexpectedEOF if it is cut off.
	Value     any
	Malformed error
	Result    any                                // the member of the body that Request.Result names; nil if there is none
	IsOwn     bool                               // the API itself has answered: see identify
	RequestID string                             // the platform's, clean: that in the body, or else in the header
	Clean     func(text string, most int) string // makes a text fit for a message: see Secrets.Clean
}

// IsSuccess reports whether the status is 2xx.
func (r *Response) IsSuccess() bool { return r.Status >= 200 && r.Status <= 299 }

// read reads the body. The most bytes are those of a success.
func (r *Response) read(body io.Reader, most int64) {
	if !r.IsSuccess() {
		most = maxError
	}
	all, err := io.ReadAll(io.LimitReader(body, most+1))
	r.Body = all
	switch {
	case err != nil:
		r.Cut = &Reworded{r.Clean(err.Error(), maxMessage), io.ErrUnexpectedEOF}
	case int64(len(all)) > most:
		r.Cut = fmt.Errorf("it is larger than the provider accepts (%d MiB)", most>>20)
	}
	decoder := json.NewDecoder(bytes.NewReader(r.Body))
	decoder.UseNumber()
	r.Malformed = decoder.Decode(&r.Value)
}

// identify decides whether the API itself has answered: with a JSON object whose requestId is a UUID,
// as the API document has it, or with a success that has a result of the right kind, or no body.
func (r *Response) identify(result string, wantsArray bool) {
	object, _ := r.Value.(map[string]any)
	id, _ := object["requestId"].(string)
	r.RequestID = cmp.Or(r.Clean(id, words.MaxID), r.RequestID)
	r.Result = object[result]
	_, isArray := r.Result.([]any)
	_, isObject := r.Result.(map[string]any)
	isResult := isArray && wantsArray || isObject && !wantsArray
	r.IsOwn = words.IsUUID(id) || r.IsSuccess() && (isResult || len(bytes.TrimSpace(r.Body)) == 0)
}

// mayBeDone reports whether a write may have been carried out although it got this response. A gateway
// may hand a request on after it has given up, whatever it returns. A filter that looks at responses
// rejects one after the platform has done its work: that is said of a creation, which nothing can read.
func (r *Response) mayBeDone(method string) bool {
	switch kind := kinds[r.Status]; {
	case kind == Busy, kind == RateLimited, r.Status == http.StatusTooEarly:
		return false
	case r.Status/100 == 4 && r.Status != http.StatusRequestTimeout:
		return method == http.MethodPost && r.Malformed != nil
	default:
		return true
	}
}

// NothingDone reports whether a write that failed has changed nothing: it was not sent, came too early or too often, or
// the API itself rejected its credentials. Any other rejection may come half way.
func (e *Error) NothingDone() bool {
	isLogin := e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden
	return e.Foreign == "" && isLogin || slices.Contains([]int{0, http.StatusTooManyRequests, http.StatusTooEarly}, e.Status)
}

const htmlPage, redirect = "an HTML page", "a redirect"

// form names the form of a response that is not the API's own; "" if it is, or if nobody can tell because it
// was cut off.
func (r *Response) form() string {
	switch {
	case r.Header.Get("Location") != "" && r.Status/100 == 3: // may be the API's own
		return redirect
	case r.IsOwn, r.IsSuccess() && r.Cut != nil && !r.isPage():
		return ""
	case r.isPage():
		return htmlPage
	default:
		return "not as the API responds"
	}
}

func (r *Response) isPage() bool { return bytes.HasPrefix(bytes.TrimSpace(r.Body), []byte("<")) }

// withheld replaces a message of which masking leaves nothing.
const withheld = "the message is withheld because it contains a secret"

// Message returns what a response says, clean: the message in a JSON body, the text of a page, or else
// the body as it is; "" only if that is empty.
func (r *Response) Message() string {
	text := string(r.Body[:min(len(r.Body), maxError)])
	switch found := messagesIn(r.Value, nil); {
	case r.form() == redirect:
		to := "another address"
		if target, err := url.Parse(r.Header.Get("Location")); err == nil {
			to = cmp.Or(target.Host, to)
		}
		text = "it is not followed because the credentials would go to " + to
	case len(found) > 0:
		text = strings.TrimSuffix(strings.Join(found, "; "), "; "+http.StatusText(r.Status))
	case r.isPage():
		text = pageText(text)
	}
	if text = r.Clean(text, maxMessage); text == mask {
		return withheld
	}
	return text
}

// messageMembers are those in which APIs return their message, in lower case and the most specific
// first, as a text or nested. No document shows the form of an error.
var messageMembers = strings.Fields("message msg errormessage errorsummary detail details reason description errors error title code")

// messagesIn appends the messages in a JSON value, each once and not too many: a response may have millions.
func messagesIn(value any, found []string) []string {
	switch value := value.(type) {
	case string:
		value = value[:min(len(value), maxText)]
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
		return messagesIn(named, found)
	case []any:
		for _, item := range value {
			found = messagesIn(item, found)
		}
	}
	return found
}

// reference matches the number by which whoever runs a gateway finds a request.
var reference = regexp.MustCompile(`(?i)\b(?:reference|incident|support|request|ray)(?: ?(?:id|number|no|code)\b)?[.:#\s]+[\w.-]*\d[\w.-]*`)

// hidden matches what of a page is not shown.
var hidden = regexp.MustCompile(`(?is)<script.*?(?:</script>|$)|<style.*?(?:</style>|$)|<!--.*?(?:-->|$)|<[^>]*>?`)

// pageText returns the beginning of what a page shows, its title first, and its reference number.
func pageText(page string) string {
	text := words.OneLine(html.UnescapeString(hidden.ReplaceAllString(page, " ")))
	begins := words.Clean(text, 300)
	if number := reference.FindString(text); !strings.Contains(begins, number) {
		begins += " " + number
	}
	return begins
}
