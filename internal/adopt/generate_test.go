package adopt

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
)

// generatedSchema has an attribute of each sort that a generated configuration distinguishes.
var generatedSchema = schema.Schema{Attributes: map[string]schema.Attribute{
	"organization_id": text(),
	"lamp_id":         schema.StringAttribute{Required: true},
	"name":            text(),
	"size":            number(),
	"on":              schema.BoolAttribute{Optional: true, Computed: true},
	"tags":            texts(),
	"old":             schema.NumberAttribute{Optional: true, Computed: true, DeprecationMessage: "use size"},
	"state":           schema.StringAttribute{Computed: true},
	"wires": schema.ListNestedAttribute{Optional: true, Computed: true, NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
		"color": schema.StringAttribute{Required: true},
		"gauge": number(),
	}}},
	"shape": object(map[string]schema.Attribute{
		"round": object(map[string]schema.Attribute{"radius": number(), "volume": schema.NumberAttribute{Computed: true}}),
		"bulb":  schema.SingleNestedAttribute{Computed: true, Attributes: map[string]schema.Attribute{"watts": number()}},
	}),
	"secret": schema.SingleNestedAttribute{Optional: true, Attributes: map[string]schema.Attribute{"user": onlyText(), "key": schema.StringAttribute{Optional: true, WriteOnly: true}}},
}}

// TestGeneratedConfigurationOfAnObject has what a person would write for an object.
func TestGeneratedConfigurationOfAnObject(t *testing.T) {
	const ours = "1000000a-0000-4000-8000-000000000001" // the provider's organization
	e := New(Kind{Name: "lamp", Noun: "lamp", IDs: []string{"lamp_id"}, Schema: generatedSchema})
	typ := generatedSchema.Type().TerraformType(context.Background())
	for name, row := range map[string]struct{ state, want m }{
		"values, false and 0 among them": {
			m{"name": "desk", "size": 0, "on": false, "shape": m{"round": m{"radius": 4}}},
			m{"name": "desk", "size": 0, "on": false, "shape": m{"round": m{"radius": 4}}},
		},
		"nothing for what is empty":       {m{"name": "", "tags": []any{}, "wires": []any{}}, m{}},
		"nothing for what cannot be set":  {m{"state": "on", "shape": m{"round": m{"radius": 4, "volume": 9}, "bulb": m{"watts": 5}}}, m{"shape": m{"round": m{"radius": 4}}}},
		"no object without an argument":   {m{"shape": m{"round": m{"volume": 9}}, "secret": m{}}, m{}},
		"nothing deprecated":              {m{"old": 24, "size": 3}, m{"size": 3}},
		"nothing write-only":              {m{"secret": m{"user": "u", "key": "k"}}, m{"secret": m{"user": "u"}}},
		"elements whole":                  {m{"wires": []any{m{"color": "", "gauge": 0}, m{"color": "red"}}}, m{"wires": []any{m{"color": "", "gauge": 0}, m{"color": "red"}}}},
		"no list that validation rejects": {m{"wires": []any{m{"color": "red"}, m{"gauge": 2}}, "name": "desk"}, m{"name": "desk"}},
		"no list with a null element":     {m{"tags": []any{"a", nil}}, m{}},
		"another organization":            {m{"organization_id": organization}, m{"organization_id": organization}},
		"the provider's organization":     {m{"organization_id": ours}, m{}},
		"the provider's, in capitals":     {m{"organization_id": strings.ToUpper(ours)}, m{}},
	} {
		t.Run(name, func(t *testing.T) {
			defer survive(t)
			row.state["lamp_id"], row.want["lamp_id"] = firstLamp, firstLamp
			got := e.generate(value(row.state, typ), ours)
			if want := value(row.want, typ); !got.Equal(want) {
				t.Error(cmp.Diff(want.Value, got.Value, cmp.Comparer(tftypes.Type.Equal)))
			}
		})
	}
	if got := e.generate(value(nil, typ), ours); !got.IsNull() {
		t.Errorf("of no object: %v", got)
	}
}
