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
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// Kind is a kind of adopted object. Of its functions, Validate, AddSecrets, Refreshed and Companions may be nil.
type Kind struct {
	// Name is the type name of the resource without the provider, such as "service_scaling".
	Name string
	// Noun is the kind in messages, such as "service". The others are summaries of errors, whole, so that a search for one
	// finds it: "Cannot read service".
	Noun, CannotRead, CannotUpdate, CannotImport, NoSuch string
	// IDs are the attributes that identify the object within its organization. The object's own ID is the last.
	IDs    []string
	Schema schema.Schema
	Rules  tfvalue.Rules
	// Options are attributes that go along with other changes: a change to one alone changes nothing on the platform.
	// No response has them, so that each is NotInJSON, too.
	Options []tfvalue.Path
	// Mappings is the path of the table mappings, nil if the kind has none. A PATCH changes them by
	// removing and adding some. Each has ExcludedColumns.
	Mappings tfvalue.Path

	// Validate checks a configuration, without state or plan.
	Validate func(config tfvalue.Value, diags *diag.Diagnostics)
	// Read reads the JSON of the remote object. Its error is a platform.Error that is
	// NotFound if the object does not exist.
	Read func(ctx context.Context, client *platform.Client, id Identity, read platform.Read) error
	// Refreshed warns about what a refresh finds that is more than drift. label names the object.
	Refreshed func(label string, state, found tfvalue.Value, diags *diag.Diagnostics)
	// AddSecrets keeps the secrets of a configuration out of errors and logs, from the first request on: a
	// response to a read may repeat them, too.
	AddSecrets func(client *platform.Client, config tfvalue.Value)
	// Begin begins an update of the remote object.
	Begin func(ctx context.Context, client *platform.Client, id Identity) (context.Context, Call)
	// Body returns the body of a PATCH, and whether it has credentials.
	Body func(change Change, content Content) (body map[string]any, hasCredentials bool)
	// Check reports errors of a change and warns about effects that users may not expect. It
	// returns a line for each thing that the change overwrites although it is not a leaf.
	Check func(Review) (overwritten []string)
	// AlsoChanges returns the names of the attributes that the platform itself changes with a PATCH of these leaves.
	AlsoChanges func(send tfvalue.Value) []string
	// Companions returns the leaves without which the platform does not accept a PATCH of these: it
	// carries those that are managed, as the last read has them.
	Companions func(send tfvalue.Value) []tfvalue.Path
}

// Change is a change that Terraform requests. Prior is null in an adoption. Plan is Terraform's proposal
// while the plan is made.
type Change struct{ Config, Plan, Prior tfvalue.Value }

// Content is what is sent of an object.
type Content struct {
	// Leaves are the leaves to be changed. The mappings are not among them.
	Leaves tfvalue.Value
	// Edit is the change to the mappings.
	Edit tfvalue.Edit
	// Carried are leaves that are sent beside as the platform has them.
	Carried tfvalue.Value
}

// All are all leaves that are sent.
func (c Content) All() tfvalue.Value { return c.Leaves.Merge(c.Carried) }

// IsEmpty reports whether there is nothing to be sent.
func (c Content) IsEmpty() bool { return c.Edit.IsEmpty() && !c.Leaves.AnyLeaf() }

// Call is an update under way: a platform.Update.
type Call interface {
	Send(ctx context.Context, patch platform.Patch, read platform.Read) (again bool, err error)
	End()
}

// Identity identifies a remote object.
type Identity struct {
	Organization string
	// IDs are in the order of Kind.IDs.
	IDs []string
}

// values are in the order of Kind.identifiers, "" for one that is not known.
func (id Identity) values() []string { return append([]string{id.Organization}, id.IDs...) }

func (id Identity) isKnown() bool { return !slices.Contains(id.values(), "") }

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
	id := words.Clean(object.At(k.IDs[len(k.IDs)-1]).Text(), words.MaxID)
	if name := remote.At("name").Text(); name != "" {
		return fmt.Sprintf("%s %q (%s)", k.Noun, words.Clean(name, words.MaxID), id)
	}
	return k.Noun + " " + id
}

// inRun is the key of an object in Connection.Gone.
func (k *Kind) inRun(id Identity) string { return strings.Join(append(id.values(), k.Name), "/") }

// fullName names an object by all of its IDs: "pipe … of service … in organization …".
func (k *Kind) fullName(id Identity) string {
	var parts []string
	for i, name := range slices.Backward(k.IDs) {
		parts = append(parts, strings.TrimSuffix(name, "_id")+" "+id.IDs[i])
	}
	return strings.Join(parts, " of ") + " in organization " + id.Organization
}

// owned returns the leaves of a change that the configuration manages.
func (k *Kind) owned(change Change) tfvalue.Value {
	owned := k.Rules.Owned(change.Config, change.Plan, change.Prior).WithoutAll(k.Options)
	for _, name := range k.identifiers() {
		owned = owned.Without(name)
	}
	return owned
}

func (k *Kind) isMappings(at tfvalue.Path) bool { return slices.Equal(at, k.Mappings) }

// key is that of the mappings, the zero Key for a kind without them.
func (k *Kind) key() tfvalue.Key { return k.Rules.Keys[k.Mappings.Name()] }

// mappingsOf are the table mappings of an object, null for a kind without them.
func (k *Kind) mappingsOf(object tfvalue.Value) tfvalue.Value {
	if k.Mappings == nil {
		return tfvalue.Value{}
	}
	return object.At(k.Mappings...)
}
