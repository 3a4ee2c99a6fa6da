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

// Kind is a kind of adopted object. Of its functions, Validate and Stages may be nil.
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
	// Options are settable attributes that are sent with other changes. A change to
	// one alone changes nothing on the platform. They are among those that are NotInJSON;
	// a change to one of the others is sent, and cannot be verified.
	Options []tfvalue.Path
	// Unfinished is added to the error of an update that has removed elements of a keyed
	// set and not added others yet: what that means for the elements.
	Unfinished string

	// Validate checks a configuration, without state or plan.
	Validate func(config tfvalue.Value, diags *diag.Diagnostics)
	// Read reads the JSON of the remote object. Its error satisfies platform.IsNotFound if
	// the object does not exist.
	Read func(ctx context.Context, client *platform.Client, id Identity, read platform.Read) error
	// Patch returns the function that updates the object.
	Patch func(client *platform.Client, id Identity, change Change) Patch
	// Check reports errors of a change, and warns about effects that users may not
	// expect. It describes, in a line each, what the change overwrites and that is not a
	// leaf.
	Check func(Review) (overwritten []string)
	// Stages returns the leaves of each PATCH if one is not enough to change the remote
	// object to send.
	Stages func(send, remote tfvalue.Value) []tfvalue.Value
	// Moves returns the names of the attributes that the platform itself changes with a
	// PATCH of these leaves.
	Moves func(send tfvalue.Value) []string
}

// Change is a change that Terraform requests: configuration, plan and prior state.
// Prior is null in an adoption.
type Change struct{ Config, Plan, Prior tfvalue.Value }

// Review is a change to be checked.
type Review struct {
	Change
	// Label names the object.
	Label string
	// Send are the leaves that the change sends.
	Send tfvalue.Value
	// Remote is the object as far as it is known, null if it could not be read.
	Remote tfvalue.Value
	Diags  *diag.Diagnostics
}

// Patch sends exactly the leaves of send that are not null, and returns the object
// of the response, null if the response has none. remote is what is known of the
// object; reread reads it again.
type Patch func(ctx context.Context, send, remote tfvalue.Value, reread Reread) (tfvalue.Value, error)

// Reread reads the object, and returns it as far as it is known, and the response.
type Reread func(ctx context.Context) (remote, read tfvalue.Value, err error)

// Identity identifies a remote object.
type Identity struct {
	Organization string
	// IDs are in the order of Kind.IDs.
	IDs []string
}

// parts are in the order of Kind.identifiers, "" for one that is not known.
func (id Identity) parts() []string { return append([]string{id.Organization}, id.IDs...) }

func (id Identity) known() bool { return !slices.Contains(id.parts(), "") }

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
	return strings.ToLower(k.Name + "/" + strings.Join(id.parts(), "/"))
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

// owned returns the leaves of a change that the configuration manages.
func (k *Kind) owned(change Change) tfvalue.Value {
	owned := k.Rules.Owned(change.Config, change.Plan, change.Prior)
	for _, path := range k.Options {
		owned = owned.Without(path...)
	}
	for _, name := range k.identifiers() {
		owned = owned.Without(name)
	}
	return owned
}

// verifiable returns the leaves that a response can contain.
func (k *Kind) verifiable(leaves tfvalue.Value) tfvalue.Value {
	for _, path := range k.Rules.NotInJSON {
		leaves = leaves.Without(path...)
	}
	return leaves
}
