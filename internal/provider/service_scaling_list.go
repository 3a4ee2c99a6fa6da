package provider

import (
	"cmp"
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/adopt"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// serviceScalingList is the list resource dataplatform_service_scaling, for
// `terraform query`.
type serviceScalingList struct{ conn.Resource }

var _ list.ListResourceWithConfigure = (*serviceScalingList)(nil)

func newServiceScalingList() list.ListResource { return &serviceScalingList{} }

// Metadata implements list.ListResource.
func (l *serviceScalingList) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_service_scaling"
}

// ListResourceConfigSchema implements list.ListResource.
func (l *serviceScalingList) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the services of an organization, to import their scaling with `terraform query`. Requires Terraform 1.14 or later; OpenTofu has no `query`.",
		Attributes: map[string]schema.Attribute{
			"organization_id": schema.StringAttribute{
				Optional:            true,
				MarkdownDescription: "UUID of the organization. Defaults to the provider's `organization_id`.",
				Validators:          []validator.String{uuidText},
			},
			"filter": schema.ListAttribute{
				Optional: true, ElementType: types.StringType,
				MarkdownDescription: filterDescription,
				Validators:          []validator.List{nonNull},
			},
		},
	}
}

// List implements list.ListResource.
func (l *serviceScalingList) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	config := tfvalue.Of(req.Config.Raw)
	var diags diag.Diagnostics
	stream.Results = list.NoListResults
	client, organization, ok := l.Management(config.At("organization_id"), &diags)
	if !ok {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	services, err := client.ListServices(ctx, organization.Text(), texts(config.At("filter")))
	if err != nil {
		conn.AddError(&diags, "Cannot list services", err)
		stream.Results = list.ListResultsStreamDiagnostics(diags)
		return
	}
	// The framework doesn't apply the limit.
	if req.Limit > 0 {
		services = services[:min(int64(len(services)), req.Limit)]
	}
	stream.Results = func(push func(list.ListResult) bool) {
		for _, service := range services {
			if !push(listedService(ctx, req, organization.Text(), service)) {
				return
			}
		}
	}
}

func listedService(ctx context.Context, req list.ListRequest, organization string, service platform.Service) list.ListResult {
	result := req.NewListResult(ctx)
	id := adopt.Identity{Organization: organization, IDs: []string{tfvalue.Optional(service.ID).Text()}}
	object := serviceScaling.Imported(id, service)
	result.DisplayName = cmp.Or(platform.CleanText(tfvalue.Optional(service.Name).Text()), platform.CleanText(tfvalue.Optional(service.ID).Text()))
	result.Identity.Raw = serviceScaling.IdentityOf(object).Value
	if req.IncludeResource {
		result.Resource.Raw = object.Value
	}
	return result
}
