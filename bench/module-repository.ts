import type { RepositoryFiles } from './git-origin.ts';

/**
 * Returns a repository of `folders` modules with five files each, as collections of published modules are: a module
 * with variables, outputs and resources of two providers, its versions, and its documentation.
 */
export function moduleRepository(folders: number): RepositoryFiles {
  const modules = Array.from({ length: folders }, (_, index) => Object.entries(moduleFiles(`service-${index}`, index)));
  return { 'README.md': '# Modules\n', ...Object.fromEntries(modules.flat()) };
}

/** The file that changes in a module, with another content for each change. */
export const changedFile = (change: number): RepositoryFiles => ({
  'modules/service-7/outputs.tf': `${outputs('service-7')}\noutput "change" {\n  value = ${change}\n}\n`,
});

const moduleFiles = (name: string, index: number): RepositoryFiles => ({
  [`modules/${name}/main.tf`]: resources(name, 2 + (index % 5)),
  [`modules/${name}/variables.tf`]: variables(name, 8 + (index % 9)),
  [`modules/${name}/outputs.tf`]: outputs(name),
  [`modules/${name}/versions.tf`]: versions,
  [`modules/${name}/README.md`]: documentation(name, 60),
});

const list = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => text(index)).join('\n');

const resources = (name: string, count: number): string => `locals {
  create = var.create && length(var.names) > 0
  tags   = merge(var.tags, { "module" = "${name}", "managed-by" = "tofu" })
}

data "aws_iam_policy_document" "assume" {
  statement {
    actions = ["sts:AssumeRole"]
    principals {
      type        = "Service"
      identifiers = ["\${var.service}.amazonaws.com"]
    }
  }
}

${list(
  count,
  (index) => `resource "aws_iam_role" "${name}_${index}" {
  for_each = { for name in var.names : name => name if local.create }

  name                  = "\${var.prefix}-\${each.key}-${index}"
  description           = coalesce(var.descriptions[each.key], "Role of ${name}")
  assume_role_policy    = data.aws_iam_policy_document.assume.json
  max_session_duration  = try(var.options.session_duration, 3600)
  force_detach_policies = true

  # Policies that every role of this module has.
  dynamic "inline_policy" {
    for_each = var.policies
    content {
      name   = inline_policy.key
      policy = jsonencode(inline_policy.value)
    }
  }

  lifecycle {
    create_before_destroy = true
    ignore_changes        = [tags["last-used"]]
  }

  tags = local.tags
}
`,
)}
resource "random_id" "suffix" {
  byte_length = 4
  keepers     = { name = var.prefix }
}
`;

const variables = (name: string, count: number): string => `variable "create" {
  description = "Whether to create the resources of ${name}."
  type        = bool
  default     = true
}

variable "names" {
  type = list(string)
}

variable "policies" {
  description = <<-EOT
    Policies by name.
    Each becomes an inline policy of every role.
  EOT
  type    = map(object({ actions = list(string), resources = optional(list(string), ["*"]) }))
  default = {}
}

${list(
  count,
  (index) => `variable "option_${index}" {
  description = "Option ${index} of ${name}, see the documentation of the provider."
  type        = ${['string', 'number', 'map(string)', 'any'][index % 4]}
  default     = ${['"value"', `${index}`, '{ key = "value" }', 'null'][index % 4]}
  sensitive   = ${index % 7 === 0}

  validation {
    condition     = var.option_${index} == null || length(tostring(var.option_${index})) < ${100 + index}
    error_message = "The option is too long."
  }
}
`,
)}`;

const outputs = (name: string): string => `output "names" {
  description = "Names of the roles of ${name}."
  value       = [for role in values(aws_iam_role.${name}_0) : role.name]
}

output "arns" {
  description = "Addresses of the roles by name."
  value       = { for key, role in aws_iam_role.${name}_0 : key => role.arn }
}

output "suffix" {
  value     = random_id.suffix.hex
  sensitive = true
}
`;

const versions = `terraform {
  required_version = ">= 1.5.7"

  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.0"
    }
    random = {
      source  = "hashicorp/random"
      version = "~> 3.6"
    }
  }
}
`;

const documentation = (name: string, lines: number): string =>
  `# ${name}\n\n${list(lines, (line) => `Line ${line} of ${name}: ${(line * 7919 + name.length * 104_729) % 1_000_003}.`)}\n`;
