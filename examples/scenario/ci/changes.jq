# ci/changes.jq
def marked: [.. | booleans] | any;
def under($name): if type == "object" then .[$name] else . end;
def within($path): . == $path or startswith($path + ".");

# Each value that differs: before, after, what is known only after apply, and what is
# sensitive before and after.
def differences($at; $b; $a; $unknown; $sb; $sa):
  ((($b | objects) // {}) + (($a | objects) // {})) as $members
  | if $unknown == true then
      select($b != null) | {$at, text: "\(if $sb | marked then "(sensitive)" else $b | tojson end) -> (known after apply)"}
    elif $a == $b then empty
    elif $sb == true or $sa == true then {$at, text: "(sensitive)"}
    elif $members != {} then
      $members | keys[] as $name
      | differences([$at, $name] | map(select(. != "")) | join("."); $b | under($name); $a | under($name);
          $unknown | under($name); $sb | under($name); $sa | under($name))
    elif ($sb | marked) or ($sa | marked) then {$at, text: "(sensitive)"}
    elif ($unknown | marked) then
      {$at, text: "\($b | tojson) -> \($a | tojson), a part of it known after apply"}
    elif ($b | type) == "array" and ($a | type) == "array" and ($b - $a) + ($a - $b) != [] then
      {$at, text: ("- \($b - $a | .[] | tojson)", "+ \($a - $b | .[] | tojson)")}
    else {$at, text: "\($b | tojson) -> \($a | tojson)"}
    end;

# The actions, with the sign that Terraform has for the order of a replacement.
def actions: join(", ") | . + ({"delete, create": " (-/+)", "create, delete": " (+/-)"}[.] // "");

# What the platform changes by itself, and what every new key has.
def own:
  if .type != "dataplatform_api_key" then [["state"], ["updated_at"]]
  elif $list == "resource_drift" then [["ready_for_renewal"]]
  else ["id", "key_id", "key_secret", "key_suffix", "created_at", "used_at"] | map([.])
  end;

.[$list] // []
| .[]
| select(.change.actions != ["no-op"] and .change.actions != ["read"])
| own as $omit
| [.change.replace_paths // [] | .[] | map(strings) | join(".")] as $forcing
| [.change | select(.after != null)
    | differences(""; .before // {} | delpaths($omit); .after | delpaths($omit);
        .after_unknown | delpaths($omit); .before_sensitive; .after_sensitive)
    | .at as $at
    | any($forcing[]; . as $path | ($at | within($path)) or ($path | within($at))) as $forced
    | "  \($at): \(.text)\(if $forced then " # forces replacement" else "" end)"] as $lines
| select($list != "resource_drift" or $lines != [] or .change.actions == ["delete"])
| "\(.address): \(.change.actions | actions)", $lines[]
