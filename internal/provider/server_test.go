package provider

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"sync"
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
	short, err := c.server.ReadResource(ctx, req)
	resourceType, ok := adoptedResources()[req.TypeName]
	if err != nil || !ok || len(req.Private) > 0 {
		return short, err
	}
	long, err := c.ProviderServer.ReadResource(ctx, req)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reads[req.TypeName]++
	c.last[req.TypeName] = req
	c.same(req.TypeName+" read", resourceType.state, short.NewState, long.NewState)
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
	short, err := c.server.PlanResourceChange(ctx, req)
	resourceType, ok := adoptedResources()[req.TypeName]
	if err != nil || !ok || !asksForNothing(req, resourceType.state) {
		return short, err
	}
	long, err := c.ProviderServer.PlanResourceChange(ctx, req)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.plans[req.TypeName]++
	c.same(req.TypeName+" plan", resourceType.state, short.PlannedState, long.PlannedState)
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
	for replicas := 3; replicas <= 4; replicas++ {
		configured := object{}
		for _, pipe := range pipes {
			pipe.configure(f, r)
			configured["p"+pipe.id] = pipe.config
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
					last = comparing{serverOf(newProvider("test")), seen}
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
		{"the provider is not configured", func() { last = comparing{serverOf(newProvider("test")), seen} }},
	} {
		failure.happens()
		for name, req := range seen.last {
			resp, err := last.ReadResource(t.Context(), req)
			if err != nil || len(resp.Diagnostics) == 0 {
				t.Errorf("%s: %s says %v, %v", failure.name, name, resp, err)
			}
		}
	}
}

// TestCallsAreLetGo has each call that Terraform makes for each object, and
// looks for what is left of them.
func TestCallsAreLetGo(t *testing.T) {
	type held struct{ _ [1 << 10]byte }
	type key struct{}
	s := serverOf(newProvider("test"))
	left := map[string]weak.Pointer[held]{}
	call := func(name string, ask func(ctx context.Context)) {
		value := &held{}
		left[name] = weak.Make(value)
		ctx, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, value))
		ask(ctx)
		cancel()
	}
	const nothing = "dataplatform_nothing" // registered before it is found out
	call("ValidateResourceConfig", func(ctx context.Context) {
		_, _ = s.ValidateResourceConfig(ctx, &tfprotov6.ValidateResourceConfigRequest{TypeName: nothing})
	})
	call("UpgradeResourceState", func(ctx context.Context) {
		_, _ = s.UpgradeResourceState(ctx, &tfprotov6.UpgradeResourceStateRequest{TypeName: nothing})
	})
	call("UpgradeResourceIdentity", func(ctx context.Context) {
		_, _ = s.UpgradeResourceIdentity(ctx, &tfprotov6.UpgradeResourceIdentityRequest{TypeName: nothing})
	})
	call("ReadResource", func(ctx context.Context) {
		_, _ = s.ReadResource(ctx, &tfprotov6.ReadResourceRequest{TypeName: nothing})
	})
	call("PlanResourceChange", func(ctx context.Context) {
		_, _ = s.PlanResourceChange(ctx, &tfprotov6.PlanResourceChangeRequest{TypeName: nothing})
	})
	call("ApplyResourceChange", func(ctx context.Context) {
		_, _ = s.ApplyResourceChange(ctx, &tfprotov6.ApplyResourceChangeRequest{TypeName: nothing})
	})
	call("ImportResourceState", func(ctx context.Context) {
		_, _ = s.ImportResourceState(ctx, &tfprotov6.ImportResourceStateRequest{TypeName: nothing})
	})
	call("ReadDataSource", func(ctx context.Context) {
		_, _ = s.ReadDataSource(ctx, &tfprotov6.ReadDataSourceRequest{TypeName: nothing})
	})
	runtime.GC()
	for name, value := range left {
		if value.Value() != nil {
			t.Errorf("%s leaves its context", name)
		}
	}
	runtime.KeepAlive(s)
}

// TestCallsEndWithTerraform stops the provider, as an interrupt does, while a
// call waits.
func TestCallsEndWithTerraform(t *testing.T) {
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
