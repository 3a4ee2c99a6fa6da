// A stand-in for the AWS provider in the tests of guides and examples: a Secrets Manager in the
// directory SECRETS_DIRECTORY, one file for each secret. As with the real one, a version is replaced
// by the next. It is stricter in one point: a version that is destroyed while it is the current one is
// gone, as in other stores, so that a missing create_before_destroy shows.
package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	es "github.com/hashicorp/terraform-plugin-framework/ephemeral/schema"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/int64planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

func main() {
	if err := providerserver.Serve(context.Background(), func() provider.Provider { return &aws{} },
		providerserver.ServeOpts{Address: "registry.terraform.io/hashicorp/aws", ProtocolVersion: 6}); err != nil {
		panic(err)
	}
}

type aws struct{}

func (*aws) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "aws"
}
func (*aws) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse)          {}
func (*aws) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {}
func (*aws) DataSources(context.Context) []func() datasource.DataSource                        { return nil }
func (*aws) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return &secret{} }, func() resource.Resource { return &version{} }}
}

func (*aws) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource {
	return []func() ephemeral.EphemeralResource{func() ephemeral.EphemeralResource { return &current{} }}
}

// file is that of a secret. A directory in its place makes every access fail.
func file(id string) string {
	return filepath.Join(os.Getenv("SECRETS_DIRECTORY"), strings.ReplaceAll(id, "/", "-"))
}

// stored is the content of a file.
type stored struct {
	Version int64  `json:"version"`
	Content string `json:"content"`
}

func read(id string) (s stored, err error) {
	content, err := os.ReadFile(file(id))
	if err == nil {
		err = json.Unmarshal(content, &s)
	}
	return s, err
}

func report(diags *diag.Diagnostics, err error) {
	if err != nil {
		diags.AddError("Secrets Manager", err.Error())
	}
}

// unchanged is the part of a resource that does nothing.
type unchanged struct{}

func (unchanged) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}
func (unchanged) Update(_ context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.State.Raw = req.Plan.Raw
}

type secret struct{ unchanged }

type secretModel struct {
	ID   types.String `tfsdk:"id"`
	Name types.String `tfsdk:"name"`
}

func (*secret) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "aws_secretsmanager_secret"
}

func (*secret) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	replace := []planmodifier.String{stringplanmodifier.RequiresReplace()}
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"id":   schema.StringAttribute{Computed: true, PlanModifiers: []planmodifier.String{stringplanmodifier.UseStateForUnknown()}},
		"name": schema.StringAttribute{Required: true, PlanModifiers: replace},
	}}
}

func (*secret) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var m secretModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &m)...)
	m.ID = types.StringValue("arn:" + m.Name.ValueString())
	resp.Diagnostics.Append(resp.State.Set(ctx, m)...)
}
func (*secret) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

type version struct{ unchanged }

type versionModel struct {
	SecretID types.String `tfsdk:"secret_id"`
	Secret   types.String `tfsdk:"secret_string_wo"`
	Version  types.Int64  `tfsdk:"secret_string_wo_version"`
}

func (*version) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "aws_secretsmanager_secret_version"
}

func (*version) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{Attributes: map[string]schema.Attribute{
		"secret_id":                schema.StringAttribute{Required: true, PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()}},
		"secret_string_wo":         schema.StringAttribute{Required: true, Sensitive: true, WriteOnly: true},
		"secret_string_wo_version": schema.Int64Attribute{Required: true, PlanModifiers: []planmodifier.Int64{int64planmodifier.RequiresReplace()}},
	}}
}

func (*version) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	var m versionModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	content, err := json.Marshal(stored{m.Version.ValueInt64(), m.Secret.ValueString()})
	if err == nil {
		err = os.WriteFile(file(m.SecretID.ValueString()), content, 0o600)
	}
	report(&resp.Diagnostics, err)
	if err == nil {
		resp.State.Raw = req.Plan.Raw
	}
}

func (*version) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var m versionModel
	resp.Diagnostics.Append(req.State.Get(ctx, &m)...)
	s, err := read(m.SecretID.ValueString())
	if err == nil && s.Version == m.Version.ValueInt64() {
		err = os.Remove(file(m.SecretID.ValueString()))
	}
	report(&resp.Diagnostics, err)
}

// current is the current version of a secret, for write-only arguments.
type current struct{}

type currentModel struct {
	SecretID types.String `tfsdk:"secret_id"`
	Secret   types.String `tfsdk:"secret_string"`
}

func (*current) Metadata(_ context.Context, _ ephemeral.MetadataRequest, resp *ephemeral.MetadataResponse) {
	resp.TypeName = "aws_secretsmanager_secret_version"
}

func (*current) Schema(_ context.Context, _ ephemeral.SchemaRequest, resp *ephemeral.SchemaResponse) {
	resp.Schema = es.Schema{Attributes: map[string]es.Attribute{
		"secret_id":     es.StringAttribute{Required: true},
		"secret_string": es.StringAttribute{Computed: true, Sensitive: true},
	}}
}

func (*current) Open(ctx context.Context, req ephemeral.OpenRequest, resp *ephemeral.OpenResponse) {
	var m currentModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &m)...)
	s, err := read(m.SecretID.ValueString())
	report(&resp.Diagnostics, err)
	m.Secret = types.StringValue(s.Content)
	resp.Diagnostics.Append(resp.Result.Set(ctx, m)...)
}
