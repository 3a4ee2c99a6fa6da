// Package adopt manages objects that exist before and after Terraform manages them:
// they can be read and updated, but neither created nor deleted. Engine handles
// read, plan and apply on the values of the protocol. The framework handles schemas,
// validation, upgrades and imports.
//
// The rules here apply to leaves, whatever they mean. A Kind has what is special
// about a kind of object.
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

// Kind is a kind of adopted object. Of its functions, Read, Patch, Moves and Advise
// are required.
type Kind struct {
	// Name is the type name of the resource without the provider, such as
	// "service_scaling".
	Name string
	// Noun is the kind in messages, such as "service".
	Noun string
	// IDs are the attributes that identify the object within its organization. The
	// object's own ID is the last.
	IDs    []string
	Schema schema.Schema
	Rules  tfvalue.Rules
	// Unmanaged are the settable attributes that the platform does not store. The
	// attributes that identify the object need not be listed.
	Unmanaged []tfvalue.Path

	// Validate checks a configuration, without state or plan.
	Validate func(config tfvalue.Value, diags *diag.Diagnostics)
	// Read returns the remote object, as a struct with tfsdk tags. Its error satisfies
	// platform.IsNotFound if the object does not exist.
	Read func(ctx context.Context, client *platform.Client, id Identity) (any, error)
	// Reread reads the object once more after Read returned first. It is for kinds whose
	// Read may return the same response again.
	Reread func(ctx context.Context, client *platform.Client, id Identity, first any) (any, error)
	// ReadsOne reports that Read costs a request for this object alone, so an update may
	// read the object only to learn which leaves reads return.
	ReadsOne bool
	// Patch returns the function that updates the object.
	Patch func(client *platform.Client, id Identity, change Change) Patch
	// Forces reports whether a change has something to send even if no leaf differs.
	Forces func(change Change) bool
	// Stages returns the leaves of each PATCH if one is not enough to change the remote
	// object to send.
	Stages func(send, remote tfvalue.Value) []tfvalue.Value
	// Moves returns the names of the attributes that the platform itself changes with a
	// PATCH of these leaves.
	Moves func(send tfvalue.Value) []string
	// Complete returns the plan with the values that it takes from the remote object.
	Complete func(config, plan, remote tfvalue.Value) tfvalue.Value
	// Suppress returns the plan with prior values where the difference has no effect.
	// atRest reports that the plan sends nothing.
	Suppress func(plan, prior tfvalue.Value, atRest bool) tfvalue.Value
	// Check reports errors of a change. remote is null if it could not be read.
	Check func(label string, change Change, remote tfvalue.Value, diags *diag.Diagnostics)
	// Overwrites describes, in a line each, what a change that sends these leaves
	// overwrites and that is not a leaf.
	Overwrites func(change Change, send tfvalue.Value) []string
	// Unfinished is added to the error of an update that has removed elements of a keyed
	// set and not added others yet: what that means for the elements.
	Unfinished string
	// Advise adds warnings about effects of a plan that users may not expect.
	Advise func(label string, change Change, send, remote tfvalue.Value, diags *diag.Diagnostics)
}

// Change is a change that Terraform requests: configuration, plan and prior state.
// Prior is null in an adoption.
type Change struct{ Config, Plan, Prior tfvalue.Value }

// Patch sends exactly the leaves of send that are not null, and returns the object
// of the response. remote is what is known of the object; observe reads it again.
type Patch func(ctx context.Context, send, remote tfvalue.Value, observe Observe) (tfvalue.Value, error)

// Observe reads the object, and returns what is known of it then, and the response.
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

// identifiers are all attributes that identify the object, the organization first.
func (k *Kind) identifiers() []string { return append([]string{"organization_id"}, k.IDs...) }

// label names an object in the summary of a warning, by its name if it is known and
// by its ID: Terraform folds warnings that share a summary.
func (k *Kind) label(object, remote tfvalue.Value) string {
	id := object.At(k.IDs[len(k.IDs)-1]).Text()
	if name := remote.At("name").Text(); name != "" {
		return fmt.Sprintf("%s %q (%s)", k.Noun, name, id)
	}
	return k.Noun + " " + id
}

// key is equal for two resources over one object.
func (k *Kind) key(id Identity) string {
	return strings.ToLower(k.Name + "/" + id.Organization + "/" + strings.Join(id.IDs, "/"))
}

// place names an object and where it was looked up, such as "pipe … of service … in
// organization …".
func (k *Kind) place(id Identity) string {
	var parts []string
	for i, name := range slices.Backward(k.IDs) {
		parts = append(parts, strings.TrimSuffix(name, "_id")+" "+id.IDs[i])
	}
	return strings.Join(parts, " of ") + " in organization " + id.Organization
}

// describe is what an attribute has on the platform, for a message. mask masks the
// secrets that the client knows, since a platform may repeat one in any field. Only the
// value is masked: a secret may be a word of the message.
func (k *Kind) describe(mask func(string) string, name string, value tfvalue.Value) string {
	return mask(k.Rules.Describe(name, value))
}

// withDefaults returns the kind with functions in place of those that are nil.
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

// owned returns the leaves of the remote object that the configuration manages.
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
