package provider

import (
	"context"

	"fmt"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

func serviceDataSourceSchema() schema.Schema {
	attributes := serviceAttributes()
	attributes["organization_id"] = organizationID("service", ".")
	attributes["id"] = settable.string("UUID of the service. Exactly one of `id` and `name` must be set.",
		uuidText, stringvalidator.ExactlyOneOf(path.MatchRoot("id"), path.MatchRoot("name")))
	attributes["name"] = settable.string("Name of the service, case-sensitive. No other service may have it.")
	attributes["encryption_key"] = secret.string("Encryption key of the service. May be a secret, and is stored in the state.")
	return schema.Schema{
		MarkdownDescription: "Reads one database service, by ID or by name.",
		Attributes:          attributes,
	}
}

const cannotReadService = "Cannot read service"

func readService(ctx context.Context, q *query) error {
	id := q.config.At("id")
	if id.IsNull() {
		return readNamedService(ctx, q)
	}
	err := q.client.GetFreshService(ctx, q.organization, id.Text(), tfvalue.Rules{}.Into(&q.result))
	if !platform.IsNotFound(err) {
		return err
	}
	q.diags.AddAttributeError(path.Root("id"), cannotReadService,
		fmt.Sprintf("There is no service %s in organization %s: %s Check id and organization_id.", id.Text(), q.organization, platform.Absence(err)))
	return nil
}

// readNamedService reads the one service that has the configured name. Messages do not repeat the
// name, because free text in a configuration may be a secret.
func readNamedService(ctx context.Context, q *query) error {
	var ids []string
	err := q.client.FindServices(ctx, q.organization, q.config.At("name").Text(), func(decoded any) error {
		err := tfvalue.Rules{}.Into(&q.result)(decoded)
		ids = append(ids, q.client.Clean(q.result.At("id").Text(), words.MaxID))
		return err
	})
	switch {
	case err != nil:
		return err
	case len(ids) == 0:
		q.diags.AddAttributeError(path.Root("name"), cannotReadService,
			fmt.Sprintf("No service of organization %s has the name %q: two consecutive lists omit it. Names are case-sensitive. Check name and organization_id.", q.organization, q.config.At("name").Text()))
	case len(ids) > 1:
		q.diags.AddAttributeError(path.Root("name"), cannotReadService,
			fmt.Sprintf("%d services of organization %s have the name %q: %s. Set id instead of name.", len(ids), q.organization, q.config.At("name").Text(), strings.Join(ids, ", ")))
	}
	return nil
}
