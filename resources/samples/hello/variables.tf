variable "names" {
  description = "People who are greeted."
  type        = list(string)
  default     = ["Ada", "Grace", "Linus"]

  validation {
    condition     = alltrue([for name in var.names : trimspace(name) != ""])
    error_message = "Every name needs at least one letter."
  }
}

variable "loud" {
  description = "End every greeting with an exclamation mark."
  type        = bool
  default     = true
}

variable "capacity" {
  description = "Seats, from 1 to 500."
  type        = number
  default     = 40

  validation {
    condition     = var.capacity >= 1 && var.capacity <= 500
    error_message = "Give a number of seats from 1 to 500."
  }
}

variable "labels" {
  description = "Free labels of the event."
  type        = map(string)
  default     = { floor = "ground" }
}

variable "edition" {
  description = "Change it to see a replacement in the plan."
  type        = string
  default     = "first"
}

variable "passphrase" {
  description = "Locks the guest book. A secret: it is never shown again."
  type        = string
  default     = null
  sensitive   = true
}
