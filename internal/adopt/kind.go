// Package adopt is the life of an object that is on the platform before and
// after Terraform manages it: it can be read and patched, but neither created
// nor deleted. Read, plan and apply are answered straight from the protocol's
// values; the framework keeps schemas, validation, upgrades and imports.
//
// Every rule here is about leaves and not about what they mean. A Kind says
// what is special about one.
package adopt

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// Kind is a kind of adopted object. Read, Patch, Moves and Advise are required,
// the other functions optional.
type Kind struct {
	// Name is the resource's name without the provider's, "service_scaling".
	Name string
	// Noun is the kind in sentences, "service".
	Noun string
	// IDs are the attributes that identify the object within its organization,
	// the owner first.
	IDs    []string
	Schema schema.Schema
	Rules  tfvalue.Rules
	// Unmanaged are the settable attributes that the platform doesn't hold,
	// beside those that identify the object.
	Unmanaged []tfvalue.Path

	// Validate checks a configuration by itself.
	Validate func(config tfvalue.Value, diags *diag.Diagnostics)
	// Read returns the remote object, as a struct with tfsdk tags.
	Read func(ctx context.Context, client *platform.Client, id Identity) (any, error)
	// Reread returns a second opinion on what Read returned, where another Read
	// doesn't.
	Reread func(ctx context.Context, client *platform.Client, id Identity, first any) (any, error)
	// Patch returns what updates the object.
	Patch func(client *platform.Client, id Identity, change Change) Patch
	// Forces reports whether there is something to send beside leaves that
	// differ.
	Forces func(change Change) bool
	// Stages are the leaves of each PATCH that is needed to get from the remote
	// object to these leaves, where one is not enough.
	Stages func(send, remote tfvalue.Value) []tfvalue.Value
	// Moves names the attributes that the platform changes by itself with a
	// PATCH of these leaves.
	Moves func(send tfvalue.Value) []string
	// Complete fills in what a plan takes from the remote object.
	Complete func(config, plan, remote tfvalue.Value) tfvalue.Value
	// Suppress keeps prior values where a plan differs from them in nothing that
	// matters. A plan at rest sends nothing.
	Suppress func(plan, prior tfvalue.Value, atRest bool) tfvalue.Value
	// Check reports what is wrong with a change, given the remote object, null
	// where it could not be read.
	Check func(label string, change Change, remote tfvalue.Value, diags *diag.Diagnostics)
	// Overwrites describes, a line each, what a change that sends these leaves
	// overwrites beside leaves.
	Overwrites func(change Change, send tfvalue.Value) []string
	// Advise warns, in the plan, of what a user may not expect of it.
	Advise func(label string, change Change, send, remote tfvalue.Value, diags *diag.Diagnostics)
}

// Change is what Terraform asks for: what is configured, what is planned, and
// the state before, null in an adoption.
type Change struct{ Config, Plan, Prior tfvalue.Value }

// Patch sends exactly the leaves of send that are not null, and returns the
// object of the response. remote is what is known of the object at that time;
// observe finds it out again.
type Patch func(ctx context.Context, send, remote tfvalue.Value, observe Observe) (tfvalue.Value, error)

// Observe reads the object, and returns what is known of it then, and what the
// response said.
type Observe func(ctx context.Context) (known, read tfvalue.Value, err error)

// Identity identifies a remote object.
type Identity struct {
	Organization string
	// IDs are in the order of Kind.IDs.
	IDs []string
}

// known reports whether every part of the identity is known.
func (id Identity) known() bool {
	return id.Organization != "" && !slices.Contains(id.IDs, "")
}

func (k *Kind) identity(object tfvalue.Value) Identity {
	id := Identity{Organization: object.At("organization_id").Text()}
	for _, name := range k.IDs {
		id.IDs = append(id.IDs, object.At(name).Text())
	}
	return id
}

// identifiers are all attributes that identify the object.
func (k *Kind) identifiers() []string { return append([]string{"organization_id"}, k.IDs...) }

// label names an object in the summary of a warning by its ID, and by its name
// where the platform has told it: Terraform folds warnings that share a summary.
func (k *Kind) label(object, remote tfvalue.Value) string {
	id := object.At(k.IDs[len(k.IDs)-1]).Text()
	if name := remote.At("name").Text(); name != "" {
		return fmt.Sprintf("%s %q (%s)", k.Noun, name, id)
	}
	return k.Noun + " " + id
}

// key is the same for two resources over one object.
func (k *Kind) key(id Identity) string {
	return strings.ToLower(k.Name + "/" + id.Organization + "/" + strings.Join(id.IDs, "/"))
}

// place says where an object is looked for.
func (k *Kind) place(id Identity) string {
	var parts []string
	for i, name := range slices.Backward(k.IDs) {
		parts = append(parts, strings.TrimSuffix(name, "_id")+" "+id.IDs[i])
	}
	return strings.Join(append(parts, "organization "+id.Organization), " in ")
}

// withDefaults has a function for each that the kind does without.
func (k Kind) withDefaults() *Kind {
	if k.Validate == nil {
		k.Validate = func(tfvalue.Value, *diag.Diagnostics) {}
	}
	if k.Forces == nil {
		k.Forces = func(Change) bool { return false }
	}
	if k.Stages == nil {
		k.Stages = func(send, _ tfvalue.Value) []tfvalue.Value { return []tfvalue.Value{send} }
	}
	if k.Complete == nil {
		k.Complete = func(_, plan, _ tfvalue.Value) tfvalue.Value { return plan }
	}
	if k.Suppress == nil {
		k.Suppress = func(plan, _ tfvalue.Value, _ bool) tfvalue.Value { return plan }
	}
	if k.Check == nil {
		k.Check = func(string, Change, tfvalue.Value, *diag.Diagnostics) {}
	}
	if k.Overwrites == nil {
		k.Overwrites = func(Change, tfvalue.Value) []string { return nil }
	}
	if k.Reread == nil {
		k.Reread = func(ctx context.Context, client *platform.Client, id Identity, _ any) (any, error) {
			return k.Read(ctx, client, id)
		}
	}
	return &k
}

// owned is what the user owns of the remote object.
func (k *Kind) owned(config, plan tfvalue.Value) tfvalue.Value {
	owned := k.Rules.Owned(config, plan)
	for _, path := range k.Unmanaged {
		owned = owned.Without(path...)
	}
	for _, name := range k.identifiers() {
		owned = owned.Without(name)
	}
	return owned
}
