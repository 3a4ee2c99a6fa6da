package provider

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/function"
)

// tableMappingKey is the function table_mapping_key.
type tableMappingKey struct{}

func (tableMappingKey) Metadata(_ context.Context, _ function.MetadataRequest, resp *function.MetadataResponse) {
	resp.Name = "table_mapping_key"
}

func (tableMappingKey) Definition(_ context.Context, _ function.DefinitionRequest, resp *function.DefinitionResponse) {
	resp.Definition = function.Definition{
		Summary: "Key of a table mapping",
		MarkdownDescription: "Returns the key of a table mapping in `table_mappings` of a `dataplatform_pipe`: `SCHEMA.TABLE:TARGET`, " +
			"in which a name that contains a dot, a colon or a quotation mark is quoted.",
		Parameters: []function.Parameter{
			function.StringParameter{Name: "schema", MarkdownDescription: "Schema of the source table. Must not be empty."},
			function.StringParameter{Name: "table", MarkdownDescription: "Source table. Must not be empty."},
			function.StringParameter{Name: "target", MarkdownDescription: "Destination table. Must not be empty."},
		},
		Return: function.StringReturn{},
	}
}

func (tableMappingKey) Run(ctx context.Context, req function.RunRequest, resp *function.RunResponse) {
	names := make([]string, len(mappingKey.Members))
	resp.Error = req.Arguments.Get(ctx, &names[0], &names[1], &names[2])
	if empty := slices.Index(names, ""); empty >= 0 && resp.Error == nil {
		resp.Error = function.NewArgumentFuncError(int64(empty), "must not be empty.")
	}
	if resp.Error == nil {
		resp.Error = resp.Result.Set(ctx, mappingKey.Join(names))
	}
}
