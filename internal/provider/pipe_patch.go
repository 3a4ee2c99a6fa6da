package provider

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/platform"
)

// pipePatch sends changes of one pipe.
type pipePatch struct {
	client       *platform.Client
	id           identity
	config, plan tftypes.Value
	// kinds are the kinds of source whose credentials have to be sent, until
	// a PATCH has been accepted.
	kinds []string
}

// only is an object with the leaf at the end of these names and nothing else.
func only(object tftypes.Value, names []string) tftypes.Value {
	return eachMember(object, func(name string, member tftypes.Value) tftypes.Value {
		switch {
		case name != names[0]:
			return tftypes.NewValue(member.Type(), nil)
		case len(names) == 1:
			return member
		default:
			return only(member, names[1:])
		}
	})
}

// patch sends the leaves in one PATCH. After an ambiguous failure the body is
// worked out anew from a fresh read, with the credentials again, which no read
// can confirm.
func (p *pipePatch) patch(ctx context.Context, send, held tftypes.Value) (any, error) {
	body, err := p.body(send, held)
	if err != nil {
		return nil, err
	}
	rework := func(ctx context.Context) (*platform.PipeUpdate, *platform.Pipe, error) {
		now, err := p.client.GetPipe(ctx, p.id.organization, p.id.ids[0], p.id.ids[1])
		if err != nil {
			return nil, nil, fmt.Errorf("reading the pipe after an update whose end is unknown: %w", err)
		}
		told := remember(held, encode(now, held.Type()))
		again, err := p.body(changes(send, told), told)
		if err != nil || emptyUpdate(again) {
			return nil, now, err
		}
		return &again, nil, nil
	}
	maskCredentials(p.client, p.config)
	p.kinds = sentCredentials(body)
	answer, err := p.client.UpdatePipe(ctx, p.id.organization, p.id.ids[0], p.id.ids[1], body, rework)
	if err != nil {
		return nil, err
	}
	p.kinds = nil
	return answer, nil
}

// body is the update that sends these leaves: the source kinds with their
// configured credentials, the table mappings as a difference to those held,
// and validateSamples where the source changes.
func (p *pipePatch) body(send, held tftypes.Value) (platform.PipeUpdate, error) {
	var pipe platform.Pipe
	if err := decode(send, &pipe); err != nil {
		return platform.PipeUpdate{}, fmt.Errorf("reading the plan: %w", err)
	}
	body := platform.PipeUpdate{Name: pipe.Name, FieldMappings: pipe.FieldMappings}
	if anyLeaf(at(send, "settings")) {
		body.Settings = pipe.Settings
	}
	if pipe.Destination != nil && pipe.Destination.Columns != nil {
		body.Destination = &platform.DestinationUpdate{Columns: pipe.Destination.Columns}
	}
	source, err := p.source(pipe.Source, send, held)
	body.Source = source
	return body, err
}

func (p *pipePatch) source(changed *platform.PipeSource, send, held tftypes.Value) (*platform.PipeSourceUpdate, error) {
	if changed == nil {
		changed = &platform.PipeSource{}
	}
	var update platform.PipeSourceUpdate
	for _, kind := range pipeKinds {
		if !p.sends(kind, send) {
			continue
		}
		switch kind {
		case "kafka":
			update.Kafka = &platform.KafkaUpdate{}
			copyOf(&update.Kafka.KafkaSource, changed.Kafka)
		case "object_storage":
			update.ObjectStorage = &platform.ObjectStorageUpdate{}
			copyOf(&update.ObjectStorage.ObjectStorageSource, changed.ObjectStorage)
		case "cloud_stream":
			update.CloudStream = &platform.CloudStreamUpdate{}
			copyOf(&update.CloudStream.CloudStreamSource, changed.CloudStream)
		case "postgres":
			update.Postgres = &platform.PostgresUpdate{}
			copyOf(&update.Postgres.PostgresSource, changed.Postgres)
			if err := setMappings(update.Postgres, send, held); err != nil {
				return nil, err
			}
		}
		setCredentials(&update, kind, p.config, p.plan)
	}
	if update == (platform.PipeSourceUpdate{}) {
		return nil, nil
	}
	update.ValidateSamples = p.validateSamples()
	return &update, nil
}

// sends tells whether a kind of source goes into the body.
func (p *pipePatch) sends(kind string, send tftypes.Value) bool {
	return anyLeaf(at(send, "source", kind)) || slices.Contains(p.kinds, kind)
}

// setMappings replaces the wanted set of table mappings by the difference to
// those held.
func setMappings(update *platform.PostgresUpdate, send, held tftypes.Value) (err error) {
	if !anyLeaf(at(send, "source", "postgres", "settings")) {
		update.Settings = nil
	}
	update.TableMappings = nil
	if wanted := at(send, tableMappingsPath...); !wanted.IsNull() {
		update.TableMappingsToRemove, update.TableMappingsToAdd, err = mappingOrders(at(held, tableMappingsPath...), wanted)
	}
	return err
}

func (p *pipePatch) validateSamples() *bool {
	value := at(p.config, validateSamplesPath...)
	var validate bool
	if value.IsNull() || !value.IsKnown() || value.As(&validate) != nil {
		return nil
	}
	return &validate
}

// copyOf fills in what is sent of a kind of source, if anything is.
func copyOf[T any](into *T, changed *T) {
	if changed != nil {
		*into = *changed
	}
}

// sentCredentials are the kinds of source whose credentials a body carries.
func sentCredentials(body platform.PipeUpdate) []string {
	if body.Source == nil {
		return nil
	}
	var kinds []string
	if s := body.Source.Kafka; s != nil && s.Credentials != nil {
		kinds = append(kinds, "kafka")
	}
	if s := body.Source.ObjectStorage; s != nil && (s.AccessKey != nil || s.ConnectionString != nil) {
		kinds = append(kinds, "object_storage")
	}
	if s := body.Source.CloudStream; s != nil && s.AccessKey != nil {
		kinds = append(kinds, "cloud_stream")
	}
	if s := body.Source.Postgres; s != nil && s.Credentials != nil {
		kinds = append(kinds, "postgres")
	}
	return kinds
}

func emptyUpdate(body platform.PipeUpdate) bool {
	return reflect.ValueOf(body).IsZero()
}
