package rest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// Proxies, gateways, filters and login pages answer in place of an API, with any status. This file alone decides whose
// answer a response is, and what it says.

// Maximum size of a success and of an error, in bytes, and of a success in memory: see weight.
const (
	maxBody   = 8 << 20
	maxError  = 64 << 10
	maxWeight = 16 << 20
)

// Response is the response to one attempt.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
	// Cut is why the body is not complete, nil if it is: io.ErrUnexpectedEOF if the connection or the time was over.
	Cut error
	// Value is the body as encoding/json reads it: of two members with one name the last counts, and
	// what is not UTF-8 is replaced. But numbers are as they are spelled: to decode one may fail, or take
	// gigabytes. Malformed is why the body is no JSON: io.ErrUnexpectedEOF if it is cut off.
	Value     any
	Malformed error
	RequestID string // the platform's, clean: that in the body, or else in the header
	*Secrets         // of the client

	// What the response is worth: see judge.
	IsOwn  bool  // the API itself has answered
	Doubt  error // why it is not a success of the API's own, new, whole and about the object of the request; nil if it is
	Result any   // the member of the body that Request.Result names; nil if there is none
	line   int   // the status of the status line, of which the body may say otherwise

	// MayExistTwice: a creation was sent again after a response that is not the API's own, so both may have created one.
	MayExistTwice bool
	mayHaveSecret bool // that nobody knows: see hidesBody
}

// IsSuccess reports whether the status is 2xx.
func (r *Response) IsSuccess() bool { return r.Status/100 == 2 }

// read reads the body, without a byte order mark. The most bytes are those of a success. That of a 101 would not end:
// it is the connection.
func (r *Response) read(body io.Reader, most int64) {
	switch {
	case r.Status == http.StatusSwitchingProtocols:
		body = http.NoBody
	case !r.IsSuccess():
		most = maxError
	}
	all, err := io.ReadAll(io.LimitReader(body, most+1))
	switch {
	case err != nil:
		r.Cut = &Reworded{r.reason(err, r.mayHaveSecret), io.ErrUnexpectedEOF}
	case int64(len(all)) > most:
		r.Cut = fmt.Errorf("it is larger than the provider accepts (%d MiB)", most>>20)
	}
	r.Body = bytes.TrimPrefix(all, []byte("\ufeff"))
	if weight(r.Body) > maxWeight {
		r.Cut = errors.New("it has more JSON values than the provider accepts")
		r.Malformed = r.Cut
		return
	}
	decoder := json.NewDecoder(bytes.NewReader(r.Body))
	decoder.UseNumber()
	r.Malformed = decoder.Decode(&r.Value)
}

// weight is what JSON takes at most once it is decoded, in units of about 27 bytes: some takes sixty times its size. What is
// quoted counts, too. Ten thousand services of fifty access entries have 10 million.
func weight(body []byte) int {
	return 8*bytes.Count(body, []byte("{")) + 2*bytes.Count(body, []byte("[")) + 4*bytes.Count(body, []byte(","))
}

// judge decides what a response is worth. All that is concluded from one rests on it: that an object does not exist, that
// credentials have arrived, what a PATCH is based on. The API itself has answered with a JSON object whose requestId is a
// UUID, as the API document has it, or with a success that has a result of the right kind, or no body; unless the
// response says that it is old or partial. A failure that it names counts, whatever the status line says.
func (r *Response) judge(q *Request) {
	object, _ := r.Value.(map[string]any)
	id, _ := object["requestId"].(string)
	if r.Result, r.line = object[q.Result], r.Status; q.Secret != nil {
		r.AddSecret(q.Secret(r.Value))
	}
	_, isArray := r.Result.([]any)
	result, isObject := r.Result.(map[string]any)
	isResult := isArray == q.IsArray && isObject != q.IsArray
	isEmpty := len(bytes.TrimSpace(r.Body)) == 0
	r.IsOwn = r.detour() == "" && (words.IsUUID(id) || r.IsSuccess() && (isResult || isEmpty))
	if said := cmp.Or(id, r.Header.Get("X-Request-Id")); words.IsUUID(said) || !r.hidesBody() {
		r.RequestID = r.Clean(said, words.MaxID)
	}
	if said := statusIn(object); r.IsOwn && (slices.Contains([]int{1, 3, 4, 5}, said/100) || said/100 == 2 && r.IsSuccess()) {
		r.Status = said
	}
	switch {
	case r.IsSuccess():
		r.Doubt = cmp.Or(r.Cut, r.doubtResult(q, isResult), r.doubtOwn(q, object, result))
	case r.line == r.Status:
		r.Doubt = errors.New(strings.TrimRight(fmt.Sprintf("it has HTTP status %d: %s", r.Status, r.Message()), ": "))
	default:
		r.Doubt = fmt.Errorf("its status is %d: %s", r.Status, r.Message())
	}
}

// doubtResult is why a success has no result, although an update's need not have one: that says that it was carried out.
func (r *Response) doubtResult(q *Request, isResult bool) error {
	switch {
	case r.Result == nil && r.IsOwn && q.Method == http.MethodPatch, r.IsOwn && isResult:
		return nil
	case r.Result == nil:
		return &Reworded{"it has no result: " + r.Message(), r.Malformed}
	default:
		return errors.New("its result is not as the API documents it")
	}
}

// doubtOwn is why a success of the API's own is none, or of another object than the request's, if it names one.
func (r *Response) doubtOwn(q *Request, object, result map[string]any) error {
	id, _ := object["requestId"].(string)
	switch status := object["status"]; {
	case status != nil && statusIn(object)/100 != 2:
		return fmt.Errorf("its status is %q: %s", r.Clean(fmt.Sprint(status), words.MaxID), r.Message())
	case q.HasCredentials && !words.IsUUID(id) && !isSame(result["id"], q.Object["id"]):
		return errors.New("it does not say whether the credentials in the request have arrived")
	}
	for name, id := range q.Object {
		if got := result[name]; got != nil && !isSame(got, id) {
			return fmt.Errorf("it is about another object: its %s is %s, not %s", name, r.Clean(fmt.Sprint(got), words.MaxID), id)
		}
	}
	return nil
}

// statusIn is the status that a body says, in any spelling of a number; 0 if it says none.
func statusIn(object map[string]any) int {
	status, _ := strconv.ParseFloat(fmt.Sprint(object["status"]), 64)
	return int(status)
}

// isSame compares IDs: UUIDs are equal in any letter case.
func isSame(got any, id string) bool { return got != nil && strings.EqualFold(fmt.Sprint(got), id) }

// detour is how a response says itself that it does not come from the API as it is now; "" if it does not.
func (r *Response) detour() string {
	age, _, _ := strings.Cut(r.Header.Get("Age"), ",")
	if seconds, _ := strconv.ParseFloat(age, 64); seconds > MaxAge.Seconds() {
		return "a response that is " + r.Clean(age, words.MaxID) + " s old"
	}
	return map[int]string{
		http.StatusNonAuthoritativeInfo: "a response that was changed on its way",
		http.StatusPartialContent:       "a part of a response",
		http.StatusMultiStatus:          "a response in parts, each with a status of its own",
	}[r.line]
}

const htmlPage, redirect, odd = "an HTML page", "a redirect", "not as the API responds"

// form names the form of a response that is not the API's own; "" if it is, or if nobody can tell because it was cut off.
func (r *Response) form() string {
	switch {
	case r.Header.Get("Location") != "" && r.Status/100 == 3: // may be the API's own
		return redirect
	case r.detour() != "":
		return r.detour()
	case r.IsOwn, r.IsSuccess() && r.Cut != nil && !r.isPage():
		return ""
	case r.isPage():
		return htmlPage
	default:
		return odd
	}
}

func (r *Response) isPage() bool { return bytes.HasPrefix(bytes.TrimSpace(r.Body), []byte("<")) }

// hidesBody reports whether nothing of the body may be shown, because it may have a new secret in a form that nothing
// decodes, such as UTF-16 or a text. The API's own JSON has a message; a 4xx of anyone else seldom comes after the work.
func (r *Response) hidesBody() bool {
	isMessage := r.IsOwn && r.Malformed == nil && len(words.OfJSON(r.Value, maxText)) > 0
	return r.mayHaveSecret && (r.line/100 != 4 && !isMessage || bytes.IndexByte(r.Body, 0) >= 0)
}

// withheld replaces a message of which masking leaves nothing.
const withheld = "the message is withheld because it contains a secret"

// Message returns what a response says, clean: a message in it, or else the body; "" only if that is empty.
func (r *Response) Message() string {
	if r.hidesBody() {
		return words.OfHidden(r.Header.Get("Content-Type"), len(r.Body))
	}
	text := string(r.Body[:min(len(r.Body), maxError)])
	switch found := words.OfJSON(r.Value, maxText); {
	case r.form() == redirect:
		to := "another address"
		if target, err := url.Parse(r.Header.Get("Location")); err == nil {
			to = cmp.Or(target.Host, to)
		}
		text = "it is not followed because the credentials would go to " + to
	case len(found) > 0:
		text = strings.TrimSuffix(strings.Join(found, "; "), "; "+http.StatusText(r.Status))
		for i := range found {
			found[i] = r.Clean(found[i], maxText)
		}
		if together := strings.Join(found, ""); r.Mask(together) != together { // one secret in pieces
			return withheld
		}
	case r.detour() != "":
		text = ""
	case r.isPage():
		text = words.OfPage(r.hideNamed(text))
	}
	if text = r.Clean(text, maxMessage); text == mask {
		return withheld
	}
	return text
}
