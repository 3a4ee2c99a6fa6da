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

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/provider"
)

// address is where the documentation generator looks for a provider that it
// knows by its short name alone. It is no address of this provider.
const address = "registry.terraform.io/hashicorp/dataplatform"

func main() {
	document, err := schemas(context.Background(), providerserver.NewProtocol6(provider.New("dev")())())
	if err != nil {
		log.Fatal(err)
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(document); err != nil {
		log.Fatal(err)
	}
}

type document struct {
	FormatVersion string                    `json:"format_version"`
	Providers     map[string]providerSchema `json:"provider_schemas"`
}

type providerSchema struct {
	Provider      schema                    `json:"provider"`
	Resources     map[string]schema         `json:"resource_schemas"`
	DataSources   map[string]schema         `json:"data_source_schemas"`
	ListResources map[string]schema         `json:"list_resource_schemas,omitempty"`
	Identities    map[string]identitySchema `json:"resource_identity_schemas"`
}

type schema struct {
	Version int64 `json:"version"`
	Block   block `json:"block"`
}

type block struct {
	Attributes      map[string]attribute `json:"attributes,omitempty"`
	Description     string               `json:"description,omitempty"`
	DescriptionKind string               `json:"description_kind,omitempty"`
	Deprecated      bool                 `json:"deprecated,omitempty"`
}

type attribute struct {
	Type            tftypes.Type `json:"type,omitempty"`
	NestedType      *nestedType  `json:"nested_type,omitempty"`
	Description     string       `json:"description,omitempty"`
	DescriptionKind string       `json:"description_kind,omitempty"`
	Deprecated      bool         `json:"deprecated,omitempty"`
	Required        bool         `json:"required,omitempty"`
	Optional        bool         `json:"optional,omitempty"`
	Computed        bool         `json:"computed,omitempty"`
	Sensitive       bool         `json:"sensitive,omitempty"`
	WriteOnly       bool         `json:"write_only,omitempty"`
}

type nestedType struct {
	Attributes  map[string]attribute `json:"attributes"`
	NestingMode string               `json:"nesting_mode"`
}

type identitySchema struct {
	Version    int64                        `json:"version"`
	Attributes map[string]identityAttribute `json:"attributes"`
}

type identityAttribute struct {
	Type              tftypes.Type `json:"type"`
	Description       string       `json:"description,omitempty"`
	RequiredForImport bool         `json:"required_for_import,omitempty"`
	OptionalForImport bool         `json:"optional_for_import,omitempty"`
}

func schemas(ctx context.Context, server tfprotov6.ProviderServer) (*document, error) {
	answer, err := server.GetProviderSchema(ctx, &tfprotov6.GetProviderSchemaRequest{})
	if err != nil {
		return nil, err
	}
	identities, err := server.GetResourceIdentitySchemas(ctx, &tfprotov6.GetResourceIdentitySchemasRequest{})
	if err != nil {
		return nil, err
	}
	for _, d := range append(answer.Diagnostics, identities.Diagnostics...) {
		if d.Severity == tfprotov6.DiagnosticSeverityError {
			return nil, fmt.Errorf("%s: %s", d.Summary, d.Detail)
		}
	}
	if len(answer.Functions)+len(answer.EphemeralResourceSchemas)+len(answer.ActionSchemas)+len(answer.StateStoreSchemas) > 0 {
		return nil, errors.New("the provider has something that is neither a resource, a data source nor a list resource: print it too")
	}

	out := providerSchema{
		Resources:     map[string]schema{},
		DataSources:   map[string]schema{},
		ListResources: map[string]schema{},
		Identities:    map[string]identitySchema{},
	}
	if out.Provider, err = convertSchema(answer.Provider); err != nil {
		return nil, fmt.Errorf("provider: %w", err)
	}
	for name, s := range answer.ResourceSchemas {
		if out.Resources[name], err = convertSchema(s); err != nil {
			return nil, fmt.Errorf("resource %s: %w", name, err)
		}
	}
	for name, s := range answer.DataSourceSchemas {
		if out.DataSources[name], err = convertSchema(s); err != nil {
			return nil, fmt.Errorf("data source %s: %w", name, err)
		}
	}
	for name, s := range answer.ListResourceSchemas {
		if out.ListResources[name], err = convertSchema(s); err != nil {
			return nil, fmt.Errorf("list resource %s: %w", name, err)
		}
	}
	for name, s := range identities.IdentitySchemas {
		out.Identities[name] = convertIdentity(s)
	}
	return &document{FormatVersion: "1.0", Providers: map[string]providerSchema{address: out}}, nil
}

func convertSchema(s *tfprotov6.Schema) (schema, error) {
	if len(s.Block.BlockTypes) > 0 {
		return schema{}, errors.New("the schema has nested blocks, and only nested attributes are printed")
	}
	return schema{Version: s.Version, Block: block{
		Attributes:      convertAttributes(s.Block.Attributes),
		Description:     s.Block.Description,
		DescriptionKind: descriptionKind(s.Block.DescriptionKind),
		Deprecated:      s.Block.Deprecated,
	}}, nil
}

func convertAttributes(attributes []*tfprotov6.SchemaAttribute) map[string]attribute {
	out := make(map[string]attribute, len(attributes))
	for _, a := range attributes {
		converted := attribute{
			Type:            a.Type,
			Description:     a.Description,
			DescriptionKind: descriptionKind(a.DescriptionKind),
			Deprecated:      a.Deprecated,
			Required:        a.Required,
			Optional:        a.Optional,
			Computed:        a.Computed,
			Sensitive:       a.Sensitive,
			WriteOnly:       a.WriteOnly,
		}
		if a.NestedType != nil {
			converted.Type = nil
			converted.NestedType = &nestedType{
				Attributes:  convertAttributes(a.NestedType.Attributes),
				NestingMode: strings.ToLower(a.NestedType.Nesting.String()),
			}
		}
		out[a.Name] = converted
	}
	return out
}

func convertIdentity(s *tfprotov6.ResourceIdentitySchema) identitySchema {
	out := identitySchema{Version: s.Version, Attributes: make(map[string]identityAttribute, len(s.IdentityAttributes))}
	for _, a := range s.IdentityAttributes {
		out.Attributes[a.Name] = identityAttribute{
			Type:              a.Type,
			Description:       a.Description,
			RequiredForImport: a.RequiredForImport,
			OptionalForImport: a.OptionalForImport,
		}
	}
	return out
}

func descriptionKind(kind tfprotov6.StringKind) string {
	if kind == tfprotov6.StringKindMarkdown {
		return "markdown"
	}
	return "plain"
}
