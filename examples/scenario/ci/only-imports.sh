# ci/only-imports.sh
set -euo pipefail

error='There is no tfplan.json. Run ci/plan.sh first.'
if [ -e tfplan.json ]; then
  jq -e 'all(.resource_changes[]; .change.actions == ["no-op"] or .change.actions == ["read"])' tfplan.json > /dev/null && exit
  error='This plan changes the platform. Ask for a review.'
fi
echo "$error" >&2
exit 1
