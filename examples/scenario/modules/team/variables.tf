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
}

variable "pipes" {
  description = <<-EOT
    Pipes of the services, by a name of your choice.

    - `service`: the service's name in `services`
    - `id`: ID of the pipe
    - `kafka`, `postgres`: `username` of the pipe at its source. The secret is its password
    - `secret_version`: increase it to send a new secret

    Set the kind that the pipe has. Without a kind, Terraform sends no credentials, for example because the source trusts the pipe's IAM role.
  EOT
  type = map(object({
    service        = string
    id             = string
    secret_version = optional(number, 1)
    kafka          = optional(object({ username = string }))
    postgres       = optional(object({ username = string }))
  }))
  default = {}

  validation {
    condition     = alltrue([for pipe in values(var.pipes) : contains(keys(var.services), pipe.service)])
    error_message = "The service of a pipe must be one of services."
  }

  validation {
    condition     = alltrue([for pipe in values(var.pipes) : pipe.kafka == null || pipe.postgres == null])
    error_message = "A pipe has one kind of source."
  }
}

variable "source_secrets" {
  description = "Secrets of the pipes' sources, by the pipe's name. Required in a run that sends one: the first one without import_only, and one that changes secret_version or username."
  type        = map(string)
  default     = {}
  sensitive   = true
  ephemeral   = true
}
