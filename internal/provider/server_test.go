package provider

import (
	"context"
	"errors"
	"reflect"
	"runtime"
	"slices"
	"testing"
	"weak"

	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
)

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
	got, _ := release(ctx, 0, func(ctx context.Context, _ int) (error, error) {
		cancel()
		<-ctx.Done()
		return ctx.Err(), nil
	})
	if !errors.Is(got, context.Canceled) {
		t.Errorf("a call ends with %v, want %v", got, context.Canceled)
	}
}
