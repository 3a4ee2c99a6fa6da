package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	fields "github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// dataSource is a data source. Its fields are all in which it differs from the others.
type dataSource struct {
	*conn.Connection
	name    string
	failure string // summary of an error of read
	schema  func() fields.Schema
	read    func(context.Context, *query) error
}

// dataSource returns the constructor of one, given all but the connection.
func (p *dataplatformProvider) dataSource(d dataSource) func() datasource.DataSource {
	return func() datasource.DataSource {
		d.Connection = p.connection
		return &d
	}
}

type query struct {
	client       *platform.Client
	organization string // "" for the alerting API
	config       tfvalue.Value
	// result is what was read. What the configuration sets may be null in it.
	result tfvalue.Value
	diags  *diag.Diagnostics
}

// dataRules are those of a data source. A list that the API returns as null is empty, since a for expression fails
// over null. One that it omits is null, because the response does not say what is in it.
func dataRules(rules tfvalue.Rules) tfvalue.Rules {
	rules.NullIsEmpty = true
	return rules
}

// take reads an object that needs no rules of its own.
func (q *query) take(decoded any) error { return q.takeBy(tfvalue.Rules{}, decoded) }

func (q *query) takeBy(rules tfvalue.Rules, decoded any) (err error) {
	q.result, err = dataRules(rules).FromJSON(decoded, q.config.Type())
	return err
}

func (d *dataSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + d.name
}

func (d *dataSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	declared := d.schema()
	resp.Schema = schema.Schema{MarkdownDescription: declared.MarkdownDescription, Attributes: map[string]schema.Attribute{}}
	for name, attribute := range declared.Attributes {
		resp.Schema.Attributes[name] = attribute
	}
}

func (d *dataSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	q := &query{config: tfvalue.Of(req.Config.Raw), diags: &resp.Diagnostics}
	if _, managed := q.config.Type().(tftypes.Object).AttributeTypes["organization_id"]; managed {
		client, organization, ok := d.Management(q.config.At("organization_id"), q.diags)
		if !ok {
			return
		}
		q.client, q.organization, q.config = client, organization.Text(), q.config.With(organization, "organization_id")
	} else if q.client, _ = d.Ready(conn.AlertingSettings, q.diags); q.diags.HasError() {
		return
	}
	if err := d.read(ctx, q); err != nil {
		q.diags.AddError(d.failure, conn.Detail(err))
	}
	if !q.diags.HasError() {
		resp.State.Raw = q.config.Merge(q.result).Value
	}
}
