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
// that the provider doesn't serve.
var onceARun = []string{
	"GetMetadata", "GetProviderSchema", "GetResourceIdentitySchemas", "ValidateProviderConfig", "ConfigureProvider", "StopProvider",
	"GetFunctions", "CallFunction",
	"ValidateEphemeralResourceConfig", "OpenEphemeralResource", "RenewEphemeralResource", "CloseEphemeralResource",
	"ValidateListResourceConfig", "ListResource",
	"ValidateActionConfig", "PlanAction", "InvokeAction",
	"GenerateResourceConfig",
}

// TestCallsAreReleased makes each call that Terraform makes for each object, and
// checks that its context is collected.
func TestCallsAreReleased(t *testing.T) {
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

// TestCallsAreInterrupted cancels a waiting call.
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
