import { jsonDigest } from '#server/kernel/digest';
import { AppError } from '#server/kernel/errors';
import type { InterfaceBlueprint } from '#shared/interfaces/blueprint';
import { manifestCode } from '#shared/manifest/contract';

type Blueprints = readonly InterfaceBlueprint[];

/**
 * Returns the Interfaces of a new manifest with what persons have changed since the accepted one: what they added or changed stays, and
 * what they removed stays removed. Throws 409 `repository_install_ux_invalid` where two would have one name.
 */
export function withOwnBlueprints(
  proposed: Blueprints,
  { accepted, current }: { accepted: Blueprints; current: Blueprints },
): InterfaceBlueprint[] {
  const acceptedByKey = new Map(accepted.map((one) => [one.key, jsonDigest(one)]));
  const own = new Map(
    current.filter((one) => acceptedByKey.get(one.key) !== jsonDigest(one)).map((one) => [one.key, one]),
  );
  const isRemoved = (key: string) => acceptedByKey.has(key) && !current.some((one) => one.key === key);
  const merged = [
    ...proposed.filter(({ key }) => !isRemoved(key)).map((one) => own.get(one.key) ?? one),
    ...[...own.values()].filter(({ key }) => !proposed.some((one) => one.key === key)),
  ];
  if (new Set(merged.map(({ name }) => name)).size === merged.length) return merged;
  throw new AppError(
    'repository_install_ux_invalid',
    'The manifest of this snapshot offers an Interface with the name of another one of this Capsule. Rename that one first.',
    { details: { diagnosticCode: manifestCode('interface_blueprint_conflict') } },
  );
}
