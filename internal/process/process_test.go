package process

import (
	"os"
	"strings"
	"testing"
)

func TestLogLevels(t *testing.T) {
	variables := map[string]string{
		"LOG": "TF_LOG", "CORE": "TF_LOG_CORE", "PROVIDERS": "TF_LOG_PROVIDER", "OURS": "TF_LOG_PROVIDER_DATAPLATFORM",
		"SDK": "TF_LOG_SDK", "PROTO": "TF_LOG_SDK_PROTO", "FRAMEWORK": "TF_LOG_SDK_FRAMEWORK",
	}
	for name, test := range map[string]struct{ set, want string }{
		"no level is set":                        {"", "OURS=off SDK=off PROTO="},
		"Terraform's own logs alone":             {"CORE=TRACE", "OURS=off SDK=off"},
		"everything":                             {"LOG=trace", "OURS=trace SDK=trace"},
		"as JSON":                                {"LOG=JSON", "OURS=trace SDK=trace"},
		"no level at all":                        {"LOG=loud", "OURS=trace SDK=trace"},
		"turned off":                             {"LOG=OFF", "OURS=off SDK=off"},
		"providers otherwise than Terraform":     {"LOG=TRACE PROVIDERS=WARN", "OURS=warn SDK=warn"},
		"a logger more silent than what passes":  {"LOG=TRACE SDK=ERROR PROTO=OFF", "OURS=trace SDK=error PROTO=off"},
		"the framework at INFO":                  {"LOG=TRACE FRAMEWORK=INFO", "SDK=trace FRAMEWORK=info"},
		"the framework alone":                    {"LOG=DEBUG SDK=OFF FRAMEWORK=TRACE", "SDK=off FRAMEWORK=debug"},
		"a logger more verbose than what passes": {"LOG=INFO OURS=TRACE FRAMEWORK=TRACE", "OURS=info SDK=info FRAMEWORK=info"},
		"one part of the SDK":                    {"LOG=TRACE SDK=OFF PROTO=DEBUG", "SDK=off PROTO=debug FRAMEWORK="},
	} {
		t.Run(name, func(t *testing.T) {
			for _, variable := range variables {
				t.Setenv(variable, "")
			}
			for _, set := range strings.Fields(test.set) {
				variable, level, _ := strings.Cut(set, "=")
				t.Setenv(variables[variable], level)
			}
			if err := SetLogLevels("dataplatform"); err != nil {
				t.Fatal(err)
			}
			for _, want := range strings.Fields(test.want) {
				variable, level, _ := strings.Cut(want, "=")
				if got := os.Getenv(variables[variable]); got != level {
					t.Errorf("%s is %q, want %q", variables[variable], got, level)
				}
			}
		})
	}
}
