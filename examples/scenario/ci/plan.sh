# ci/plan.sh
set -euo pipefail

code=0
terraform plan -input=false -no-color -lock-timeout=5m -detailed-exitcode \
  -out=tfplan "$@" > plan.txt || code=$?
grep -A 30 -E '^(Error|Warning): ' plan.txt || true
if [ $code -ne 0 ] && [ $code -ne 2 ]; then exit 1; fi

terraform show -json tfplan > tfplan.json
jq -r --arg list resource_changes -f ci/changes.jq tfplan.json
grep -E '^(Plan:|No changes)' plan.txt || true

# A key whose renewal is due needs no approval.
approval=production
if jq -e '
  [.resource_changes[] | select(.change.actions != ["no-op"] and .change.actions != ["read"])]
  | length > 0 and all(.[];
      .type == "dataplatform_api_key" and .change.replace_paths == [["ready_for_renewal"]])
' tfplan.json > /dev/null; then
  approval=renewal
fi
echo "changes=$([ $code -eq 2 ] && echo true || echo false)" >> "${GITHUB_OUTPUT:-/dev/null}"
echo "approval=$approval" >> "${GITHUB_OUTPUT:-/dev/null}"
