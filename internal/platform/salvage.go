package platform

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// accept reads the response to a key's creation.
func (k *CreatedAPIKey) accept(r *response) error {
	read, _, err := object[CreatedAPIKey](r)
	if err != nil {
		_, _ = io.Copy(io.Discard, r) // for salvage: the secret may follow what is broken
		return err
	}
	*k = *read
	k.RequestID = r.requestID
	k.NullExpiry = nullExpiry(r.seen.Bytes())
	k.KeyID, k.KeySecret = unlessEmpty(k.KeyID), unlessEmpty(k.KeySecret)
	return nil
}

// nullExpiry reports whether a response has a null for the expiry. Of one that is
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

// unlessEmpty treats an empty text like one that the API did not return.
func unlessEmpty(s *string) *string {
	if s == nil || *s == "" {
		return nil
	}
	return s
}

// addSecretsIn masks the secrets in a response, before its text is used.
func (c *Client) addSecretsIn(raw []byte) {
	if secret := salvageKey(raw).KeySecret; secret != nil {
		c.AddSecret(*secret)
	}
	for _, match := range keyText.FindAllSubmatch(raw, -1) {
		if secret := text(match[2]); secret != nil && string(match[1]) == "keySecret" {
			c.AddSecret(*secret)
		}
	}
}

// salvage reads the key from a response that is broken, or that is a 5xx although
// it has a key. It reports whether there was a key.
func (k *CreatedAPIKey) salvage(failed *Error, raw []byte, hashed bool) bool {
	// After a final status there is no key, whatever the body holds.
	if failed.class == classPermanent && !failed.ambiguous || failed.class == classRateLimited {
		return false
	}
	found := salvageKey(raw)
	// A secret without its ID is kept only if the ID cannot have been lost on the
	// way, but was not returned.
	whole := found.KeySecret != nil && (found.KeyID != nil || failed.class == classUnreadable)
	if !whole && (!hashed || found.Key == nil || found.Key.ID == nil) {
		return false
	}
	*k = *found
	k.NullExpiry = nullExpiry(raw)
	k.Incomplete = fmt.Errorf("the response to the key's creation is incomplete: %s", failed.cause())
	if failed.Status >= http.StatusInternalServerError {
		k.Incomplete = fmt.Errorf("the response to the key's creation had HTTP status %d", failed.Status)
	}
	return true
}

// salvageKey reads what it can of the response to a key's creation. A member
// that is cut or of another type is omitted.
func salvageKey(raw []byte) *CreatedAPIKey {
	whole, broken := closeCut(raw)
	all := map[string]jsontext.Value{}
	for _, match := range slices.Backward(keyText.FindAllSubmatch(broken, -1)) { // the first one counts
		all[string(match[1])] = match[2]
	}
	envelope := members(whole)
	maps.Copy(all, envelope)
	maps.Copy(all, members(envelope["result"]))
	found := &CreatedAPIKey{KeyID: text(all["keyId"]), KeySecret: text(all["keySecret"])}
	if object, exists := all["key"]; exists {
		found.Key = &APIKey{}
		for name, value := range members(object) {
			next := *found.Key // a member of another type must not lose the others
			if json.Unmarshal(fmt.Appendf(nil, "{%q:%s}", name, value), &next, lenient) == nil {
				*found.Key = next
			}
		}
	}
	return found
}

// closeCut makes whole JSON of an object that was cut: it drops what follows
// the last whole member, and closes the objects that are open. JSON that is
// broken rather than cut ends there too, and the rest is returned as well.
func closeCut(raw []byte) (whole jsontext.Value, broken []byte) {
	decoder := jsontext.NewDecoder(bytes.NewReader(raw), lenient)
	end, open := 0, 0
	for {
		var err error
		kind := decoder.PeekKind()
		if kind == '[' {
			err = decoder.SkipValue() // half a list is none
		} else {
			_, err = decoder.ReadToken()
		}
		at, depth := int(decoder.InputOffset()), decoder.StackDepth()
		cut := errors.Is(err, io.ErrUnexpectedEOF) || kind == '0' && at == len(raw) // a number may go on
		switch _, length := decoder.StackIndex(depth); {
		case err == nil && depth == 0:
			return raw[:at], nil
		case err != nil || cut:
			whole = append(bytes.Clone(raw[:end]), strings.Repeat("}", open)...)
			if !cut {
				broken = raw[end:]
			}
			return whole, broken
		case length%2 == 0: // names and values come in pairs
			end, open = at, depth
		}
	}
}

// keyText finds ID and secret in broken JSON. Another text cannot pose as one
// of them: its quotes would be escaped.
var keyText = regexp.MustCompile(`"(keyId|keySecret)"\s*:\s*("(?:[^"\\]|\\.)*")`)

// members returns the members of an object; none if value is not an object.
func members(value jsontext.Value) map[string]jsontext.Value {
	var all map[string]jsontext.Value
	_ = json.Unmarshal(value, &all, lenient)
	return all
}

// text reads a string, or a number as it is spelled; nil if value is neither,
// or empty.
func text(value jsontext.Value) *string {
	s := string(value)
	if value.Kind() != '0' && json.Unmarshal(value, &s, lenient) != nil {
		return nil
	}
	return unlessEmpty(&s)
}
