# The module describes and checks the values; these types repeat its own.

variable "organization_id" {
  description = "ID of the organization."
  type        = string
}

variable "team" {
  description = "Name of the team."
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

variable "applications" {
  description = "Applications that need an API key, by name."
  type = map(object({
    roles      = set(string)
    addresses  = optional(map(string), {})
    generation = optional(number, 1)
  }))
  default = {}
}

variable "key_rotation_days" {
  description = "How often each API key is replaced, in days."
  type        = number
  default     = 30
}

variable "pipes" {
  description = "Pipes of the services, by a name of your choice."
  type = map(object({
    service        = string
    id             = string
    secret_version = optional(number, 1)
    kafka          = optional(object({ username = optional(string), application = optional(string) }))
    postgres       = optional(object({ username = string }))
  }))
  default = {}
}

variable "source_secrets" {
  description = "Secrets of the pipes' sources, by the pipe's name. Required in a run that sends one: the first one without import_only, and one that changes secret_version or username."
  type        = map(string)
  default     = {}
  sensitive   = true
  ephemeral   = true
}

variable "age_identity" {
  description = "Private key that decrypts the secrets of the API keys. Required in a run that decrypts."
  type        = string
  default     = null
  sensitive   = true
  ephemeral   = true
}

variable "decrypts" {
  description = "Whether the run decrypts the secrets that pipes need. A plan of a pull request must not. Never apply without."
  type        = bool
  default     = true
}
