package platform

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"regexp"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// accept reads the answer to a key's creation. It keeps what it reads for
// salvage: this is the one time that the platform tells the secret.
func (k *CreatedAPIKey) accept(a *answer) error {
	a.keep = true
	var read *CreatedAPIKey
	err := acceptInto(&read, "result")(a)
	if err != nil {
		_, _ = io.Copy(io.Discard, a) // the secret may stand behind what broke
		return err
	}
	*k = *read
	k.RequestID = a.requestID
	k.NullExpiry = nullExpiry(a.seen.Bytes())
	k.KeyID, k.KeySecret = unlessEmpty(k.KeyID), unlessEmpty(k.KeySecret)
	return nil
}

// nullExpiry tells whether an answer has a null for the expiry. Of one that is
// broken before that it knows nothing.
func nullExpiry(raw []byte) bool {
	var read struct {
		Result struct {
			Key struct {
				ExpireAt jsontext.Value `json:"expireAt"`
			} `json:"key"`
		} `json:"result"`
	}
	_ = json.Unmarshal(raw, &read, lenient) // what was read before an error stands
	return read.Result.Key.ExpireAt.Kind() == 'n'
}

// unlessEmpty takes an empty text for one that the platform didn't tell.
func unlessEmpty(s *string) *string {
	if s == nil || *s == "" {
		return nil
	}
	return s
}

// hideKey masks a secret that an answer holds, before the answer's words are
// looked at.
func (c *Client) hideKey(raw []byte) {
	if secret := salvageKey(raw).KeySecret; secret != nil {
		c.AddSecret(*secret)
	}
}

// salvage makes a key out of an answer that is broken, or that came with a 5xx
// though it holds a key. It says whether there was a key to be made out;
// otherwise the error stands.
func (k *CreatedAPIKey) salvage(failed *Error, raw []byte, hashed bool) bool {
	// A final status says that there is no key, whatever its body holds.
	if failed.class == classFinal && !failed.ambiguous || failed.class == classLimited {
		return false
	}
	found := salvageKey(raw)
	// Half of it is kept only where the other half can't have been lost on the
	// way: then the platform didn't tell it.
	whole := found.KeySecret != nil && (found.KeyID != nil || failed.class == classUnreadable)
	if !whole && (!hashed || found.Key == nil || found.Key.ID == nil) {
		return false
	}
	*k = *found
	k.NullExpiry = nullExpiry(raw)
	k.Incomplete = fmt.Errorf("the answer to the key's creation is not whole: %s", failed.cause())
	if failed.Status >= http.StatusInternalServerError {
		k.Incomplete = fmt.Errorf("the answer to the key's creation came with HTTP %d", failed.Status)
	}
	return true
}

// salvageKey reads what it can of a key's creation. Each field stands for
// itself: one that is cut or of another type is left out.
func salvageKey(raw []byte) *CreatedAPIKey {
	found := &CreatedAPIKey{}
	decoder := jsontext.NewDecoder(bytes.NewReader(raw), lenient)
	members(decoder, func(name string) bool {
		switch name {
		case "result":
			return members(decoder, func(name string) bool { return found.member(decoder, name) })
		default:
			return found.member(decoder, name)
		}
	})
	if found.KeyID == nil {
		found.KeyID = textOf(keyIDText.FindSubmatch(raw))
	}
	if found.KeySecret == nil {
		found.KeySecret = textOf(keySecretText.FindSubmatch(raw))
	}
	found.KeyID, found.KeySecret = unlessEmpty(found.KeyID), unlessEmpty(found.KeySecret)
	return found
}

// members calls read for each name of the object that comes next, until it
// ends, read says no, or the JSON breaks.
func members(decoder *jsontext.Decoder, read func(name string) bool) bool {
	if decoder.PeekKind() != '{' {
		return decoder.SkipValue() == nil
	}
	if _, err := decoder.ReadToken(); err != nil {
		return false
	}
	for decoder.PeekKind() == '"' {
		name, err := decoder.ReadToken()
		if err != nil || !read(name.String()) {
			return false
		}
	}
	_, err := decoder.ReadToken()
	return err == nil
}

// member reads one member of the result.
func (k *CreatedAPIKey) member(decoder *jsontext.Decoder, name string) bool {
	switch name {
	case "key":
		key := &APIKey{}
		k.Key = key
		return members(decoder, func(name string) bool {
			value, err := decoder.ReadValue()
			if err != nil {
				return false
			}
			one := fmt.Appendf(nil, "{%q:%s}", name, value)
			read := *key
			if json.Unmarshal(one, &read, lenient) == nil {
				*key = read
			}
			return true
		})
	case "keyId":
		return text(decoder, &k.KeyID)
	case "keySecret":
		return text(decoder, &k.KeySecret)
	default:
		return decoder.SkipValue() == nil
	}
}

// text reads a string, and a number as it is spelt.
func text(decoder *jsontext.Decoder, target **string) bool {
	value, err := decoder.ReadToken()
	if err != nil {
		return false
	}
	if kind := value.Kind(); kind == '"' || kind == '0' {
		s := value.String()
		*target = &s
	}
	return true
}

// The last resort, for an answer whose JSON is broken before the secret. A
// name cannot pose as one of these members: its quotes would be escaped.
var (
	keyIDText     = regexp.MustCompile(`"keyId"\s*:\s*("(?:[^"\\]|\\.)*")`)
	keySecretText = regexp.MustCompile(`"keySecret"\s*:\s*("(?:[^"\\]|\\.)*")`)
)

func textOf(match [][]byte) *string {
	if match == nil {
		return nil
	}
	var s string
	if json.Unmarshal(match[1], &s, lenient) != nil {
		return nil
	}
	return &s
}
