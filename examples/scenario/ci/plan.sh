# ci/plan.sh
# Saves a plan as tfplan, and writes plan.md for its reviewer: a comment, and the job's summary.
set -euo pipefail

code=0
rm -f plan.md tfplan.json
terraform plan -json -input=false -lock-timeout=5m -detailed-exitcode \
  -out=tfplan "$@" > plan.json || code=$?
plan=/dev/null
if [ $code -ne 1 ]; then
  plan=tfplan.json
  terraform show -json tfplan > $plan
fi

workspace=${TF_WORKSPACE:-$(terraform workspace show)}
commit=$(jq -r '.pull_request.head.sha // empty' "${GITHUB_EVENT_PATH:-/dev/null}")
commit=${commit:-${GITHUB_SHA:-}}
review() { # BYTES
  jq -nrR -L ci --slurpfile plan $plan --arg title "$workspace${commit:+ at ${commit:0:10}}" --argjson max "$1" \
    --arg rest "${GITHUB_RUN_ID:+$GITHUB_SERVER_URL/$GITHUB_REPOSITORY/actions/runs/$GITHUB_RUN_ID}" 'include "plan";
    [inputs | fromjson? // {diagnostic: {severity: "error", summary: .}}] | review($plan[0]; $title; $max; $rest)' plan.json
}
review 100000000 | tee plan.txt
{ printf '<!-- terraform plan of %s -->' "$workspace"; review 60000 | sed '2,$s/^/    /'; } > plan.md
cat plan.md >> "${GITHUB_STEP_SUMMARY:-/dev/null}"
if ! grep -q '^Plan: ' plan.txt; then exit 1; fi

changes=false
if [ $code -eq 2 ] || jq -e 'any(.resource_drift[]?; .change.actions == ["delete"])' tfplan.json > /dev/null; then
  changes=true
fi
echo "changes=$changes" >> "${GITHUB_OUTPUT:-/dev/null}"
