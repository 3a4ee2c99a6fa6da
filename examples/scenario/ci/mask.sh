# ci/mask.sh
# Hides each value in a JSON of secrets in the log. GitHub knows only the whole text.
set -euo pipefail

jq -r '
  .. | scalars | select(. != null) | tostring | select(. != "")
  | gsub("%"; "%25") | gsub("\r"; "%0D") | gsub("\n"; "%0A") | "::add-mask::\(.)"
' <<< "$TF_VAR_source_secrets" 2> /dev/null || {
  echo 'TF_VAR_source_secrets is not JSON, so its values cannot be hidden in the log.' >&2
  exit 1
}
