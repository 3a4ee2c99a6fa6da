package platform

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/rest"
)

// APIKey is a key as its creation returns it ("API key" in the API document). The
// document does not show whether the API returns State. A field that a response
// omits is nil.
type APIKey struct {
	ID           *string         `json:"id,omitzero"`
	Name         *string         `json:"name,omitzero"`
	Roles        []string        `json:"roles,omitzero"`
	State        *string         `json:"state,omitzero"`
	KeySuffix    *string         `json:"keySuffix,omitzero"`
	CreatedAt    *string         `json:"createdAt,omitzero"`
	ExpireAt     *string         `json:"expireAt,omitzero"`
	UsedAt       *string         `json:"usedAt,omitzero"`
	IPAccessList []IPAccessEntry `json:"ipAccessList,omitzero"`
}

// IPAccessEntry is an address or CIDR block that may use an API key ("IP access entry" in
// the API document).
type IPAccessEntry struct {
	Source      *string `json:"source,omitzero"`
	Description *string `json:"description,omitzero"`
}

// CreatedAPIKey is the result of the creation of a key. The API returns KeySecret
// only here. KeyID and KeySecret are nil if the API returned "".
type CreatedAPIKey struct {
	Key       *APIKey `json:"key,omitzero"`
	KeyID     *string `json:"keyId,omitzero"`
	KeySecret *string `json:"keySecret,omitzero"`
	// NullExpiry reports whether expireAt is null in the response: the key never
	// expires. If the response omits expireAt, ExpireAt is nil too, but the expiry
	// is not known.
	NullExpiry bool `json:"-"`
	// RequestID is the platform's ID of the request; "" if the response had none or
	// was broken.
	RequestID string `json:"-"`
	// Incomplete is what is wrong with a response that has the key all the same; nil if
	// nothing is.
	Incomplete error `json:"-"`
}

// CreateAPIKey creates a key ("Create key" in the API document), from the JSON object that
// body is marshaled to. From then on, errors and logs mask its secret.
//
// The API can neither read nor delete a key. So the POST has a connection of its own, is
// retried only if it cannot have been carried out, and once sent it runs to its end even
// if ctx is cancelled. A response with a wrong member is read as far as it goes, and Incomplete
// is what is wrong. After an error that IsAmbiguous, a key may exist whose secret is
// lost.
func (c *Client) CreateAPIKey(ctx context.Context, organizationID string, body map[string]any) (*CreatedAPIKey, error) {
	r, err := c.inOrganization("create API key", "an API key", organizationID, "keys")
	if err != nil {
		return nil, err
	}
	if err := encode(r, body); err != nil {
		return nil, err
	}
	var created CreatedAPIKey
	r.Method = http.MethodPost
	r.NamesObject, r.NotFoundAdvice = false, checkOrganization
	r.Unrepeatable = true
	r.Accept = func(response *rest.Response) error {
		c.maskSecret(response.Body)
		return created.receive(response, body["hashData"] != nil)
	}
	if err := c.rest.Do(ctx, r); err != nil {
		return nil, err
	}
	if created.KeySecret != nil {
		c.AddSecret(*created.KeySecret)
	}
	return &created, nil
}

// secretText finds a secret in any text, so that it is masked even if the JSON around
// it is broken or cut off.
var secretText = regexp.MustCompile(`"keySecret"\s*:\s*("(?:[^"\\]|\\.)*"?|[0-9.eE+-]+)`)

// maskSecret masks the secrets of a response from now on.
func (c *Client) maskSecret(raw []byte) {
	for _, match := range secretText.FindAllSubmatch(raw, -1) {
		c.AddSecret(strings.Trim(string(match[1]), `"`))
		if secret := text(match[1]); secret != nil {
			c.AddSecret(*secret)
		}
	}
}

// receive reads the response to the creation of a key member by member, so that one of
// another type does not discard the others. There is a key if there is its secret, or its
// ID if the secret is hashed. JSON that is cut or broken has none.
func (k *CreatedAPIKey) receive(r *rest.Response, hashed bool) error {
	_, wrong := result(r, "result")
	value := members(r.Body)["result"]
	if value.Kind() != '{' {
		value = r.Body
	}
	found := members(value)
	*k = CreatedAPIKey{KeyID: text(found["keyId"]), KeySecret: text(found["keySecret"]), RequestID: r.RequestID}
	if object, exists := found["key"]; exists {
		k.Key = &APIKey{}
		fields := members(object)
		for name, value := range fields {
			next := *k.Key
			if json.Unmarshal(fmt.Appendf(nil, "{%q:%s}", name, value), &next, rest.Lenient) == nil {
				*k.Key = next
			}
		}
		k.NullExpiry = fields["expireAt"].Kind() == 'n'
		if wrong == nil && json.Unmarshal(object, new(APIKey), rest.Lenient) != nil {
			wrong = errors.New(`a member of "key" has another type than in the API document`)
		}
	}
	if wrong == nil {
		return nil
	}
	k.Incomplete = fmt.Errorf("the response to the creation of the key is not as documented: %w", wrong)
	exists := k.KeySecret != nil || hashed && k.Key != nil && k.Key.ID != nil
	// With a 4xx, no key was created, whatever the body contains.
	if rejected := r.Status >= 400 && r.Status <= 499; rejected || !exists {
		return wrong
	}
	return nil
}

// text returns a string, or a number in its own spelling; nil if value is neither or is
// empty, which is as if the API omitted it.
func text(value jsontext.Value) *string {
	s := string(value)
	if value.Kind() != '0' && json.Unmarshal(value, &s, rest.Lenient) != nil || s == "" {
		return nil
	}
	return &s
}
