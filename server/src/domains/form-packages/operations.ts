import { failedPrecondition } from '#server/kernel/errors';
import type { FormOperation } from '#shared/form-packages/contract';
import type { FormPackage } from '#shared/form-packages/package';

/** Requires that a form offers an operation. Throws 409 `failed_precondition`, reason `policy_denied`. */
export function requireOperation({ operations }: Pick<FormPackage, 'operations'>, operation: FormOperation): void {
  if (operations.includes(operation)) return;
  throw failedPrecondition(
    'policy_denied',
    `The package of this form does not offer the operation ${operation}. Ask the operator for one that does.`,
    { operation },
  );
}
