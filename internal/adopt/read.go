package adopt

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/conn"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

// refresh reads the object of a state. It returns null if the object no longer
// exists, and the same state after an error.
func (e *Engine) refresh(ctx context.Context, c *conn.Connection, state tfvalue.Value, last memory, diags *diag.Diagnostics) (tfvalue.Value, memory) {
	isImport := last.ImportedIn != "" && !last.WasRead
	if !isImport && c.SkipsRefresh(diags) {
		return state, last
	}
	client, ok := c.Ready(conn.ManagementSettings, diags)
	if !ok {
		return state, last
	}
	id := e.identity(state)
	if !e.checkIDs(state, diags) {
		return state, last
	}
	now := e.startObserving(client, id, last, state)
	switch err := now.readTwice(ctx, now.takeRead); {
	case platform.AsError(err).NotFound && isImport:
		diags.AddError(e.CannotImport, fmt.Sprintf("There is no %s: %s Check the IDs, or create the %s in the platform's console first.",
			e.fullName(id), platform.Absence(err), e.Noun))
		return state, last
	case platform.AsError(err).NotFound:
		c.Gone.Add(e.inRun(id))
		diags.AddWarning(fmt.Sprintf("The %s no longer exists", e.label(state, state)),
			fmt.Sprintf("Terraform treats it as deleted, because in organization %s %s "+
				"If it should exist, check organization_id and base_url before you apply. Otherwise remove it from the configuration.",
				id.Organization, platform.Absence(err)))
		return tfvalue.Null(e.objectType), memory{}
	case err != nil:
		diags.AddError(e.CannotRead, conn.Detail(err))
		return state, last
	}
	if e.Refreshed != nil {
		e.Refreshed(e.label(state, now.remote), state, now.remote, diags)
	}
	return now.remote, now.remembered()
}

// checkIDs reports the IDs of a state that are none, because it was edited: they would go into requests and messages.
func (e *Engine) checkIDs(state tfvalue.Value, diags *diag.Diagnostics) bool {
	bad := slices.DeleteFunc(e.identifiers(), func(name string) bool { return state.IsNull() || words.IsUUID(state.At(name).Text()) })
	if len(bad) > 0 {
		diags.AddError(e.CannotRead, words.Are(bad)+" no UUID in the state of this resource, which was probably edited. "+
			"Restore the state from a backup, or remove the resource from it (terraform state rm) and import it again.")
	}
	return len(bad) == 0
}

// readToChange reads the object of a change, which has no state yet in an adoption. A change that
// manages table mappings, and does not clear them, can only be decided once a read has returned them.
func (e *Engine) readToChange(ctx context.Context, c *conn.Connection, change Change, last memory, diags *diag.Diagnostics) (now observed, ok bool) {
	client, ok := c.Ready(conn.ManagementSettings, diags)
	if !ok {
		return now, false
	}
	if e.AddSecrets != nil {
		e.AddSecrets(client, change.Config)
	}
	now = e.startObserving(client, e.identity(change.Plan), last, change.Prior)
	needsMappings := !e.mappingsOf(e.owned(change)).IsEmpty()
	err := now.readTwice(ctx, func(object tfvalue.Value) bool {
		return now.takeRead(object) || needsMappings && e.mappingsOf(object).IsNull()
	})
	if err != nil {
		e.addAdoptError(diags, now.id, err)
	}
	return now, err == nil
}

// observed is what responses have shown of an object: each adds to it.
type observed struct {
	*Engine
	client *platform.Client
	id     Identity
	memory memory // of earlier reads

	// remote is the object as far as it is known, and returned what responses have returned of it since the last PATCH.
	remote, returned tfvalue.Value
	// readAt is when the last read returned the object, and mappedAt when the last one said which table mappings there are: zero if
	// none has since the last PATCH.
	readAt, mappedAt time.Time
	// untold says why the last response does not say which table mappings there are; nil if it does.
	untold error
	// omitted are the paths of what the last response omits, although it was known.
	omitted []string
}

// startObserving returns what is known of an object before it is read.
func (e *Engine) startObserving(client *platform.Client, id Identity, last memory, state tfvalue.Value) observed {
	return observed{Engine: e, client: client, id: id, memory: last, remote: state, returned: tfvalue.Null(e.objectType)}
}

// readTwice reads the object, and once more if the first response leaves a doubt.
func (o *observed) readTwice(ctx context.Context, take func(object tfvalue.Value) (isDoubtful bool)) error {
	for range 2 {
		object := tfvalue.Null(o.objectType)
		if err := o.Read(ctx, o.client, o.id, o.Rules.Into(&object)); err != nil {
			return err
		}
		if !take(object) {
			return nil
		}
	}
	return nil
}

// takeRead takes over a response of a read, and reports whether it is doubtful: it may omit a leaf that
// was returned before, or the name of a mapping, once.
func (o *observed) takeRead(object tfvalue.Value) (isDoubtful bool) {
	return o.merge(object, o.mappingsOf(o.remote), tfvalue.Null(o.objectType), true) || len(o.key().Unnamed(o.mappingsOf(object))) > 0
}

// merge takes over a response, and reports whether it omits something for the first time: what two in a row omit is
// empty on the platform, unless it is pending. A member of no mapping in the response is as in knownMappings. If there mayBeNone, a
// response that omits the mappings says so.
func (o *observed) merge(object, knownMappings, pending tfvalue.Value, mayBeNone bool) (isDoubtful bool) {
	if set := o.mappingsOf(object); !set.IsNull() {
		object = object.With(o.key().Complete(set, knownMappings), o.Mappings...)
	}
	for _, name := range o.identifiers() { // null in an adoption, whose plan has them
		object = object.With(o.remote.At(name), name)
	}
	isUnreturned := func(at tfvalue.Path) bool { return o.isUnreturned(o.memory, at) || !pending.At(at...).IsEmpty() }
	remote, omitted := o.Rules.Interpret(o.remote, isUnreturned, object)
	last := o.omitted
	if o.omitted, o.untold = nil, nil; o.Mappings != nil {
		o.untold = o.unknownIn(object, mayBeNone)
	}
	for _, leaf := range omitted {
		what := leaf.Path.String()
		if !object.At(leaf.Path...).IsNull() {
			what += "[...]" // a member of a mapping
		}
		if o.omitted = append(o.omitted, what); !slices.Contains(last, what) {
			remote, isDoubtful = remote.With(leaf.Value, leaf.Path...), true
			if o.isMappings(leaf.Path) {
				o.untold = cmp.Or(o.untold, fmt.Errorf("the API did not return all of %s", o.Mappings))
			}
		}
	}
	o.remote, o.returned = o.Rules.Fill("", remote), o.Rules.Fill("", object).Merge(o.returned)
	if o.readAt = time.Now(); o.untold == nil {
		o.mappedAt = o.readAt
	}
	return isDoubtful
}
