# .tflint.hcl
plugin "terraform" {
  enabled = true
  preset  = "recommended"
}

# Built from lint.
plugin "members" {
  enabled = true
}

rule "misspelled_members" {
  enabled = true

  schema         = ".tflint.d/schema.json"
  variable_files = ["environments/*.tfvars"]
}
