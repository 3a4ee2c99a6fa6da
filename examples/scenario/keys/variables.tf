variable "organization_id" {
  description = "ID of the organization."
  type        = string
}

variable "team" {
  description = "Name of the team. API keys begin with it."
  type        = string
}

variable "environment" {
  description = "`staging` or `production`."
  type        = string

  # Or the plan would drop what this workspace manages.
  validation {
    condition     = var.environment == terraform.workspace
    error_message = "These are the values of ${var.environment}, but the workspace is ${terraform.workspace}."
  }
}

variable "applications" {
  description = <<-EOT
    Applications that need an API key, by name.

    - `roles`: `developer`, `query_endpoints` or both. `admin` is rejected
    - `addresses`: IP addresses and CIDR blocks from which the key is accepted, each with a description
    - `generation`: increase it to replace the key before it is due, for example because its secret leaked
  EOT
  type = map(object({
    roles      = set(string)
    addresses  = optional(map(string), {})
    generation = optional(number, 1)
  }))

  validation {
    condition     = alltrue([for application in values(var.applications) : !contains(application.roles, "admin")])
    error_message = "An application must not have the role admin."
  }
}

variable "key_rotation_days" {
  description = "How often each API key is replaced, in days. The old key stays valid for 14 more days."
  type        = number
  default     = 30

  validation {
    condition     = var.key_rotation_days >= 1 && var.key_rotation_days <= 365 && floor(var.key_rotation_days) == var.key_rotation_days
    error_message = "key_rotation_days must be a whole number between 1 and 365."
  }
}
