package provider

import (
	"context"
	"crypto/rand"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/adopt"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/sealing"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// providerName begins the types of what the provider has.
const providerName = "dataplatform"

// dataplatformProvider implements the provider "dataplatform".
type dataplatformProvider struct {
	version    string
	now        func() time.Time
	random     func() float64 // of waits; nil for those of math/rand
	seal       func(secret string, recipients []sealing.Recipient) (string, error)
	connection *conn.Connection
}

func newProvider(version string) *dataplatformProvider {
	return &dataplatformProvider{version: version, now: time.Now, seal: sealing.Seal, connection: conn.Unconfigured()}
}

// Metadata implements provider.Provider.
func (p *dataplatformProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = providerName
	resp.Version = p.version
}

// Schema implements provider.Provider.
func (p *dataplatformProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Use Terraform or OpenTofu to manage Data Platform, a hosted analytical database: scale services, configure ingestion pipes, and create and rotate API keys.",
		Attributes:          providerAttributes(),
	}
}

// ValidateConfig implements provider.ProviderWithValidateConfig. It checks the provider block alone,
// with the environment that allows most. Configure checks the environment, too.
func (p *dataplatformProvider) ValidateConfig(_ context.Context, req provider.ValidateConfigRequest, resp *provider.ValidateConfigResponse) {
	atMost := map[string]string{conn.Environment("allow_http"): "true"}
	readSettings(tfvalue.Of(req.Config.Raw), func(name string) string { return atMost[name] }, &resp.Diagnostics)
}

// Configure implements provider.Provider. It sends no request. Settings are required only where they
// are used. But what can never be meant, no setting at all or half of the credentials, is one error
// here instead of one for every object.
func (p *dataplatformProvider) Configure(_ context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	set := readSettings(tfvalue.Of(req.Config.Raw), os.Getenv, &resp.Diagnostics)
	agent := p.userAgent(req.TerraformVersion)
	if strings.ContainsFunc(agent, unicode.IsControl) {
		resp.Diagnostics.AddError("Invalid environment variable", "TF_APPEND_USER_AGENT must not contain a line break or another control character.")
	}
	unset := set.unset()
	if !resp.Diagnostics.HasError() { // otherwise what is invalid would count as unset
		set.checkComplete(unset, &resp.Diagnostics)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	client, err := platform.New(platform.Config{
		BaseURL:           set.values["base_url"],
		KeyID:             set.values["key_id"],
		KeySecret:         set.values["key_secret"],
		AlertsBaseURL:     set.values["alerts_base_url"],
		AlertsAccessToken: set.values["alerts_access_token"],
		AllowHTTP:         set.allowsHTTP(),
		Sending: platform.Sending{
			RequestTimeout:        parsed(time.ParseDuration, set.values["request_timeout"], platform.DefaultRequestTimeout),
			RetryTimeout:          parsed(time.ParseDuration, set.values["retry_timeout"], platform.DefaultRetryTimeout),
			MaxConcurrentRequests: parsed(strconv.Atoi, set.values["max_concurrent_requests"], platform.DefaultMaxConcurrentRequests),
			UserAgent:             agent,
			Random:                p.random,
			Log:                   tflog.Debug,
		},
	})
	if err != nil {
		resp.Diagnostics.AddError("Cannot configure provider", err.Error())
		return
	}
	p.connection = &conn.Connection{
		Client:         client,
		OrganizationID: set.values["organization_id"],
		Unknown:        set.unknown,
		Unset:          unset,
		Now:            p.now,
		Run:            rand.Text(),
	}
	resp.ResourceData, resp.DataSourceData, resp.ListResourceData, resp.EphemeralResourceData = p.connection, p.connection, p.connection, p.connection
}

// userAgent names Terraform and the provider, and ends with what the user adds with the variable
// that Terraform's own requests use.
func (p *dataplatformProvider) userAgent(terraform string) string {
	agent := "terraform-provider-dataplatform/" + p.version
	if terraform != "" {
		agent = "Terraform/" + terraform + " (+https://www.terraform.io) " + agent
	}
	if more := strings.TrimSpace(os.Getenv("TF_APPEND_USER_AGENT")); more != "" {
		agent += " " + more
	}
	return agent
}

// Resources implements provider.Provider.
func (p *dataplatformProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		adopted(serviceScaling),
		func() resource.Resource { return &apiKeyResource{seal: p.seal} },
		adopted(pipe),
	}
}

func adopted(engine *adopt.Engine) func() resource.Resource {
	return func() resource.Resource { return &adopt.Resource{Kind: engine.Kind} }
}

// DataSources implements provider.Provider.
func (p *dataplatformProvider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{
		newDataSource("service", cannotReadService, serviceDataSourceSchema, readService),
		newDataSource("services", "Cannot list services", servicesDataSourceSchema, readServices),
		newDataSource("pipe", "Cannot read pipe", pipeDataSourceSchema, readPipe),
		newDataSource("alert", "Cannot read alert", alertDataSourceSchema, readAlert),
	}
}

// EphemeralResources implements provider.ProviderWithEphemeralResources.
func (p *dataplatformProvider) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource {
	return []func() ephemeral.EphemeralResource{
		func() ephemeral.EphemeralResource { return &apiKeySecret{} },
	}
}

// ListResources implements provider.ProviderWithListResources.
func (p *dataplatformProvider) ListResources(context.Context) []func() list.ListResource {
	return []func() list.ListResource{newServiceScalingList}
}

// declarationsOf returns what has a configuration, by kind and type.
func declarationsOf(p *dataplatformProvider) map[string]*declaration {
	ctx, all := context.Background(), map[string]*declaration{}
	var own provider.SchemaResponse
	p.Schema(ctx, provider.SchemaRequest{}, &own)
	all["provider"] = declare(tfsdk.Config{Schema: own.Schema})
	all["provider"].whole = func(ctx context.Context, config tfsdk.Config) diag.Diagnostics {
		var resp provider.ValidateConfigResponse
		p.ValidateConfig(ctx, provider.ValidateConfigRequest{Config: config}, &resp)
		return resp.Diagnostics
	}
	for _, construct := range p.Resources(ctx) {
		r, named, described := construct(), resource.MetadataResponse{}, resource.SchemaResponse{}
		r.Metadata(ctx, resource.MetadataRequest{ProviderTypeName: providerName}, &named)
		r.Schema(ctx, resource.SchemaRequest{}, &described)
		d := declare(tfsdk.Config{Schema: described.Schema})
		d.whole = wholeResource(r)
		if engine, adopted := engines[named.TypeName]; adopted {
			d.keys = engine.Rules.Keys
		}
		all["resource "+named.TypeName] = d
	}
	for _, construct := range p.DataSources(ctx) {
		source := construct().(*dataSource)
		all["data "+providerName+"_"+source.name] = declare(tfsdk.Config{Schema: source.schema()})
	}
	for _, construct := range p.EphemeralResources(ctx) {
		r, named, described := construct(), ephemeral.MetadataResponse{}, ephemeral.SchemaResponse{}
		r.Metadata(ctx, ephemeral.MetadataRequest{ProviderTypeName: providerName}, &named)
		r.Schema(ctx, ephemeral.SchemaRequest{}, &described)
		all["ephemeral "+named.TypeName] = declare(tfsdk.Config{Schema: described.Schema})
	}
	var listed list.ListResourceSchemaResponse
	newServiceScalingList().ListResourceConfigSchema(ctx, list.ListResourceSchemaRequest{}, &listed)
	all["list dataplatform_service_scaling"] = declare(tfsdk.Config{Schema: listed.Schema})
	return all
}

// wholeResource returns what a resource checks beside its schema.
func wholeResource(r resource.Resource) func(context.Context, tfsdk.Config) diag.Diagnostics {
	return func(ctx context.Context, config tfsdk.Config) (found diag.Diagnostics) {
		req := resource.ValidateConfigRequest{Config: config}
		if checked, ok := r.(resource.ResourceWithConfigValidators); ok {
			for _, check := range checked.ConfigValidators(ctx) {
				var resp resource.ValidateConfigResponse // of its own, since some replace what they find there
				check.ValidateResource(ctx, req, &resp)
				found = append(found, resp.Diagnostics...)
			}
		}
		if checked, ok := r.(resource.ResourceWithValidateConfig); ok {
			var resp resource.ValidateConfigResponse
			checked.ValidateConfig(ctx, req, &resp)
			found = append(found, resp.Diagnostics...)
		}
		return found
	}
}
