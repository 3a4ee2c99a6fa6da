# ci/renew.sh
# Replaces the API keys that are due for renewal, and changes nothing else.
set -euo pipefail

# Nothing that follows is a command of the workflow, whatever the names of objects are.
[ -z "${GITHUB_ACTIONS:-}" ] || echo "::stop-commands::$(openssl rand -hex 16)"

# What stores the secret of a key, such as '(.type == "vault_kv_secret_v2")'. Of this pipe, only
# the credentials may change.
stores='(.address == "module.team.dataplatform_pipe.this[\"orders\"]" and [differing.at[0]] - ["source_credentials"] == [])'

due='(.type == "dataplatform_api_key" and .change.replace_paths == [["ready_for_renewal"]])'
changing='(.type == "dataplatform_api_key" and (.change.replace_paths // [] | length > 1 and any(. == ["ready_for_renewal"])))'
stays='(.change.before.organization_id == .change.after.organization_id)'

managed() { # CONDITION
  terraform show -json | jq -r -L ci "include \"plan\"; .values.root_module | recurse(.child_modules[]?) | .resources[]?
    | select(.mode == \"managed\" and $1) | .address"
}

plan() { # ADDRESSES ARGUMENTS...
  local targets=() address
  while read -r address; do [ -z "$address" ] || targets+=("-target=$address"); done <<< "$1"
  terraform plan -input=false -no-color -lock-timeout=5m -out=tfplan "${targets[@]}" "${@:2}" > plan.txt
  terraform show -json tfplan > tfplan.json
}

# A plan of the keys alone: nothing else can keep them from being renewed.
keys=$(managed '.type == "dataplatform_api_key"') moving= others=
if [ -n "$keys" ]; then
  plan "$keys" "$@"
  moving=$(jq -r -L ci "include \"plan\"; .resource_changes[]? | select($due and ($stays | not)) | .address | clean" tfplan.json)
  others=$(jq -r -L ci "include \"plan\"; .resource_changes[]? | select($changing) | .address | clean" tfplan.json)
  keys=$(jq -r ".resource_changes[]? | select($due and $stays) | .address" tfplan.json)
fi
if [ -n "$moving" ]; then
  echo "Due, and not renewed, because the provider is set to another organization: $moving" >&2
  trap 'exit 1' EXIT
fi
[ -z "$others" ] || echo "Due, and not renewed, because another change replaces it, too: $others"
[ -n "$moving$others$keys" ] || echo 'No API key is due for renewal.'
[ -n "$keys" ] || exit 0

plan "$keys"$'\n'"$(managed "$stores")" "$@"
jq -r -L ci 'include "plan"; changes({}) | .lines[] | clean' tfplan.json
if ! jq -e -L ci "include \"plan\"; all(.resource_changes[];
  .change.actions == [\"no-op\"] or .change.actions == [\"read\"] or ($due and $stays) or $stores)" tfplan.json > /dev/null; then
  echo 'The renewal depends on other changes. Apply them first.' >&2
  exit 1
fi
terraform apply -input=false -lock-timeout=5m tfplan
