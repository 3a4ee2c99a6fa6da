package provider

import (
	"cmp"
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/list"
	"github.com/hashicorp/terraform-plugin-framework/list/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/adopt"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// serviceScalingList is the list resource dataplatform_service_scaling, for `terraform query`.
type serviceScalingList struct{ *conn.Connection }

func (l *serviceScalingList) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_service_scaling"
}

func (l *serviceScalingList) ListResourceConfigSchema(_ context.Context, _ list.ListResourceSchemaRequest, resp *list.ListResourceSchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Lists the services of an organization, to import their scaling with `terraform query`. " +
			"Requires Terraform 1.14 or later; OpenTofu has no `query`.",
		Attributes: map[string]schema.Attribute{
			"organization_id": optional.string("UUID of the organization. Defaults to the provider's `organization_id`.", uuidText),
			"filter":          filterAttribute(),
		},
	}
}

func (l *serviceScalingList) List(ctx context.Context, req list.ListRequest, stream *list.ListResultsStream) {
	config := tfvalue.Of(req.Config.Raw)
	var diags diag.Diagnostics
	var results []list.ListResult
	if client, organization, ok := l.Management(config.At("organization_id"), &diags); ok {
		err := client.ListServices(ctx, organization.Text(), texts(config.At("filter")), func(decoded any) error {
			if req.Limit > 0 && int64(len(results)) == req.Limit {
				return nil // the framework doesn't apply the limit
			}
			result, err := listedService(ctx, req, organization.Text(), decoded)
			results = append(results, result)
			return err
		})
		if err != nil {
			diags.AddError(cannotListServices, conn.Detail(err))
		}
	}
	stream.Results = slices.Values(results)
	if diags.HasError() {
		stream.Results = list.ListResultsStreamDiagnostics(diags)
	}
}

func listedService(ctx context.Context, req list.ListRequest, organization string, decoded any) (list.ListResult, error) {
	result := req.NewListResult(ctx)
	service, err := tfvalue.Rules{}.FromJSON(decoded, listedType)
	if err != nil {
		return result, err
	}
	object, err := serviceScaling.Imported(adopt.Identity{Organization: organization, IDs: []string{service.At("id").Text()}}, decoded)
	if err != nil {
		return result, err
	}
	result.DisplayName = cmp.Or(words.Clean(service.At("name").Text(), words.MaxID), words.Clean(service.At("id").Text(), words.MaxID))
	result.Identity.Raw = serviceScaling.IdentityOf(object).Value
	if req.IncludeResource {
		result.Resource.Raw = object.Value
	}
	return result, nil
}
