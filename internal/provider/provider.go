package provider

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/ephemeral"
	"github.com/hashicorp/terraform-plugin-framework/function"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/sealing"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// providerName begins the types of what the provider has.
const providerName = "dataplatform"

type dataplatformProvider struct {
	version    string
	random     func() float64 // of waits; nil for those of math/rand
	seal       func(secret string, recipients []sealing.Recipient) (string, error)
	connection *conn.Connection
}

func newProvider(version string) *dataplatformProvider {
	return &dataplatformProvider{version: version, seal: sealing.Seal, connection: conn.Unconfigured()}
}

func (p *dataplatformProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = providerName
	resp.Version = p.version
}

func (p *dataplatformProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Use Terraform or OpenTofu to manage Data Platform, a hosted analytical database: " +
			"scale services, configure ingestion pipes, and create and rotate API keys.",
		Attributes: providerAttributes(),
	}
}

// ValidateConfig checks the provider block alone, with the environment that allows most. Configure
// checks the environment, too.
func (p *dataplatformProvider) ValidateConfig(_ context.Context, req provider.ValidateConfigRequest, resp *provider.ValidateConfigResponse) {
	atMost := map[string]string{conn.Environment("allow_http"): "true"}
	readSettings(tfvalue.Of(req.Config.Raw), func(name string) string { return atMost[name] }, &resp.Diagnostics)
}

// Configure sends no request. Settings are required only where they are used. But what can never be
// meant, no setting at all or half of the credentials, is one error here instead of one for every
// object.
func (p *dataplatformProvider) Configure(_ context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	set := readSettings(tfvalue.Of(req.Config.Raw), os.Getenv, &resp.Diagnostics)
	if !resp.Diagnostics.HasError() { // otherwise what is invalid would count as unset
		set.checkComplete(&resp.Diagnostics)
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
			// With what the user adds with the variable that Terraform's own requests use.
			UserAgent: strings.TrimSpace(fmt.Sprintf("Terraform/%s (+https://www.terraform.io) terraform-provider-dataplatform/%s %s",
				req.TerraformVersion, p.version, strings.TrimSpace(os.Getenv("TF_APPEND_USER_AGENT")))),
			Random: p.random,
			Log:    tflog.Debug,
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
		Unset:          set.unset(),
		Run:            rand.Text(),
	}
}

// The framework calls the functions that these methods return for each request. So what they construct
// has the connection of the last configuration, and needs no Configure of its own.

func (p *dataplatformProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		func() resource.Resource { return &adoptedResource{kind: serviceScaling.Kind} },
		func() resource.Resource { return &apiKeyResource{p.connection, p.seal} },
		func() resource.Resource { return &adoptedResource{kind: pipe.Kind} },
	}
}

func (p *dataplatformProvider) DataSources(context.Context) []func() datasource.DataSource {
	return []func() datasource.DataSource{
		p.dataSource(dataSource{name: "service", failure: cannotReadService, schema: serviceDataSourceSchema, read: readService}),
		p.dataSource(dataSource{name: "services", failure: cannotListServices, schema: servicesDataSourceSchema, read: readServices}),
		p.dataSource(dataSource{name: "pipe", failure: "Cannot read pipe", schema: pipeDataSourceSchema, read: readPipe}),
		p.dataSource(dataSource{name: "alert", failure: "Cannot read alert", schema: alertDataSourceSchema, read: readAlert}),
	}
}

func (p *dataplatformProvider) EphemeralResources(context.Context) []func() ephemeral.EphemeralResource {
	return []func() ephemeral.EphemeralResource{
		func() ephemeral.EphemeralResource { return &apiKeySecret{p.connection} },
	}
}

func (p *dataplatformProvider) ListResources(context.Context) []func() list.ListResource {
	return []func() list.ListResource{
		func() list.ListResource { return &serviceScalingList{p.connection} },
	}
}

func (p *dataplatformProvider) Functions(context.Context) []func() function.Function {
	return []func() function.Function{func() function.Function { return tableMappingKey{} }}
}
