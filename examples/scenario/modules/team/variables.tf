variable "team" {
  description = "Name of the team. API keys begin with it."
  type        = string

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{1,30}$", var.team))
    error_message = "The team's name must be 2 to 31 lowercase letters, digits and hyphens, and begin with a letter."
  }
}

variable "environment" {
  description = "What the services are scaled for: `staging` or `production`."
  type        = string

  validation {
    condition     = contains(["staging", "production"], var.environment)
    error_message = "The environment must be staging or production."
  }
}

variable "import_only" {
  description = "Import services and pipes without changing them. Terraform then manages none of their values."
  type        = bool
  default     = false
}

variable "services" {
  description = <<-EOT
    Services of the team, by a name of your choice. It becomes part of the address in Terraform, and does not change when the service is renamed on the platform.

    - `id`: ID of the service
    - `num_replicas`: number of replicas, between 1 and 20. Defaults to that of the environment
    - `always_on`: whether the service never idles
  EOT
  type = map(object({
    id           = string
    num_replicas = optional(number)
    always_on    = optional(bool, false)
  }))

  validation {
    condition     = length(var.services) > 0
    error_message = "A team has at least one service."
  }
}

variable "applications" {
  description = <<-EOT
    Applications that need an API key, by name.

    - `roles`: `developer`, `query_endpoints` or both. The role `admin` is rejected: no application needs it
    - `addresses`: IP addresses and CIDR blocks from which the key is accepted, each with a description
    - `generation`: increase it to replace the key before it is due, for example because its secret leaked
  EOT
  type = map(object({
    roles      = set(string)
    addresses  = optional(map(string), {})
    generation = optional(number, 1)
  }))
  default = {}

  validation {
    condition     = alltrue([for application in values(var.applications) : !contains(application.roles, "admin")])
    error_message = "An application must not have the role admin."
  }
}

variable "key_validity_days" {
  description = "Validity of an API key, in days."
  type        = number
  default     = 90

  validation {
    condition     = var.key_validity_days >= 30 && var.key_validity_days <= 365
    error_message = "key_validity_days must be between 30 and 365."
  }
}

variable "pipes" {
  description = <<-EOT
    Pipes of the services, by a name of your choice.

    - `service`: the service's name in `services`
    - `id`: ID of the pipe
    - `kind`: kind of its source, `kafka` or `postgres`
    - `username`: user name of the pipe at its source
    - `password_version`: increase it to send a new password
  EOT
  type = map(object({
    service          = string
    id               = string
    kind             = string
    username         = string
    password_version = optional(number, 1)
  }))
  default = {}

  validation {
    condition     = alltrue([for pipe in values(var.pipes) : contains(keys(var.services), pipe.service)])
    error_message = "The service of a pipe must be one of services."
  }

  validation {
    condition     = alltrue([for pipe in values(var.pipes) : contains(["kafka", "postgres"], pipe.kind)])
    error_message = "The kind of a pipe must be kafka or postgres."
  }
}

variable "passwords" {
  description = "Passwords of the pipes' sources, by the pipe's name. Required in a run that sends a password: the first one without import_only, and one that increases a password_version."
  type        = map(string)
  default     = {}
  sensitive   = true
  ephemeral   = true
}
