# ci/comment.sh
# Shows plan.md as a comment on the pull request, one for each environment. A later run
# replaces it.
set -euo pipefail

marker="<!-- terraform plan of ${TF_WORKSPACE:-default} -->"
[ -e plan.md ] || echo "${marker}There is no plan of ${TF_WORKSPACE:-default}. See the log of run $GITHUB_RUN_ID." > plan.md

comments="repos/$GITHUB_REPOSITORY/issues"
id=$(gh api --paginate "$comments/$PULL_REQUEST/comments" --jq ".[]
  | select(.user.login == \"${COMMENT_AUTHOR:-github-actions[bot]}\" and (.body | startswith(\"$marker\"))).id")
if [ -n "$id" ]; then
  gh api --silent --method PATCH "$comments/comments/${id%%$'\n'*}" -F body=@plan.md
else
  gh api --silent --method POST "$comments/$PULL_REQUEST/comments" -F body=@plan.md
fi
