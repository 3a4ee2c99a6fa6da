package provider

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"weak"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/mockplatform"
)

// comparing asks the framework too for whatever takes a short way, and
// complains of any difference.
type comparing struct {
	server
	*compared
	// framework counts what the server asks of it.
	framework *counting
}

// counting is the framework's server with a count of the calls that the short
// ways are to spare it.
type counting struct {
	tfprotov6.ProviderServer
	calls atomic.Int64
}

func (c *counting) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	c.calls.Add(1)
	return c.ProviderServer.ReadResource(ctx, req)
}

func (c *counting) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	c.calls.Add(1)
	return c.ProviderServer.PlanResourceChange(ctx, req)
}

// newComparing compares one call at a time, so that the count is of one call.
func newComparing(seen *compared) comparing {
	s := serverOf(newProvider("test"))
	framework := &counting{ProviderServer: s.ProviderServer}
	s.ProviderServer = framework
	return comparing{s, seen, framework}
}

// compared is what the servers of one test, which Terraform starts and stops,
// have in common.
type compared struct {
	t  *testing.T
	mu sync.Mutex
	// reads and plans are those that were compared, by resource.
	reads, plans map[string]int
	// last are the last reads, by resource.
	last map[string]*tfprotov6.ReadResourceRequest
}

func (c comparing) ReadResource(ctx context.Context, req *tfprotov6.ReadResourceRequest) (*tfprotov6.ReadResourceResponse, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.framework.calls.Load()
	short, err := c.server.ReadResource(ctx, req)
	resourceType, ok := adoptedResources()[req.TypeName]
	if err != nil || !ok || c.framework.calls.Load() > before {
		return short, err
	}
	long, err := c.ProviderServer.ReadResource(ctx, req)
	if err != nil {
		return nil, err
	}
	c.reads[req.TypeName]++
	c.last[req.TypeName] = req
	c.same(req.TypeName+" read", resourceType.stateType, short.NewState, long.NewState)
	c.same(req.TypeName+" identity", resourceType.identityType, short.NewIdentity.IdentityData, long.NewIdentity.IdentityData)
	if !reflect.DeepEqual(short.Private, long.Private) {
		c.t.Errorf("%s: private state is %s, the framework's %s", req.TypeName, short.Private, long.Private)
	}
	if len(short.Diagnostics) != len(long.Diagnostics) {
		c.t.Errorf("%s: %d diagnostics, of the framework %d", req.TypeName, len(short.Diagnostics), len(long.Diagnostics))
		return short, nil
	}
	for i, d := range short.Diagnostics {
		if o := long.Diagnostics[i]; d.Severity != o.Severity || d.Summary != o.Summary || requestIDs.ReplaceAllString(d.Detail, "") != requestIDs.ReplaceAllString(o.Detail, "") || o.Attribute != nil {
			c.t.Errorf("%s: says %v, the framework %v", req.TypeName, d, o)
		}
	}
	return short, nil
}

func (c comparing) PlanResourceChange(ctx context.Context, req *tfprotov6.PlanResourceChangeRequest) (*tfprotov6.PlanResourceChangeResponse, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before := c.framework.calls.Load()
	short, err := c.server.PlanResourceChange(ctx, req)
	resourceType, ok := adoptedResources()[req.TypeName]
	if err != nil || !ok || c.framework.calls.Load() > before {
		return short, err
	}
	long, err := c.ProviderServer.PlanResourceChange(ctx, req)
	if err != nil {
		return nil, err
	}
	c.plans[req.TypeName]++
	c.same(req.TypeName+" plan", resourceType.stateType, short.PlannedState, long.PlannedState)
	if short.PlannedIdentity != nil {
		c.same(req.TypeName+" planned identity", resourceType.identityType, short.PlannedIdentity.IdentityData, long.PlannedIdentity.IdentityData)
	} else if req.PriorIdentity != nil {
		c.t.Errorf("%s: the plan has no identity", req.TypeName)
	}
	if len(long.Diagnostics)+len(long.RequiresReplace) > 0 || !reflect.DeepEqual(short.PlannedPrivate, long.PlannedPrivate) {
		c.t.Errorf("%s: the framework's plan says more: %v %v %s", req.TypeName, long.Diagnostics, long.RequiresReplace, long.PlannedPrivate)
	}
	return short, nil
}

func (c *compared) same(what string, typ tftypes.Type, short, long *tfprotov6.DynamicValue) {
	a, errA := short.Unmarshal(typ)
	b, errB := long.Unmarshal(typ)
	if errA != nil || errB != nil {
		c.t.Errorf("%s: %v, %v", what, errA, errB)
		return
	}
	if diff, err := a.Diff(b); err != nil || len(diff) > 0 {
		c.t.Errorf("%s differs from the framework's: %v %v", what, diff, err)
	}
}

// forget leaves some of what it declared out.
func (p *randomPipe) forget(r *rand.Rand) {
	for name := range p.config {
		if name != "service_id" && name != "pipe_id" && r.IntN(2) == 0 {
			delete(p.config, name)
		}
	}
}

var requestIDs = regexp.MustCompile(`request id [-0-9a-f]+`)

// TestShortWays has Terraform adopt and plan random pipes and services, and
// compares what the short ways answer with the framework.
func TestShortWays(t *testing.T) {
	f := newFixture(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	var pipes []*randomPipe
	for _, kind := range []string{mockplatform.KafkaPipeID, mockplatform.ObjectStoragePipeID, mockplatform.CloudStreamPipeID, mockplatform.PostgresPipeID, mockplatform.PostgresPipeID} {
		pipes = append(pipes, newRandomPipe(f, r, kind))
	}
	seen := &compared{t: t, reads: map[string]int{}, plans: map[string]int{}, last: map[string]*tfprotov6.ReadResourceRequest{}}
	var last comparing
	var steps []resource.TestStep
	for step, replicas := range []int{3, 4, 4, 4} {
		configured := object{}
		for _, pipe := range pipes {
			if step < 2 {
				pipe.configure(f, r)
			} else {
				pipe.forget(r) // what is asked for is less than what is proposed
			}
			configured["p"+pipe.id] = maps.Clone(pipe.config)
		}
		dir := t.TempDir()
		for name, content := range map[string]string{"main.tf": f.provider(), "resources.tf.json": toJSON(t, object{"resource": object{
			"dataplatform_pipe": configured,
			"dataplatform_service_scaling": object{
				"s": object{"service_id": ourServices[0], "num_replicas": replicas, "idle_scaling": true},
			},
		}})} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		steps = append(steps, resource.TestStep{
			ConfigDirectory: config.StaticDirectory(dir),
			ProtoV6ProviderFactories: map[string]func() (tfprotov6.ProviderServer, error){
				"dataplatform": func() (tfprotov6.ProviderServer, error) {
					last = newComparing(seen)
					return last, nil
				},
			},
		})
	}
	resource.Test(t, resource.TestCase{Steps: steps})
	for name := range adoptedResources() {
		if seen.reads[name] == 0 || seen.plans[name] == 0 {
			t.Errorf("%s: %d reads and %d plans were compared", name, seen.reads[name], seen.plans[name])
		}
	}
	for _, failure := range []struct {
		name    string
		happens func()
	}{
		{"the platform refuses", func() {
			f.Inject(mockplatform.Fault{Times: mockplatform.Always, Status: http.StatusBadRequest, Body: mockplatform.BodyHTML})
		}},
		{"the object is gone", func() {
			f.ClearFaults()
			f.RemoveService(ourServices[0])
			for _, pipe := range pipes {
				f.RemovePipe(pipe.id)
			}
		}},
		{"the provider is not configured", func() { last = newComparing(seen) }},
	} {
		failure.happens()
		for name, req := range seen.last {
			resp, err := last.ReadResource(t.Context(), req)
			if err != nil || len(resp.Diagnostics) == 0 {
				t.Errorf("%s: %s says %v, %v", failure.name, name, resp, err)
			}
		}
	}
	// The identity of another object is the framework's to refuse.
	for name, req := range seen.last {
		known, other := adoptedResources()[name], *req
		state, _ := req.CurrentState.Unmarshal(known.stateType)
		identity := with(known.newAdoption().identityValue(state, known.identityType), tftypes.NewValue(tftypes.String, ourServices[1]), "service_id")
		kept, _ := tfprotov6.NewDynamicValue(known.identityType, identity)
		other.CurrentIdentity = &tfprotov6.ResourceIdentityData{IdentityData: &kept}
		before := last.framework.calls.Load()
		if _, err := last.server.ReadResource(t.Context(), &other); err != nil || last.framework.calls.Load() == before {
			t.Errorf("%s with the identity of another object took the short way (%v)", name, err)
		}
	}
}

// onceARun are the calls that Terraform doesn't make for each object, and those
// of what the provider doesn't have.
var onceARun = []string{
	"GetMetadata", "GetProviderSchema", "GetResourceIdentitySchemas", "ValidateProviderConfig", "ConfigureProvider", "StopProvider",
	"GetFunctions", "CallFunction",
	"ValidateEphemeralResourceConfig", "OpenEphemeralResource", "RenewEphemeralResource", "CloseEphemeralResource",
	"ValidateListResourceConfig", "ListResource",
	"ValidateActionConfig", "PlanAction", "InvokeAction",
	"GenerateResourceConfig",
}

// TestCallsAreLetGo makes each call that Terraform makes for each object, and
// looks for what is left of it.
func TestCallsAreLetGo(t *testing.T) {
	type held struct{ _ [1 << 10]byte }
	type key struct{}
	var s tfprotov6.ProviderServer = serverOf(newProvider("test"))
	left := map[string]weak.Pointer[held]{}
	for method := range reflect.TypeFor[tfprotov6.ProviderServer]().Methods() {
		if slices.Contains(onceARun, method.Name) {
			continue
		}
		value := &held{}
		left[method.Name] = weak.Make(value)
		ctx, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, value))
		req := reflect.New(method.Type.In(1).Elem())
		for _, name := range []string{"TypeName", "TargetTypeName"} {
			if field := req.Elem().FieldByName(name); field.IsValid() {
				field.SetString("dataplatform_nothing") // registered before it is found out
			}
		}
		reflect.ValueOf(s).MethodByName(method.Name).Call([]reflect.Value{reflect.ValueOf(ctx), req})
		cancel()
	}
	runtime.GC()
	if len(left) < 10 {
		t.Errorf("only %d calls were made", len(left))
	}
	for name, value := range left {
		if value.Value() != nil {
			t.Errorf("%s leaves its context", name)
		}
	}
	runtime.KeepAlive(s)
}

// TestCallsAreInterrupted cancels a call that waits.
func TestCallsAreInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	got, _ := answer(ctx, 0, func(ctx context.Context, _ int) (error, error) {
		cancel()
		<-ctx.Done()
		return ctx.Err(), nil
	})
	if !errors.Is(got, context.Canceled) {
		t.Errorf("a call ends with %v, want %v", got, context.Canceled)
	}
}
