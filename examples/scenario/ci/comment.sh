# ci/comment.sh
# Shows plan.txt as a comment on the pull request, one for each environment. A later run
# replaces it.
set -euo pipefail

marker="<!-- terraform plan of ${TF_WORKSPACE:-default} -->"
{
  echo "$marker"
  echo "Terraform plan of \`${TF_WORKSPACE:-default}\`:"
  echo '~~~~~~'
  head -c 60000 plan.txt
  echo
  echo '~~~~~~'
} > plan.md

comments="repos/$GITHUB_REPOSITORY/issues"
id=$(gh api --paginate "$comments/$PULL_REQUEST/comments" --jq ".[] | select(.body | startswith(\"$marker\")).id")
if [ -n "$id" ]; then
  gh api --silent --method PATCH "$comments/comments/${id%%$'\n'*}" -F body=@plan.md
else
  gh api --silent --method POST "$comments/$PULL_REQUEST/comments" -F body=@plan.md
fi
