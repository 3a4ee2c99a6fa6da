# ci/mask.sh
# Hides each value of a JSON object of secrets in the log. GitHub knows only the whole text.
set -euo pipefail

jq -r '
  .[] | select(. != "") | gsub("%"; "%25") | gsub("\r"; "%0D") | gsub("\n"; "%0A") | "::add-mask::\(.)"
' <<< "$TF_VAR_source_secrets"
