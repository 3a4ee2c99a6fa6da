package process

import (
	"os"
	"testing"
)

func TestLogLevels(t *testing.T) {
	for name, test := range map[string]struct {
		set, want map[string]string
	}{
		"no level is set": {
			set:  map[string]string{},
			want: map[string]string{"TF_LOG_PROVIDER_DATAPLATFORM": "off", "TF_LOG_SDK": "off", "TF_LOG_SDK_PROTO": ""},
		},
		"Terraform's own logs alone": {
			set:  map[string]string{"TF_LOG_CORE": "TRACE"},
			want: map[string]string{"TF_LOG_PROVIDER_DATAPLATFORM": "off", "TF_LOG_SDK": "off"},
		},
		"everything": {
			set:  map[string]string{"TF_LOG": "trace"},
			want: map[string]string{"TF_LOG_PROVIDER_DATAPLATFORM": "trace", "TF_LOG_SDK": "trace"},
		},
		"as JSON": {
			set:  map[string]string{"TF_LOG": "JSON"},
			want: map[string]string{"TF_LOG_PROVIDER_DATAPLATFORM": "trace", "TF_LOG_SDK": "trace"},
		},
		"no level at all": {
			set:  map[string]string{"TF_LOG": "loud"},
			want: map[string]string{"TF_LOG_PROVIDER_DATAPLATFORM": "trace", "TF_LOG_SDK": "trace"},
		},
		"turned off": {
			set:  map[string]string{"TF_LOG": "OFF"},
			want: map[string]string{"TF_LOG_PROVIDER_DATAPLATFORM": "off", "TF_LOG_SDK": "off"},
		},
		"providers otherwise than Terraform": {
			set:  map[string]string{"TF_LOG": "TRACE", "TF_LOG_PROVIDER": "WARN"},
			want: map[string]string{"TF_LOG_PROVIDER_DATAPLATFORM": "warn", "TF_LOG_SDK": "warn"},
		},
		"a logger more silent than what passes": {
			set:  map[string]string{"TF_LOG": "TRACE", "TF_LOG_SDK": "ERROR", "TF_LOG_SDK_PROTO": "OFF"},
			want: map[string]string{"TF_LOG_PROVIDER_DATAPLATFORM": "trace", "TF_LOG_SDK": "error", "TF_LOG_SDK_PROTO": "off"},
		},
		"the framework at INFO": {
			set:  map[string]string{"TF_LOG": "TRACE", "TF_LOG_SDK_FRAMEWORK": "INFO"},
			want: map[string]string{"TF_LOG_SDK": "trace", "TF_LOG_SDK_FRAMEWORK": "info"},
		},
		"the framework alone": {
			set:  map[string]string{"TF_LOG": "DEBUG", "TF_LOG_SDK": "OFF", "TF_LOG_SDK_FRAMEWORK": "TRACE"},
			want: map[string]string{"TF_LOG_SDK": "off", "TF_LOG_SDK_FRAMEWORK": "debug"},
		},
		"a logger more verbose than what passes": {
			set:  map[string]string{"TF_LOG": "INFO", "TF_LOG_PROVIDER_DATAPLATFORM": "TRACE", "TF_LOG_SDK_FRAMEWORK": "TRACE"},
			want: map[string]string{"TF_LOG_PROVIDER_DATAPLATFORM": "info", "TF_LOG_SDK": "info", "TF_LOG_SDK_FRAMEWORK": "info"},
		},
		"one part of the SDK": {
			set:  map[string]string{"TF_LOG": "TRACE", "TF_LOG_SDK": "OFF", "TF_LOG_SDK_PROTO": "DEBUG"},
			want: map[string]string{"TF_LOG_SDK": "off", "TF_LOG_SDK_PROTO": "debug", "TF_LOG_SDK_FRAMEWORK": ""},
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, variable := range []string{
				"TF_LOG", "TF_LOG_CORE", "TF_LOG_PROVIDER", "TF_LOG_PROVIDER_DATAPLATFORM",
				"TF_LOG_SDK", "TF_LOG_SDK_PROTO", "TF_LOG_SDK_FRAMEWORK",
			} {
				t.Setenv(variable, test.set[variable])
			}
			if err := SetLogLevels("dataplatform"); err != nil {
				t.Fatal(err)
			}
			for variable, want := range test.want {
				if got := os.Getenv(variable); got != want {
					t.Errorf("%s is %q, want %q", variable, got, want)
				}
			}
		})
	}
}
