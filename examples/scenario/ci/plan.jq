# ci/plan.jq
# What a plan does, for a reviewer: blocks of lines, of which the lowest rank is the most dangerous.

# No name can end a block of Markdown, or be a command of the workflow.
def clean: gsub("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]"; "\ufffd") | gsub("##\\["; "## [") | sub("^(?<s>\\s*)::"; "\(.s): :");
def path: map(if test("^[\\w-]+$") then . else tojson end) | join(".");
def cut($max): if length > $max then "\(.[:$max])… (\(length) characters)" else . end;
def value: tojson | cut(160);
def marked: [.. | booleans] | any;
def under($name): if type == "object" then .[$name] else . end;
def within($path): .[:$path | length] == $path;
def has_changes: .change.actions != ["no-op"] and .change.actions != ["read"];
def adopted: .type == "dataplatform_pipe" or .type == "dataplatform_service_scaling";
# This provider deletes nothing on the platform, and these have nothing but a state.
def harmless: .provider_name // "" | test("/dataplatform/dataplatform$|^terraform\\.io/builtin/|/hashicorp/(null|random|time|tls)$");

# What differs: before, after, what is known only after apply, and what is sensitive.
def differences($at; $b; $a; $unknown; $sb; $sa):
  (if ($sb | marked) or ($sa | marked) then "(sensitive)" else $b | value end) as $was
  | def is($text): {$at, $b, $a, text: (if $was == "(sensitive)" then $was else $text end)};
  (if $unknown | marked then ", a part of it known after apply" else "" end) as $more
  | ($at[-2] == "table_mappings" and $b == null) as $added # one line for each table
  | if $unknown == true then select($b != null or $added or $at[0] == "source_credentials") | is("") | .text = "\($was) -> (known after apply)"
  elif $a == $b then empty
  elif $added then is("null -> \($a | del(.source_schema_name, .source_table, .target_table) | value)\($more)")
  elif $sb != true and $sa != true and ($a | type) == "object" and ($b == null or ($b | type) == "object") then
    (($b // {}) + $a | keys[]) as $name
    | differences($at + [$name]; $b | under($name); $a | under($name); $unknown | under($name); $sb | under($name); $sa | under($name))
  elif $more != "" then is("\($was) -> \($a | value)\($more)")
  elif ($b | type) == "array" and ($a | type) == "array" then
    ($b - ($b - $a)) as $kept | ($a - ($a - $b)) as $still
    | is($b - $a | .[] | "- \(value)"), is($a - $b | .[] | "+ \(value)"), (select($kept != $still) | is("order \($kept | value) -> \($still | value)"))
  else is("\($was) -> \($a | value)") end;

# What each key has of its own, unlike its arguments.
def of_each_key: "id key_id key_secret key_suffix created_at used_at ready_for_renewal secret_version encrypted_key_secret" | split(" ");
# All but what the platform changes by itself, and what every new key has.
def differing:
  ({dataplatform_pipe: ["state", "updated_at"], dataplatform_api_key: of_each_key}[.type] // [] | map([.])) as $omit
  | .change | select(.after != null)
  | differences([]; .before // {} | delpaths($omit); .after | delpaths($omit); .after_unknown | delpaths($omit); .before_sensitive; .after_sensitive);

# Whether a key is replaced because it is due, and what else its replacement changes. ignore_changes
# hides that from the reasons of the replacement: the new key has the arguments of the configuration.
def is_due: .type == "dataplatform_api_key" and any(.change.replace_paths[]?; . == ["ready_for_renewal"]);
def new_arguments:
  .change as {$before, $after, $after_unknown}
  | [(($before + $after + $after_unknown | keys - of_each_key - ["expire_at"])[] | select($before[.] != $after[.] or ($after_unknown[.] | marked))),
     (.change.replace_paths[][0] | select(. != "ready_for_renewal"))] | unique;
def is_renewal: is_due and new_arguments == [];

def title:
  .type as $type | .change as {$actions, $before, $importing}
  | if ($actions | index("delete")) and (harmless | not) then
      "DELETES \(.address) (\($before | .name // .id // "" | value))\(if $actions[1] then " and creates it anew" else "" end), provider \(.provider_name)"
    else "\(.address): " + ([
      (.previous_address // empty | "moved from \(.)"),
      ($importing // empty | "import \($before.name | tojson) (\(.id // (.identity | tojson)))"),
      ($actions | join(",") | select(. != "no-op") | {
        "delete,create": "delete, create (-/+)", "create,delete": "create, delete (+/-)", "delete": "delete. Nothing is deleted on the platform",
        "forget": ("no longer managed" + if $type != "dataplatform_api_key" then "" else ". The key (suffix \($before.key_suffix | value)) stays valid"
          + ($before.expire_at // "" | if . == "" then . else " until \(.)" end) + ", and cannot be imported again" end)}[.] // .)] | join(", ")) end;

# $told are the summaries of warnings, by address, and $drift is what has drifted.
def change($told; $drift):
  . as $r | (.change.actions | length > 1) as $replaced
  | [.change.replace_paths // [] | .[] | map(strings)] as $forcing
  | def told($summary): any($told[$r.address][]?; startswith($summary));
  [differing | . as $d | any($forcing[]; . as $path | ($d.at | within($path)) or ($path | within($d.at))) as $forced
   | select($forced or (($replaced and ($r | adopted)) | not)) # the other values are those of another object
   | (.at[2] == "table_mappings" and told("Table mappings of ") and (.b != null or .at[4] != null)) as $told
   | .line = "  \(if $told then .at[:3] else .at end | path): " + (
       if $told then "see the warning above"
       elif .a == null and ($r | adopted) and .at[2] != "table_mappings" and (.text | endswith("known after apply)") | not) then "no longer managed"
       else .text end)
     + (if $forced then " # forces replacement" else "" end)
     + ([$drift[] | select(.address == $r.address and .at == $d.at)
         | if .b == $d.a then " (reverts a change made outside of Terraform)" else " (also changed outside of Terraform)" end][0] // "")] as $all
  | any($all[]; .at[0] == "source" and $r.change.after.source_credentials[.at[1] // ""] != null and (told("Source of ") | not)) as $sent
  | title as $title
  | {rank: (.change.actions | if $title | startswith("DELETES ") then 0 elif any(. == "delete" or . == "forget") then 3
       elif . == ["update"] then 5 elif . == ["create"] then 6 else 8 end),
     lines: ([$title] + ([$all[].line] | unique) + if $sent then ["  credentials of the pipe's source are sent with it"] else [] end)};
def changes($told):
  [.resource_drift[]? | .address as $address | differing | {$address, at, b}] as $drift
  | .resource_changes[]? | select(has_changes or .change.importing or .previous_address)
  | change($told; $drift);

# Objects that several resources manage.
def twice:
  [.resource_changes[]? | select(.mode != "data" and adopted and .change.after != null)
   | {address, id: (.change.after | .pipe_id // .service_id // empty | ascii_downcase)}]
  | group_by(.id)[] | select(length > 1)
  | {rank: 4, lines: (["warning: \(length) resources manage \(first.id). Each can revert what another one sets"] + map("  in \(.address)"))};

# What has changed outside of Terraform, and the plan leaves as it is.
def drift:
  [.resource_changes[]? | .address as $address | select(.change.actions != ["no-op"]) | differing | [$address, .at]] as $changed
  | .resource_drift[]? | .address as $address
  | [differing | select([$address, .at] as $d | any($changed[]; . == $d) | not) | "  \(.at | path): \(.text)"] as $lines
  | if .change.actions == ["delete"] then {rank: 7, lines: ["\($address): gone from the platform"]}
    else select($lines != []) | {rank: 7, lines: (["\($address): changed outside of Terraform"] + $lines)} end;

# The outputs that change. Terraform prints a secret only where an output says nonsensitive.
def outputs:
  .configuration.root_module.outputs as $of
  | [.output_changes // {} | to_entries[] | select(.value.actions != ["no-op"])] | select(. != [])
  | map(select(.value.after_sensitive != true and .value.actions != ["delete"]) | .key) as $printed
  | ($printed[]
     | select(any($of[.].expression | .. | .references? // empty | .[]; test("(^|[._])(secrets?|password|connection_string)$") and (test("encrypted_") | not)))
     | {rank: 4, lines: ["warning: The apply prints the output \([.] | path), which has a secret and is not sensitive"]}),
    {rank: 6, lines: (["outputs that change: \(map([.key] | path) | join(", "))"]
      + if $printed == [] then [] else ["  printed by the apply: \($printed | map([.] | path) | join(", "))"] end)};

# Errors, then warnings. Those that differ only in IDs are shown once, and errors that differ in times.
def diagnostics:
  def common: [.severity, .summary, .detail // ""] | map(gsub("(\"[^\"]*\" \\()?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"; "ID"))
    | if .[0] == "error" then map(gsub("[0-9]+ attempts?|[0-9]+(:[0-9]+){2}|\\b([0-9]+(\\.[0-9]+)?(ms|s|m|h))+\\b"; "TIME")) else . end;
  [.[].diagnostic // empty | select(.summary != "Some objects will no longer be managed by Terraform")] # the changes say more
  | to_entries | group_by(.value | common) | sort_by([.[0].value.severity, (.[0].value.summary | startswith("Destroy ")), .[0].key])[]
  | .[0].value as $first
  | (map(.value | [.address // empty, (.range // empty | "(\(.filename) line \(.start.line))")] | join(" ") | select(. != "")) | unique) as $places
  | {rank: (if $first.severity == "error" then 1 elif $first.summary | startswith("Table mappings of ") then 2 else 4 end), lines: (
      ["\($first.severity): \($first.summary | split("\n") | join(" "))"] + ($places[:3] | map("  in \(.)"))
      + if $places[3:] == [] then [] else ["  and in \($places[3:] | length) more places"] end
      + ($first.detail // "" | split("\n") | map(select(. != "") | "  \(.)")))};

# What fits into a number of bytes: first the titles of all blocks and then their other lines, both from
# the most dangerous block on. Nothing that is less dangerous takes the place of what does not fit.
def fit($max; $rest):
  def size: map(utf8bytelength + 5) | add // 0;
  def more: "  … (\(length) more lines)";
  reduce (to_entries | sort_by(.value.rank, .key)[]) as $b ({left: $max, kept: [], missing: 0};
    ([$b.value.lines | first, (.[1:] | select(. != []) | more)] | size) as $size
    | if .missing > 0 or .left < $size then .missing += 1 else .left -= $size | .kept += [$b] end)
  | reduce range(.kept | length) as $i (.full = false; .left as $left
    | .kept[$i].value.lines[1:] as $lines
    | (if .full then [] else [foreach $lines[] as $line (0; . + ([$line] | size); select(. <= $left) | $line)] end) as $fitting
    | .left -= ($fitting | size)
    | if $fitting != $lines then .full = true | .kept[$i].value.lines |= .[:1] + $fitting + [$lines[$fitting | length:] | more] else . end)
  | (.kept | sort_by(.key)[].value.lines[]),
    (.missing | select(. > 0) | "\(.) objects or messages, the least dangerous ones, are missing here."),
    (select(.full or .missing > 0) | "All lines are in the log. \($rest)");

# The input are the messages of terraform plan -json, and $plan is null if it failed.
def review($plan; $title; $max; $rest):
  (reduce (.[].diagnostic | select(.address? and .severity == "warning")) as $d ({}; .[$d.address] += [$d.summary])) as $told
  | ([$plan.resource_changes[]?.change] | def number($action): map(select(.actions | index($action))) | length;
     "\(map(select(.importing)) | length) to import, \(number("create")) to add, \(number("update")) to change, \(number("delete")) to destroy"
     + if number("forget") > 0 then ", \(number("forget")) to forget" else "" end) as $counts
  | [$plan // {} | outputs] as $outputs
  | [($outputs[] | select(.rank == 4)), diagnostics, ($plan // {} | twice, changes($told)), ($outputs[] | select(.rank != 4)), ($plan // {} | drift)] as $all
  | ($all | map(select(.rank == 0)) | length) as $deletions
  | (if $max < 60000 then 300 else $max / 200 end) as $word # a long name must not take the place of what is dangerous
  | $all | sort_by(.rank != 0)
  | map(.lines |= map(if length > $word then split(" ") | map(cut($word)) | join(" ") | cut(10 * $word) else . end | clean) | .lines[0] |= cut(2 * $word))
  | (if $plan and all(.[].lines[0]; startswith("warning: Object is empty") | not) then $counts else null end) as $counts
  | if $counts then (if $deletions > 0 then "This plan DELETES \($deletions) objects of other providers. " else "" end)
      + "Plan of \($title): \($counts).\(if env.GITHUB_EVENT_NAME == "pull_request" then " A new plan is made after the merge." else "" end)"
    else "The plan of \($title) failed." end,
    fit($max; $rest), ($counts // empty | "Plan: \(.).");
