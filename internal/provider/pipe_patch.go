package provider

import (
	"context"
	"fmt"
	"reflect"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/adopt"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
)

// pipePatch sends changes of one pipe.
type pipePatch struct {
	client *platform.Client
	id     adopt.Identity
	change adopt.Change
	// pending are the kinds of source whose credentials were in a PATCH with unknown
	// outcome, which no read can confirm.
	pending []string
}

func patchPipe(client *platform.Client, id adopt.Identity, change adopt.Change) adopt.Patch {
	p := &pipePatch{client: client, id: id, change: change}
	return p.send
}

// send sends the leaves in one PATCH. After an ambiguous failure it builds the
// body again from a fresh read.
func (p *pipePatch) send(ctx context.Context, send, remote tfvalue.Value, reread adopt.Reread) (tfvalue.Value, error) {
	none := tfvalue.Null(remote.Type())
	maskCredentials(p.client, p.change.Config)
	body, err := p.body(send, remote)
	if err != nil {
		return none, err
	}
	settled := none // the object, if a read shows that nothing is left to be sent
	rework := func(ctx context.Context) (*platform.PipeUpdate, error) {
		remote, read, err := reread(ctx)
		if err != nil {
			return nil, err
		}
		again, err := p.body(pipeRules.Changes(send, remote), remote)
		if err != nil {
			return nil, err
		}
		if reflect.ValueOf(again).IsZero() {
			settled = read
			return nil, nil
		}
		return &again, nil
	}
	response := none
	err = p.client.UpdatePipe(ctx, p.id.Organization, p.id.IDs[0], p.id.IDs[1], body, rework, pipeRules.Into(&response))
	if err != nil {
		return none, err
	}
	p.pending = nil
	if response.IsNull() {
		return settled, nil
	}
	return response, nil
}

// body is the update that sends these leaves: the kinds of source with their
// configured credentials, the table mappings as the difference to the remote
// ones, and validateSamples if the source changes. The kinds whose credentials
// it contains are pending then.
func (p *pipePatch) body(send, remote tfvalue.Value) (platform.PipeUpdate, error) {
	var body platform.PipeUpdate
	if err := pipeRules.Decode(send.Prune(), &body); err != nil {
		return body, fmt.Errorf("reading the plan: %w", err)
	}
	source := allocated(&body.Source)
	if source.Postgres != nil {
		if err := setMappings(source.Postgres, p.change, send.At(tableMappingsPath...), remote.At(tableMappingsPath...)); err != nil {
			return body, err
		}
		if reflect.ValueOf(*source.Postgres).IsZero() {
			source.Postgres, send = nil, send.Without("source", "postgres") // no mapping differs
		}
	}
	p.pending = setCredentials(source, p.change, send, p.pending)
	if *source == (platform.PipeSourceUpdate{}) {
		body.Source = nil
		return body, nil
	}
	if validate := p.change.Config.At(validateSamplesPath...); !validate.IsNull() && validate.IsKnown() {
		source.ValidateSamples = new(validate.True())
	}
	return body, nil
}
