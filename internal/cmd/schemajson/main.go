// Command schemajson prints the provider's schema in the form of `terraform
// providers schema -json`, for the documentation generator.
//
// It asks the provider in this tree and starts no Terraform: documentation can
// be generated where none is installed, and always has the identity schemas,
// which Terraform prints from 1.12 on only.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/provider"
)

// address is where the documentation generator looks for a provider that it
// knows by its short name alone. It is no address of this provider.
const address = "registry.terraform.io/hashicorp/dataplatform"

func main() {
	printed, err := schemas(context.Background(), provider.NewServer("dev", nil)())
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(object{"format_version": "1.0", "provider_schemas": object{address: printed}})
	}
	if err != nil {
		log.Fatal(err)
	}
}

type object map[string]any

func schemas(ctx context.Context, server tfprotov6.ProviderServer) (object, error) {
	all, err := server.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return nil, err
	}
	identities, err := server.GetResourceIdentitySchemas(ctx, &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		return nil, err
	}
	for _, d := range append(all.Diagnostics, identities.Diagnostics...) {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			return nil, fmt.Errorf("%s: %s", d.Summary, d.Detail)
		}
	}
	if len(all.ActionSchemas)+len(all.StateStoreSchemas) > 0 {
		return nil, errors.New("the provider has something that is no function, resource, data source, ephemeral or list resource: print it too")
	}
	return object{
		"provider":                   schema(all.Provider),
		"resource_schemas":           each(all.ResourceSchemas, schema),
		"data_source_schemas":        each(all.DataSourceSchemas, schema),
		"ephemeral_resource_schemas": each(all.EphemeralResourceSchemas, schema),
		"list_resource_schemas":      each(all.ListResourceSchemas, schema),
		"resource_identity_schemas":  each(identities.IdentitySchemas, identity),
		"functions":                  each(all.Functions, function),
	}, nil
}

func each[T any](all map[string]T, convert func(T) object) object {
	out := object{}
	for name, one := range all {
		out[name] = convert(one)
	}
	return out
}

// schema has no nested blocks: this provider's have none.
func schema(s *tfprotov6.Schema) object {
	return object{"version": s.Version, "block": object{
		"attributes": attributes(s.Block.Attributes), "description": s.Block.Description,
		"description_kind": kind(s.Block.DescriptionKind), "deprecated": s.Block.Deprecated,
	}}
}

func attributes(all []*tfprotov6.SchemaAttribute) object {
	out := object{}
	for _, a := range all {
		one := object{
			"description": a.Description, "description_kind": kind(a.DescriptionKind), "deprecated": a.Deprecated,
			"required": a.Required, "optional": a.Optional, "computed": a.Computed, "sensitive": a.Sensitive, "write_only": a.WriteOnly,
		}
		if a.NestedType == nil {
			one["type"] = a.Type
		} else {
			mode := strings.ToLower(a.NestedType.Nesting.String())
			one["nested_type"] = object{"attributes": attributes(a.NestedType.Attributes), "nesting_mode": mode}
		}
		out[a.Name] = one
	}
	return out
}

func identity(s *tfprotov6.ResourceIdentitySchema) object {
	out := object{}
	for _, a := range s.IdentityAttributes {
		out[a.Name] = object{
			"type": a.Type, "description": a.Description,
			"required_for_import": a.RequiredForImport, "optional_for_import": a.OptionalForImport,
		}
	}
	return object{"version": s.Version, "attributes": out}
}

// function has no variadic parameter, and none that may be null: this provider's have none.
func function(f *tfprotov6.Function) object {
	parameters := []object{}
	for _, p := range f.Parameters {
		parameters = append(parameters, object{"name": p.Name, "description": p.Description, "type": p.Type})
	}
	return object{"summary": f.Summary, "description": f.Description, "return_type": f.Return.Type, "parameters": parameters}
}

func kind(kind tfprotov6.StringKind) string {
	if kind == tfprotov6.StringKindMarkdown {
		return "markdown"
	}
	return "plain"
}
