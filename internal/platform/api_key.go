package platform

import (
	"context"
	"errors"
	"net/http"
)

// APIKey is a key as its creation returns it ("API key" in the API document). The
// document does not show whether the API returns State. A field that a response
// omits is nil.
type APIKey struct {
	ID           *string         `json:"id,omitzero"           tfsdk:"id"`
	Name         *string         `json:"name,omitzero"         tfsdk:"name"`
	Roles        []string        `json:"roles,omitzero"        tfsdk:"roles"`
	State        *string         `json:"state,omitzero"        tfsdk:"state"`
	KeySuffix    *string         `json:"keySuffix,omitzero"    tfsdk:"key_suffix"`
	CreatedAt    *string         `json:"createdAt,omitzero"    tfsdk:"created_at"`
	ExpireAt     *string         `json:"expireAt,omitzero"     tfsdk:"expire_at"`
	UsedAt       *string         `json:"usedAt,omitzero"       tfsdk:"used_at"`
	IPAccessList []IPAccessEntry `json:"ipAccessList,omitzero" tfsdk:"ip_access_list"`
}

// APIKeyCreate is the body of the creation of a key ("Create key" in the API
// document). A nil field is not sent.
type APIKeyCreate struct {
	Name string `json:"name" tfsdk:"name"`
	// ExpireAt is RFC 3339. A key without an expiry never expires.
	ExpireAt *string `json:"expireAt,omitzero" tfsdk:"expire_at"`
	// State is "enabled" or "disabled". The API defaults to "enabled".
	State    *string   `json:"state,omitzero"    tfsdk:"state"`
	HashData *HashData `json:"hashData,omitzero" tfsdk:"hash_data"`
	// Roles needs at least one of "admin", "developer", "query_endpoints".
	Roles        []string        `json:"roles"                 tfsdk:"roles"`
	IPAccessList []IPAccessEntry `json:"ipAccessList,omitzero" tfsdk:"ip_access_list"`
}

// HashData is sent as it is. The API document does not show its meaning or use.
type HashData struct {
	KeyIDHash     *string `json:"keyIdHash,omitzero"     tfsdk:"key_id_hash"`
	KeyIDSuffix   *string `json:"keyIdSuffix,omitzero"   tfsdk:"key_id_suffix"`
	KeySecretHash *string `json:"keySecretHash,omitzero" tfsdk:"key_secret_hash"`
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
	// Incomplete is what is wrong with a broken response that the key was salvaged
	// from; nil if the response was complete.
	Incomplete error `json:"-"`
}

// CreateAPIKey creates a key ("Create key" in the API document). From then on,
// errors and logs mask its secret.
//
// The API can neither read nor delete a key. So the POST is retried only if it
// cannot have been carried out, and once sent it runs to its end even if ctx is
// cancelled. If the response is broken but contains the key, the key is returned,
// and Incomplete is what is wrong. After an error that IsAmbiguous, a key may
// exist whose secret is lost.
func (c *Client) CreateAPIKey(ctx context.Context, organizationID string, body APIKeyCreate) (*CreatedAPIKey, error) {
	var created CreatedAPIKey
	err := c.do(ctx, &request{
		operation:       "create API key",
		subject:         "API key in organization " + organizationID,
		api:             c.management,
		method:          http.MethodPost,
		ids:             []id{{"organization ID", organizationID}},
		path:            []string{"v1", "organizations", organizationID, "keys"},
		body:            body,
		collection:      true,
		nonIdempotent:   true,
		uninterruptible: true,
		accept:          created.accept,
		findSecrets:     c.addSecretsIn,
		salvage: func(failed *Error, raw []byte) bool {
			c.addSecretsIn(raw)
			return created.salvage(failed, raw, body.HashData != nil)
		},
	})
	if err != nil {
		return nil, err
	}
	if created.KeySecret != nil {
		c.AddSecret(*created.KeySecret)
	}
	if created.Incomplete != nil {
		created.Incomplete = errors.New(c.Mask(created.Incomplete.Error()))
	}
	return &created, nil
}
