package adopt

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// IsCurrent reports whether a stored state may be returned as it is: it is JSON, and the schema has its version.
// Terraform decodes it by the schema: it drops members that the schema does not have, and those that are missing become
// null, as the framework does. Decoding and encoding each state takes a third of the CPU time of a plan.
func (e *Engine) IsCurrent(req *tfprotov6.UpgradeResourceStateRequest) bool {
	return req.Version == e.Schema.Version && req.RawState != nil && len(req.RawState.JSON) > 0
}

// ValidateConfig checks what no attribute can check alone, and returns the configuration for the
// framework's validation: of table mappings that are equal, it has one, because the framework
// takes longer for an element than Terraform does for all else. Its error is one of decoding or encoding.
func (e *Engine) ValidateConfig(config *tfprotov6.DynamicValue) (rest *tfprotov6.DynamicValue, found []*tfprotov6.Diagnostic, err error) {
	object, err := conn.Decode(config, e.objectType)
	if err != nil {
		return nil, nil, err
	}
	var diags diag.Diagnostics
	conn.WarnEmptyObjects(object, &diags)
	if e.Validate != nil {
		e.Validate(object, &diags)
	}
	if all := e.mappingsOf(object); len(all.Elements()) > 1 {
		config, err = conn.Encode(object.With(all.Distinct(), e.Mappings...))
	}
	return config, conn.ToProtocol(diags), err
}

// ImportResourceState handles the RPC of that name, by ID or by identity; see ReadResource for
// errors. It sends no request: a read follows, which completes the state.
func (e *Engine) ImportResourceState(c *conn.Connection, req *tfprotov6.ImportResourceStateRequest) (*tfprotov6.ImportResourceStateResponse, error) {
	identity, err := conn.Decode(cmp.Or(req.Identity, &tfprotov6.ResourceIdentityData{}).IdentityData, e.identityType)
	if err != nil {
		return nil, err
	}
	var diags diag.Diagnostics
	id, err := e.importedID(c, req.ID, identity, &diags)
	if err != nil {
		diags.AddError(e.CannotImport, err.Error())
	}
	if diags.HasError() {
		return &tfprotov6.ImportResourceStateResponse{Diagnostics: conn.ToProtocol(diags)}, nil
	}
	object, err := e.Imported(id, map[string]any{})
	if err != nil {
		return nil, err
	}
	imported := &tfprotov6.ImportedResource{TypeName: req.TypeName, Private: memory{ImportedIn: c.Run}.encode()}
	imported.State, imported.Identity, err = e.encodeObject(object, object)
	return &tfprotov6.ImportResourceStateResponse{ImportedResources: []*tfprotov6.ImportedResource{imported}}, err
}

// ReadResource handles the RPC of that name. Its error is one of decoding or encoding; all others are diagnostics.
func (e *Engine) ReadResource(ctx context.Context, c *conn.Connection, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	state, err := conn.Decode(req.CurrentState, e.objectType)
	if err != nil {
		return nil, err
	}
	var diags diag.Diagnostics
	last := e.decodePrivate(req.Private, state, &diags)
	next, memory := e.refresh(ctx, c, state, last, &diags)
	if !last.WasRead {
		memory.ImportedIn = last.ImportedIn
	}
	resp := &tfprotov6.ReadResourceResponse{NewState: req.CurrentState, Private: memory.encode(), Diagnostics: conn.ToProtocol(diags)}
	if !next.Equal(state) {
		resp.NewState, err = conn.Encode(next)
	}
	identity, errIdentity := conn.Encode(e.IdentityOf(state))
	resp.NewIdentity = &tfprotov6.ResourceIdentityData{IdentityData: identity}
	return resp, cmp.Or(err, errIdentity)
}

// PlanResourceChange handles the RPC of that name; see ReadResource for errors.
func (e *Engine) PlanResourceChange(
	ctx context.Context, c *conn.Connection, req *tfprotov6.PlanResourceChangeRequest,
) (*tfprotov6.PlanResourceChangeResponse, error) {
	change, err := e.change(req.Config, nil, req.PriorState)
	if err != nil {
		return nil, err
	}
	if isDestroy, err := req.ProposedNewState.IsNull(); err != nil || !isDestroy {
		change.Plan = change.Config // of the proposed state, only whether it is null is used
	}
	var diags diag.Diagnostics
	plan, replaces := e.plan(ctx, c, change, e.decodePrivate(req.PriorPrivate, change.Prior, &diags), &diags)
	resp := &tfprotov6.PlanResourceChangeResponse{
		PlannedState:    req.PriorState,
		PlannedPrivate:  req.PriorPrivate,
		PlannedIdentity: req.PriorIdentity,
		Diagnostics:     conn.ToProtocol(diags),
	}
	for _, name := range replaces {
		resp.RequiresReplace = append(resp.RequiresReplace, tftypes.NewAttributePath().WithAttributeName(name))
	}
	if !plan.Equal(change.Prior) {
		resp.PlannedState, err = conn.Encode(plan)
	}
	return resp, err
}

// ApplyResourceChange handles the RPC of that name; see ReadResource for errors.
func (e *Engine) ApplyResourceChange(
	ctx context.Context, c *conn.Connection, req *tfprotov6.ApplyResourceChangeRequest,
) (*tfprotov6.ApplyResourceChangeResponse, error) {
	change, err := e.change(req.Config, req.PlannedState, req.PriorState)
	if err != nil {
		return nil, err
	}
	var diags diag.Diagnostics
	state, memory := e.apply(ctx, c, change, e.decodePrivate(req.PlannedPrivate, change.Prior, &diags), &diags)
	resp := &tfprotov6.ApplyResourceChangeResponse{Private: memory.encode(), Diagnostics: conn.ToProtocol(diags)}
	resp.NewState, resp.NewIdentity, err = e.encodeObject(state, state)
	return resp, err
}

// GenerateResourceConfig handles the RPC of that name; see ReadResource for errors. It sends nothing.
func (e *Engine) GenerateResourceConfig(c *conn.Connection, req *tfprotov6.GenerateResourceConfigRequest) (*tfprotov6.GenerateResourceConfigResponse, error) {
	state, err := conn.Decode(req.State, e.objectType)
	if err != nil {
		return nil, err
	}
	var keys []string
	for key := range e.mappingsOf(state).Members() {
		if strings.Contains(key, "${") || strings.Contains(key, "%{") || strings.ContainsFunc(key, unicode.IsControl) {
			keys = append(keys, `  - "`+words.Literal(key)+`"`)
		}
	}
	slices.Sort(keys)
	if len(keys) > 0 {
		var diags diag.Diagnostics
		diags.AddError("Cannot generate configuration of "+e.label(state, state), "Terraform writes the keys of a map without escapes: "+
			"it would evaluate a part of these keys of "+e.Mappings.String()+", or could not read them again. Write the resource by hand, with the keys\n\n"+
			strings.Join(keys, "\n"))
		return &tfprotov6.GenerateResourceConfigResponse{Diagnostics: conn.ToProtocol(diags)}, nil
	}
	config, err := conn.Encode(e.generate(state, c.OrganizationID))
	return &tfprotov6.GenerateResourceConfigResponse{Config: config}, err
}

// encodeObject encodes a state, and the identity of an object.
func (e *Engine) encodeObject(state, object tfvalue.Value) (*tfprotov6.DynamicValue, *tfprotov6.ResourceIdentityData, error) {
	written, err := conn.Encode(state)
	identity, errIdentity := conn.Encode(e.IdentityOf(object))
	return written, &tfprotov6.ResourceIdentityData{IdentityData: identity}, cmp.Or(err, errIdentity)
}

// change decodes a change. What a table mapping omits, its configuration has from here on.
func (e *Engine) change(config, plan, prior *tfprotov6.DynamicValue) (Change, error) {
	var parts [3]tfvalue.Value
	var errs [3]error
	for i, part := range []*tfprotov6.DynamicValue{config, plan, prior} {
		parts[i], errs[i] = conn.Decode(part, e.objectType)
	}
	return Change{e.Rules.Fill("", parts[0]), parts[1], parts[2]}, cmp.Or(errs[:]...)
}
