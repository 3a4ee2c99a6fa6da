package platform

import (
	"context"
	"errors"
	"net/http"
)

// APIKey is a key as its creation returns it ("API key" in the API document).
// Whether the API returns State, the document leaves open. A field that a
// response omits is nil.
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

// APIKeyCreate is the body of a key's creation ("Create key" in the API
// document). A nil field is not sent.
type APIKeyCreate struct {
	Name string `json:"name" tfsdk:"name"`
	// ExpireAt is RFC 3339; a key without one never expires.
	ExpireAt *string `json:"expireAt,omitzero" tfsdk:"expire_at"`
	// State is "enabled" (the platform's default) or "disabled".
	State    *string   `json:"state,omitzero"    tfsdk:"state"`
	HashData *HashData `json:"hashData,omitzero" tfsdk:"hash_data"`
	// Roles holds at least one of "admin", "developer", "query_endpoints".
	Roles        []string        `json:"roles"                 tfsdk:"roles"`
	IPAccessList []IPAccessEntry `json:"ipAccessList,omitzero" tfsdk:"ip_access_list"`
}

// HashData is sent as it is: the API document shows neither its meaning nor its
// use.
type HashData struct {
	KeyIDHash     *string `json:"keyIdHash,omitzero"     tfsdk:"key_id_hash"`
	KeyIDSuffix   *string `json:"keyIdSuffix,omitzero"   tfsdk:"key_id_suffix"`
	KeySecretHash *string `json:"keySecretHash,omitzero" tfsdk:"key_secret_hash"`
}

// CreatedAPIKey is the result of a key's creation, the only time that the API
// returns KeySecret. KeyID and KeySecret are nil rather than empty.
type CreatedAPIKey struct {
	Key       *APIKey `json:"key,omitzero"`
	KeyID     *string `json:"keyId,omitzero"`
	KeySecret *string `json:"keySecret,omitzero"`
	// NullExpiry reports that the response has a null in the place of expireAt: the
	// key never expires. An omitted member says nothing, and both are a nil
	// ExpireAt.
	NullExpiry bool `json:"-"`
	// RequestID is the platform's ID of the request, if the response was whole
	// and had one.
	RequestID string `json:"-"`
	// Incomplete is what is wrong with a response that the key could be salvaged
	// from; nil if it is whole.
	Incomplete error `json:"-"`
}

// CreateAPIKey creates a key ("Create key" in the API document). From then on,
// errors and logs mask its secret.
//
// A key can neither be read nor deleted, so the POST is retried only if it cannot
// have been carried out, and once sent it runs to its end even if ctx is
// cancelled. If the response is broken but has the key, the key is returned, and
// Incomplete reports what is wrong. After an error that IsAmbiguous, there may be
// a key whose secret nobody knows.
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
