# Hello: a first module. It changes nothing outside its own state, so plan it, apply it and destroy it as you like.

locals {
  greeting = var.loud ? "Hello, %s!" : "Hello, %s."
}

# Each person is a resource of its own: add a name, and the plan shows one more to create.
module "welcome" {
  source   = "./modules/welcome"
  for_each = toset(var.names)
  text     = format(local.greeting, each.value)
}

# terraform_data is built into the tool. Other labels change the event in place, another edition replaces it.
resource "terraform_data" "event" {
  input            = { capacity = var.capacity, labels = var.labels }
  triggers_replace = [var.edition]
}

# The passphrase is marked sensitive, so the plan shows that it changes and never what it is.
resource "terraform_data" "guest_book" {
  triggers_replace = [var.passphrase]
}
