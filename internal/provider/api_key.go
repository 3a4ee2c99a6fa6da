package provider

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/dataplatform/terraform-provider-dataplatform/internal/tfvalue"
	"github.com/dataplatform/terraform-provider-dataplatform/internal/words"
)

var keyRules = tfvalue.Rules{
	NotInJSON: []tfvalue.Path{
		{"organization_id"}, {"validity_hours"}, {"early_renewal_hours"}, {"rotation_triggers"}, {"ready_for_renewal"},
		{"key_id"}, {"key_secret"}, // beside the key in a response
		{"secret_recipients"}, {"encrypted_key_secret"}, {"secret_version"},
	},
	Keys:     map[string]tfvalue.Key{"ip_access_list": {Members: []string{"source"}}},
	Instants: []string{"expire_at"},
	Folded:   []string{"organization_id"},
}

// isDue reports whether the renewal of a key with validity_hours is due: early_renewal_hours before
// its expiry. If the API gave it none, validity_hours counts from its creation.
func isDue(key tfvalue.Value, now time.Time) bool {
	validity := key.At("validity_hours")
	now = now.Add(hours(key.At("early_renewal_hours")))
	if key.At("expire_at").IsNull() {
		return !validity.IsNull() && passed(key.At("created_at"), now.Add(-hours(validity)))
	}
	return !validity.IsNull() && passed(key.At("expire_at"), now)
}

// passed reports whether a timestamp is not in the future.
func passed(timestamp tfvalue.Value, now time.Time) bool {
	at, err := tfvalue.ParseTime(timestamp.Text())
	return err == nil && !now.Before(at)
}

// neverExpires reports whether a configuration asks for a key without an expiry.
func neverExpires(config tfvalue.Value) bool {
	return config.At("expire_at").IsNull() && config.At("validity_hours").IsNull()
}

// hours is a number of hours, 0 if it is null or unknown.
func hours(value tfvalue.Value) time.Duration {
	n, _ := value.Number().Int64()
	return time.Duration(n) * time.Hour
}

// keyLabel names a key in the summary of a warning: Terraform folds warnings with the same summary.
func keyLabel(key tfvalue.Value) string {
	var label []string
	if name := key.At("name").Text(); name != "" {
		label = append(label, strconv.Quote(words.Clean(name, words.MaxID)))
	}
	if id := cmp.Or(key.At("id").Text(), key.At("key_id").Text()); id != "" {
		label = append(label, "("+words.Clean(id, words.MaxID)+")")
	}
	return cmp.Or(strings.Join(label, " "), "(name not known yet)")
}

// remains describes a key that stays on the platform. Its name and ID are in the summary.
func remains(which string, key tfvalue.Value, now time.Time) string {
	if suffix := key.At("key_suffix").Text(); suffix != "" {
		which += " (suffix " + words.Clean(suffix, words.MaxID) + ")"
	}
	switch expiry := key.At("expire_at"); {
	case expiry.Text() == "":
		return which + " stays valid, because it does not expire."
	case passed(expiry, now):
		return which + " expired at " + words.Clean(expiry.Text(), words.MaxID) + "."
	default:
		return which + " stays valid until " + words.Clean(expiry.Text(), words.MaxID) + "."
	}
}
