package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// Maximum size of a response, in bytes. In memory, it may take fifty times as much. MaxBody is that of
// a success unless a request has its own: see Request.MaxBody.
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
	Cut       error
	RequestID string                             // the platform's, clean: that in the body, or else in the header
	Clean     func(text string, most int) string // makes a text fit for a message: see Secrets.Clean
}

// IsSuccess reports whether the status is 2xx.
func (r *Response) IsSuccess() bool { return r.Status >= 200 && r.Status <= 299 }

// read reads the body, without the byte order mark that some servers put before JSON. The most bytes
// are those of a success.
func (r *Response) read(body io.Reader, most int64) {
	if !r.IsSuccess() {
		most = maxError
	}
	all, err := io.ReadAll(io.LimitReader(body, most+1))
	r.Body = bytes.TrimPrefix(all, []byte("\ufeff"))
	switch {
	case err != nil:
		r.Cut = &Reworded{r.Clean(err.Error(), maxMessage), io.ErrUnexpectedEOF}
	case int64(len(all)) > most:
		r.Cut = fmt.Errorf("it is larger than the provider accepts (%d MiB)", most>>20)
	}
}

// JSON returns the body as encoding/json reads it, but numbers as they are spelled: to decode one
// may fail, or take gigabytes. Of two members with one name the last counts, and what is not UTF-8
// is replaced. The error is io.ErrUnexpectedEOF if the JSON is cut off, io.EOF if the body is
// empty, and otherwise a json.SyntaxError; if that is about what follows the JSON, there is a value.
//
// Rejected: json.RawMessage for what is read later. Each level is scanned again, which takes three
// times as long. Rejected: one service after the other, which saves the copy that Decode keeps.
func (r *Response) JSON() (value any, err error) {
	decoder := json.NewDecoder(bytes.NewReader(r.Body))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if more := bytes.TrimLeft(r.Body[decoder.InputOffset():], " \t\r\n"); len(more) > 0 {
		err = &json.SyntaxError{Offset: int64(len(r.Body)-len(more)) + 1}
	}
	return value, err
}

// describe returns the message in the body of an error, clean, and the body if it is a JSON object.
// Of a redirect, it names the target's host, without path and query.
func describe(r *Response) (message string, object map[string]any) {
	if location := r.Header.Get("Location"); r.Status/100 == 3 && location != "" {
		target, err := url.Parse(location)
		if err == nil && target.Host != "" {
			message = " to " + strings.TrimPrefix(target.Scheme+"://"+r.Clean(target.Host, words.MaxID), "://")
		}
		return "a redirect" + message + ", which is not followed because it would send the credentials elsewhere", nil
	}
	if value, err := r.JSON(); err == nil {
		object, _ = value.(map[string]any)
		return strings.TrimSuffix(r.MessageIn(value), "; "+http.StatusText(r.Status)), object
	}
	if message = r.Page(); message == "" && utf8.Valid(r.Body) {
		message = r.message(string(r.Body))
	}
	return message, nil
}

// htmlPage describes a body that is one. Rejected: its title, which says less than the status.
const htmlPage = "it is an HTML page, not a response of the API"

// Page returns htmlPage if the body looks like one, since no JSON begins with "<".
func (r *Response) Page() string {
	return when(bytes.HasPrefix(bytes.TrimSpace(r.Body), []byte("<")), htmlPage)
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

// MessageIn returns the messages in a JSON value, clean, each once: the value itself if it is a
// text, else those of its members.
func (r *Response) MessageIn(value any) string {
	return r.message(strings.Join(messages(nil, value), "; "))
}

func messages(found []string, value any) []string {
	switch value := value.(type) {
	case string:
		repeats := func(text string) bool { return strings.Contains(text, value) }
		if strings.TrimSpace(value) != "" && len(found) < 20 && !slices.ContainsFunc(found, repeats) {
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
