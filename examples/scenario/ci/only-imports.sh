# ci/only-imports.sh
set -euo pipefail

if ! [ -e tfplan.json ]; then
  echo 'There is no tfplan.json. Run ci/plan.sh first.' >&2
  exit 1
fi
if ! jq -e '
  all(.resource_changes[]; .change.actions == ["no-op"] or .change.actions == ["read"])
' tfplan.json > /dev/null; then
  echo 'This plan changes the platform. Ask for a review.' >&2
  exit 1
fi
