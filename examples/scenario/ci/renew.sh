# ci/renew.sh
# Replaces the API keys that are due and otherwise as they were, and changes nothing else.
# Exit code 1: a key that is due was not replaced.
set -euo pipefail

# Nothing that follows is a command of the workflow, whatever the names of objects are.
[ -z "${GITHUB_ACTIONS:-}" ] || echo "::stop-commands::$(openssl rand -hex 16)"

# What stores the secret of a key, such as '(.type == "vault_kv_secret_v2")'. It is updated, and
# never created, replaced or deleted. Of this pipe, only the credentials may change.
stores='(.address == "module.team.dataplatform_pipe.this[\"orders\"]" and [differing.at[0]] - ["source_credentials"] == [])'

# Its own files: tfplan may be a plan that is being reviewed.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

managed() { # CONDITION
  terraform show -json | jq -r -L ci "include \"plan\"; .values.root_module | recurse(.child_modules[]?) | .resources[]?
    | select(.mode == \"managed\" and $1) | .address"
}

plan() { # ADDRESSES ARGUMENTS...
  local targets=() address
  while read -r address; do [ -z "$address" ] || targets+=("-target=$address"); done <<< "$1"
  terraform plan -input=false -no-color -lock-timeout=5m -out="$dir/tfplan" "${targets[@]}" "${@:2}" > /dev/null
  terraform show -json "$dir/tfplan" > "$dir/tfplan.json"
}

planned() { # FILTER
  jq -r -L ci "include \"plan\"; $1" "$dir/tfplan.json"
}

# A plan of the keys alone: nothing else can keep them from being renewed.
keys=$(managed '.type == "dataplatform_api_key"') others=
if [ -n "$keys" ]; then
  plan "$keys" "$@"
  keys=$(planned '.resource_changes[]? | select(is_renewal) | .address')
  others=$(planned '.resource_changes[]? | select(is_due and (is_renewal | not)) | "  \(.address): \(new_arguments | join(", "))" | clean')
fi
if [ -n "$others" ]; then
  printf 'Due, and not renewed, because more than the renewal changes. Apply these changes:\n%s\n' "$others" >&2
  trap 'rm -rf "$dir"; exit 1' EXIT
fi
[ -n "$others$keys" ] || echo 'No API key is due for renewal.'
[ -n "$keys" ] || exit 0

plan "$keys"$'\n'"$(managed "$stores")" "$@"
allowed="(is_renewal or (.change.actions == [\"update\"] and $stores))"
if [ -n "$(planned ".resource_changes[] | select(has_changes and ($allowed | not)) | .address")" ]; then
  echo 'The renewal depends on other changes. Apply them first:' >&2
  planned ".resource_changes |= map(select($allowed | not)) | changes({}) | .lines[] | clean" >&2
  exit 1
fi
planned 'changes({}) | .lines[] | clean'
terraform apply -input=false -lock-timeout=5m "$dir/tfplan"
