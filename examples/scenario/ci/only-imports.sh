# ci/only-imports.sh
set -euo pipefail

if ! jq -e '
  all(.resource_changes[]; .change.actions == ["no-op"] or .change.actions == ["read"])
' tfplan.json > /dev/null; then
  echo 'This plan changes the platform. Ask for a review.' >&2
  exit 1
fi
