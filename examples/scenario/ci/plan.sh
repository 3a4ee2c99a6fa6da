# ci/plan.sh
set -euo pipefail

code=0
terraform plan -json -input=false -lock-timeout=5m -detailed-exitcode \
  -out=tfplan "$@" > plan.json || code=$?

# Errors, then warnings. What many objects have in common is shown once, with all places.
# Errors that differ only in IDs and times are shown once, too, with the text of the first.
jq -nrR '
  def common:
    if .severity == "error" then
      [.summary, .detail // ""]
      | map(gsub("(\"[^\"]*\" \\()?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"; "ID")
        | gsub("[0-9]+ attempts?|[0-9]+(:[0-9]+){2}|[0-9.]+(ms|s|m|h)"; "TIME"))
    else [.summary, .detail] end;
  [inputs | (fromjson? // {diagnostic: {severity: "error", summary: .}}).diagnostic // empty]
  | to_entries | group_by(.value | [.severity, common]) | sort_by([.[0].value.severity, .[0].key])[]
  | map(.value)
  | "\(.[0].severity): \(.[0].summary)",
    (map(.range // empty | "  on \(.filename) line \(.start.line)") | unique[]),
    (map(.address // empty | "  in \(.)") | unique[]),
    (.[0].detail // "" | select(. != "") | "  " + gsub("\n"; "\n  "))
' plan.json | tee plan.txt
if [ $code -ne 0 ] && [ $code -ne 2 ]; then exit 1; fi
if grep -q '^warning: Object is empty' plan.txt; then
  echo 'Correct the objects above. Their names are misspelled, or missing.' | tee -a plan.txt
  exit 1
fi

terraform show -json tfplan > tfplan.json
jq -r --arg list resource_changes -f ci/changes.jq tfplan.json | tee -a plan.txt
jq -r '
  [.resource_changes[]?.change] as $all
  | def number($action): [$all[] | select(.actions | index($action))] | length;
  [$all[] | select(.importing)] | length as $imports
  | "Plan: \($imports) to import, \(number("create")) to add, \(number("update")) to change, \(number("delete")) to destroy."
' tfplan.json | tee -a plan.txt

# The apply stores these values in the state, and ci/drift.sh no longer finds them. It also
# removes what is gone from the platform, even if the plan has no changes.
jq -r --arg list resource_drift -f ci/changes.jq tfplan.json > drift.txt
if [ -s drift.txt ]; then
  sed '1i Changed outside of Terraform since the last apply:' drift.txt | tee -a plan.txt
fi

changes=false
if [ $code -eq 2 ] || jq -e 'any(.resource_drift[]?; .change.actions == ["delete"])' tfplan.json > /dev/null; then
  changes=true
fi
echo "changes=$changes" >> "${GITHUB_OUTPUT:-/dev/null}"
