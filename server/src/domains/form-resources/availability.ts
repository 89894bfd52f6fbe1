import { isDeepStrictEqual } from 'node:util';
import {
  isActivated,
  isActivatedFor,
  type ListedPackage,
  type PackageState,
} from '#server/domains/form-packages/index';
import { AppError } from '#server/kernel/errors';
import type { FormAvailability, FormIdentity, FormOperation } from '#shared/form-packages/contract';
import type { FormPackage } from '#shared/form-packages/package';
import type { FormPackagesPort } from './ports.ts';
import { unknownForm } from './refusals.ts';
import type { ResourceRow } from './store.ts';

/**
 * Requires that a request names the form of the Resource, or without a Resource one that this host knows. Throws 409
 * `form_identity_conflict` and 404 `form_unknown`.
 */
export function requireIdentity(
  packages: Pick<FormPackagesPort, 'findPackage'>,
  identity: FormIdentity,
  current: ResourceRow | undefined,
): void {
  if (current && !isDeepStrictEqual(current.form, identity))
    throw new AppError(
      'form_identity_conflict',
      'The Resource belongs to another form than the one that the request names. Read it for its reference.',
    );
  if (!current && !packages.findPackage(identity)) throw unknownForm();
}

/**
 * Requires that a form can be used for new work in a Workspace. Throws 409 `form_not_installed`, 503 `form_unavailable`
 * and 403 `policy_denied`.
 */
export function requireAvailable(
  found: PackageState | undefined,
  { workspaceId, operation }: { workspaceId: string; operation: FormOperation },
): FormPackage {
  if (!found) throw unknownForm();
  if (found.state === 'known') throw new AppError('form_not_installed', `${notInstalled} Ask the operator.`);
  const form = found.package;
  const refusal = findRefusal(form, workspaceId);
  if (refusal) throw refusal;
  requireOperation(form, operation);
  return form;
}

/** Throws 403 `policy_denied` for an operation that the form does not support. */
export function requireOperation({ operations }: FormPackage, operation: FormOperation): void {
  if (operations.includes(operation)) return;
  throw new AppError(
    'policy_denied',
    `The form does not support the operation ${operation}. Ask the operator for a form that does.`,
  );
}

/** The list of packages gives the operator the reason; callers learn nothing about files of the host. */
const notInstalled = 'The package of this form is not installed.';
const notExecutable = 'The form is defined, but this host cannot execute it.';
const notActivated = 'The operator has not activated this form. Ask the operator.';
const notForSpace = 'The operator has not activated this form for this space. Ask the operator.';
const notForCaller = 'Your role or token may not change Resources in this space.';

/** Returns the state of a form for a principal in a Workspace. */
export function availabilityOf(
  listed: ListedPackage,
  { workspaceId, mayWrite }: { workspaceId: string; mayWrite: boolean },
): FormAvailability {
  const { identity } = listed;
  if (!listed.installed)
    return {
      identity,
      definitionKnown: true,
      installed: false,
      executable: false,
      executableReason: notInstalled,
      activated: false,
      availableToPrincipal: false,
      availabilityReason: notInstalled,
      operations: [],
      deprecated: false,
    };
  const form = listed.package;
  const reason = findRefusal(form, workspaceId)?.message ?? (mayWrite ? undefined : notForCaller);
  return {
    identity,
    definitionKnown: true,
    installed: true,
    executable: form.executable,
    ...(!form.executable && { executableReason: notExecutable }),
    activated: isActivated(form),
    availableToPrincipal: reason === undefined,
    ...(reason !== undefined && { availabilityReason: reason }),
    operations: [...form.operations],
    deprecated: form.deprecated,
  };
}

/** Returns the error for a Workspace that cannot use an installed form. */
function findRefusal(form: FormPackage, workspaceId: string): AppError | undefined {
  if (!form.executable) return new AppError('form_unavailable', notExecutable);
  if (!isActivated(form)) return new AppError('form_unavailable', notActivated);
  if (!isActivatedFor(form, workspaceId)) return new AppError('policy_denied', notForSpace);
  return undefined;
}
