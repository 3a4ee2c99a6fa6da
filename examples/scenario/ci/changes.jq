# ci/changes.jq
def secret: [.. | booleans] | any;
def under($name): if type == "object" then .[$name] else . end;

# One line for each value that differs: before, after, what is known only after apply,
# and what is sensitive before and after.
def differences($at; $b; $a; $unknown; $sb; $sa):
  ((($b | objects) // {}) + (($a | objects) // {})) as $members
  | if $a == $b or $unknown == true then empty
    elif $sb == true or $sa == true then "  \($at): (sensitive)"
    elif $members != {} then
      $members | keys[] as $name
      | differences([$at, $name] | map(select(. != "")) | join("."); $b | under($name); $a | under($name);
          $unknown | under($name); $sb | under($name); $sa | under($name))
    elif ($sb | secret) or ($sa | secret) then "  \($at): (sensitive)"
    elif ($b | type) == "array" and ($a | type) == "array" and ($b - $a) + ($a - $b) != [] then
      ($b - $a | .[] | "  \($at): - \(tojson)"), ($a - $b | .[] | "  \($at): + \(tojson)")
    else "  \($at): \($b | tojson) -> \($a | tojson)"
    end;

# Drift in these values is no one's change.
def own: if .type == "dataplatform_api_key" then [["ready_for_renewal"]] else [["state"], ["updated_at"]] end;

.[$list] // []
| .[]
| select(.change.actions != ["no-op"] and .change.actions != ["read"])
| (if $list == "resource_drift" then own else [] end) as $omit
| [.change | select(.after != null)
    | differences(""; .before // {} | delpaths($omit); .after | delpaths($omit);
        .after_unknown; .before_sensitive; .after_sensitive)] as $lines
| select($list != "resource_drift" or $lines != [] or .change.actions == ["delete"])
| "\(.address): \(.change.actions | join(", "))", $lines[]
