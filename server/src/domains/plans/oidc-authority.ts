import type { CapsuleRow } from '#server/domains/capsules/index';
import type { StartCheck } from '#server/domains/execution/index';
import { authorityDigestOf, type CapsuleAuthority, type FindAuthority } from '#server/domains/issuer/index';
import type { CapsuleRun } from '#server/domains/runs/index';
import { failedPrecondition } from '#server/kernel/errors';
import { type RunInputPorts, readRunInputs } from './run-inputs.ts';

type Ports = { findAuthority: FindAuthority };
type SignIn = NonNullable<ReturnType<FindAuthority>>;

const drift = {
  code: 'oidc_authority_drift',
  message:
    'The address of the service or of this server, or the allowed scopes, changed after this plan, so the sign-in of the module would not work. Plan again.',
} as const;

const addressElsewhere = {
  code: 'oidc_authority_unavailable',
  message:
    'Another Capsule sets the address of the service, so it is not known when the sign-in of the module is reviewed. Remove that Dependency, then plan again.',
} as const;

const authorityOf = ({ id, workspaceId, installConfigId }: CapsuleRow, { findAuthority }: Ports) =>
  findAuthority({ capsuleId: id, workspaceId, installConfigId });

/** Refuses a plan of a module whose sign-in cannot be provided now. 409 `oidc_authority_unavailable`. */
export function requireAuthority(capsule: CapsuleRow, ports: Ports): void {
  const fault = authorityOf(capsule, ports)?.fault;
  if (fault) throw failedPrecondition(fault.code, fault.message);
}

/** Returns the sign-in that a plan pins; undefined for a module that asks for none. */
export const pinnedAuthority = (capsule: CapsuleRow, ports: Ports): CapsuleAuthority | undefined =>
  authorityOf(capsule, ports)?.authority;

/** The check of a plan or an apply when it starts: the sign-in that it pinned is still the one of its Capsule. */
export function createAuthorityCheck({ findAuthority, ...inputs }: Ports & RunInputPorts): StartCheck {
  /** A value from another Capsule would give the service another address. */
  const hasAddress = (run: CapsuleRun, { urlVariable, origin }: Pick<SignIn, 'urlVariable' | 'origin'>): boolean =>
    urlVariable !== undefined && readRunInputs(run, inputs).get(urlVariable)?.value === origin;

  return (run) => {
    if (run.type !== 'plan' && run.type !== 'apply') return undefined;
    const { installConfigId, oidcAuthority: pinned } = run.input;
    const found = findAuthority({ ...run, installConfigId });
    if (!found) return pinned && drift;
    if (found.fault) return found.fault;
    const isSame = found.authority && pinned && authorityDigestOf(found.authority) === authorityDigestOf(pinned);
    if (!isSame) return drift;
    return hasAddress(run, found) ? undefined : addressElsewhere;
  };
}
