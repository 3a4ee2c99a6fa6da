package provider

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/adopt"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// pipePatch sends changes of one pipe.
type pipePatch struct {
	client *platform.Client
	id     adopt.Identity
	change adopt.Change
	// pending are the kinds of source whose credentials have to be sent. It is nil
	// once a PATCH was accepted.
	pending []string
}

func patchPipe(client *platform.Client, id adopt.Identity, change adopt.Change) adopt.Patch {
	p := &pipePatch{client: client, id: id, change: change, pending: renewedKinds(change)}
	return p.send
}

// send sends the leaves in one PATCH. After an ambiguous failure it builds the
// body again from a fresh read, with the credentials, which no read can confirm.
func (p *pipePatch) send(ctx context.Context, send, remote tfvalue.Value, observe adopt.Observe) (tfvalue.Value, error) {
	maskCredentials(p.client, p.change.Config)
	body, err := p.body(send, remote)
	if err != nil {
		return remote, err
	}
	var read tfvalue.Value
	var settled bool
	rework := func(ctx context.Context) (*platform.PipeUpdate, error) {
		var known tfvalue.Value
		var err error
		if known, read, err = observe(ctx); err != nil {
			return nil, fmt.Errorf("reading the pipe after an update with unknown outcome: %w", err)
		}
		again, err := p.body(pipeRules.Changes(send, known), known)
		if err != nil || reflect.ValueOf(again).IsZero() {
			settled = err == nil
			return nil, err
		}
		return &again, nil
	}
	response, err := p.client.UpdatePipe(ctx, p.id.Organization, p.id.IDs[0], p.id.IDs[1], body, rework)
	if err != nil {
		return remote, err
	}
	p.pending = nil
	if settled { // nothing was left to be sent
		return read, nil
	}
	if response == nil {
		return remote, errors.New("the API returned no pipe after the update. The change was probably applied")
	}
	return tfvalue.Encode(response, remote.Type()), nil
}

// body is the update that sends these leaves: the kinds of source with their
// configured credentials, the table mappings as the difference to the remote
// ones, and validateSamples if the source changes. The kinds whose credentials
// it contains stay pending.
func (p *pipePatch) body(send, remote tfvalue.Value) (platform.PipeUpdate, error) {
	var body platform.PipeUpdate
	if err := send.Prune().Decode(&body); err != nil {
		return body, fmt.Errorf("reading the plan: %w", err)
	}
	source := allocated(&body.Source)
	if source.Postgres != nil {
		if err := setMappings(source.Postgres, send.At(tableMappingsPath...), remote.At(tableMappingsPath...), p.change.Plan.At(tableMappingsPath...)); err != nil {
			return body, err
		}
		if reflect.ValueOf(*source.Postgres).IsZero() {
			source.Postgres = nil // no mapping differs
		}
	}
	kinds := slices.Clone(p.pending)
	for _, kind := range sourceKinds {
		sends := send.At("source", kind).AnyLeaf()
		if kind == "postgres" {
			sends = source.Postgres != nil // mappings may not differ
		}
		if sends {
			kinds = append(kinds, kind)
		}
	}
	p.pending = setCredentials(source, kinds, p.change)
	if *source == (platform.PipeSourceUpdate{}) {
		body.Source = nil
		return body, nil
	}
	if validate := p.change.Config.At(validateSamplesPath...); !validate.IsNull() && validate.IsKnown() {
		source.ValidateSamples = new(validate.True())
	}
	return body, nil
}
