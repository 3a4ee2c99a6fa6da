# The module describes and checks the values; these types repeat its own.

variable "organization_id" {
  description = "ID of the organization."
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

variable "import_only" {
  description = "Import services and pipes without changing them."
  type        = bool
  default     = false
}

variable "services" {
  description = "Services of the team, by a name of your choice."
  type = map(object({
    id           = string
    num_replicas = optional(number)
    always_on    = optional(bool, false)
  }))
}

variable "pipes" {
  description = "Pipes of the services, by a name of your choice."
  type = map(object({
    service        = string
    id             = string
    secret_version = optional(number, 1)
    kafka          = optional(object({ username = string }))
    postgres       = optional(object({ username = string }))
  }))
  default = {}
}

# One variable for each secret, so that GitHub hides it in its logs.
variable "customers_password" {
  description = "Password of the pipe `customers`. Required in a run that sends it: the first one without import_only, and one that changes its secret_version or username."
  type        = string
  default     = null
  sensitive   = true
  ephemeral   = true
}
