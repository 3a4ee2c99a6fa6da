# ci/changes.jq
def hidden($marks; $name):
  $marks | if type == "object" then .[$name] else . end | [.. | booleans] | any;

def changes:
  .change as $c
  | $c.after // {}
  | keys[] as $name
  | select($c.before[$name] != $c.after[$name])
  | if hidden($c.before_sensitive; $name) or hidden($c.after_sensitive; $name)
    then "  \($name): (sensitive)"
    else "  \($name): \($c.before[$name] | tojson) -> \($c.after[$name] | tojson)"
    end;

.[$list] // []
| .[]
| select(.change.actions != ["no-op"] and .change.actions != ["read"])
| "\(.address): \(.change.actions | join(", "))", changes
