package provider

import (
	"context"
	"errors"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/sealing"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// apiKeySecret is the ephemeral resource dataplatform_api_key_secret, which sends no request. Its errors are those of
// the whole block: Terraform prints the source of the attribute that an error names, and the identity may be written
// there. Rejected: a function. With an identity that nothing marks as sensitive, a plan would print the secret.
type apiKeySecret struct{ *conn.Connection }

func (e *apiKeySecret) Metadata(_ context.Context, req ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_api_key_secret"
}

func (e *apiKeySecret) Schema(_ context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Decrypts the secret of an API key with `secret_recipients`, without storing it. Sends no request.",
		Attributes: map[string]schema.Attribute{
			"encrypted_key_secret": required.string("`encrypted_key_secret` of a `dataplatform_api_key`."),
			"identity": access{required: true, sensitive: true}.string("Private key of one of the recipients: " +
				"age identities (`AGE-SECRET-KEY-1…`), one per line, and SSH private keys without a passphrase. Each is tried."),
			"key_secret": computedSecret.string("Secret to authenticate with."),
		},
	}
}

func (e *apiKeySecret) Open(_ context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	config := tfvalue.Of(req.Config.Raw)
	checkOpen(config, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	text := config.At("identity").Text()
	for line := range strings.Lines(text) {
		e.Client.AddSecret(strings.TrimSpace(line))
	}
	identity, err := sealing.ParseIdentity(text)
	if err != nil {
		resp.Diagnostics.AddError(cannotDecrypt, "identity "+err.Error()+".")
		return
	}
	secret, err := sealing.Open(config.At("encrypted_key_secret").Text(), identity)
	switch {
	case errors.Is(err, sealing.ErrNotRecipient):
		resp.Diagnostics.AddError(cannotDecrypt,
			"identity is of none of the recipients that encrypted_key_secret is encrypted to. Set the private key of one of them, without a passphrase. "+
				"If all are lost, replace the key: nothing else can decrypt its secret.")
	case err != nil:
		resp.Diagnostics.AddError(cannotDecrypt, "encrypted_key_secret is not complete, or not encrypted with age. "+
			"Set it to the attribute of that name of a dataplatform_api_key.")
	default:
		e.Client.AddSecret(secret)
		resp.Result.Raw = config.With(tfvalue.String(secret), "key_secret").Value
	}
}

const cannotDecrypt = "Cannot decrypt API key secret"

// checkOpen reports an argument that is not set, as in a pipeline that lacks the identity. A result of
// null would be possible, but some resources would store it as the secret.
func checkOpen(config tfvalue.Value, diags *diag.Diagnostics) {
	unset := func(name string) bool {
		value := config.At(name)
		return value.IsKnown() && strings.TrimSpace(value.Text()) == ""
	}
	if unset("encrypted_key_secret") {
		diags.AddError(cannotDecrypt, "encrypted_key_secret must be set. It is null for a key without secret_recipients.")
	}
	if unset("identity") {
		diags.AddError(cannotDecrypt, "identity must be set in every run in which encrypted_key_secret is known, plans included. "+
			"To run without it, omit this block: set its count from a variable that is not ephemeral.")
	}
}

// ValidateEphemeralResourceConfig reports a required argument that is not set with what to do about it.
func (s server) ValidateEphemeralResourceConfig(
	ctx context.Context, req *tfprotov6.ValidateEphemeralResourceConfigRequest,
) (*tfprotov6.ValidateEphemeralResourceConfigResponse, error) {
	var diags diag.Diagnostics
	if config, err := req.Config.Unmarshal(s.schemas().EphemeralResourceSchemas[req.TypeName].ValueType()); err == nil {
		checkOpen(tfvalue.Of(config), &diags)
	}
	if diags.HasError() {
		return &tfprotov6.ValidateEphemeralResourceConfigResponse{Diagnostics: conn.ToProtocol(diags)}, nil
	}
	return s.frameworkServer.ValidateEphemeralResourceConfig(ctx, req)
}
