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

variable "pipes" {
  description = "Pipes of the services, by a name of your choice."
  type = map(object({
    service          = string
    id               = string
    kind             = string
    username         = string
    password_version = optional(number, 1)
  }))
  default = {}
}

variable "passwords" {
  description = "Passwords of the pipes' sources, by the pipe's name. Required in a run that sends a password: the first one without import_only, and one that increases a password_version."
  type        = map(string)
  default     = {}
  sensitive   = true
  ephemeral   = true
}
