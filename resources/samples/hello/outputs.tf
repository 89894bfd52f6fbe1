output "greetings" {
  description = "What is said to each person."
  value       = { for name, welcome in module.welcome : name => welcome.text }
}

output "url" {
  description = "Where the resource type of this module is explained."
  value       = "https://opentofu.org/docs/language/resources/tf-data/"
}

output "guest_book_key" {
  description = "The passphrase, as a sensitive output: listed by name, never printed."
  value       = var.passphrase
  sensitive   = true
}
