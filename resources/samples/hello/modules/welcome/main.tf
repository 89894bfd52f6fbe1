variable "text" {
  description = "The greeting."
  type        = string
}

resource "terraform_data" "sign" {
  input = var.text
}

output "text" {
  description = "The greeting as it stands on the sign."
  value       = terraform_data.sign.output
}
