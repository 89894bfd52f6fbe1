import { jsonDigest } from '#server/kernel/digest';
import { AppError } from '#server/kernel/errors';
import type { PackageInterface } from '#shared/form-packages/package';
import type { OwnerRef } from '#shared/interfaces/contract';
import type { InterfaceRow, InterfacesStore } from './store.ts';

/** A Resource, or one that is not created yet, with what its package publishes. */
export type PublicationInput = {
  workspaceId: string;
  resourceId: string | undefined;
  resourceName: string;
  blueprints: readonly PackageInterface[];
};
/** A blueprint that is new or has changed, with the live or retired Interface that was made of it. */
export type DueBlueprint = {
  blueprint: PackageInterface;
  digest: string;
  name: string;
  row: InterfaceRow | undefined;
  /** Reason why it cannot be decided which Interface this is. */
  fault: AppError | undefined;
};

type Store = Pick<InterfacesStore, 'findByName' | 'findOfBlueprint' | 'listOwned'>;
type Choice = Pick<DueBlueprint, 'row' | 'fault'>;

/**
 * Creates the list of the blueprints whose Interfaces have to be written. What a person has changed or retired stays so
 * until the blueprint changes.
 */
export const createListDue =
  (store: Store) =>
  ({ workspaceId, resourceId, resourceName, blueprints }: PublicationInput): DueBlueprint[] => {
    const owned = resourceId === undefined ? [] : store.listOwned('Resource', resourceId);
    const unclaimed = owned.filter(({ blueprintKey }) => blueprintKey === null);
    const isRemoved = ({ id, blueprintKey }: InterfaceRow): boolean =>
      owned.some((one) => one.id === id) &&
      blueprintKey !== null &&
      !blueprints.some(({ key }) => key === blueprintKey);

    /** An Interface that its blueprint no longer describes is retired, which makes its name free. */
    function isFree(name: string, row: InterfaceRow | undefined): boolean {
      const holder = store.findByName(workspaceId, name);
      return !holder || holder.id === row?.id || isRemoved(holder);
    }

    return blueprints.flatMap((blueprint): DueBlueprint[] => {
      const digest = jsonDigest(blueprint);
      const applied = resourceId === undefined ? undefined : store.findOfBlueprint(ownerOf(resourceId), blueprint.key);
      if (applied?.blueprintDigest === digest) return [];
      const { row, fault }: Choice = applied ? { row: applied, fault: undefined } : takeAlike(unclaimed, blueprint);
      const name = interfaceNameOf(resourceName, blueprint);
      return [{ blueprint, digest, name, row, fault: fault ?? (isFree(name, row) ? undefined : identityAmbiguous()) }];
    });
  };

export const ownerOf = (id: string): OwnerRef => ({ kind: 'Resource', id });

/** An Interface has to start with a letter; a Resource may start with a digit. */
const interfaceNameOf = (resourceName: string, { name }: PackageInterface): string =>
  `${/^\d/.test(resourceName) ? 'r-' : ''}${resourceName}-${name}`;

/** Takes the one Interface without a blueprint that has the type and version of this one. */
function takeAlike(unclaimed: InterfaceRow[], { spec }: PackageInterface): Choice {
  const alike = unclaimed.filter(({ type, version }) => type === spec.type && version === spec.version);
  const [row] = alike;
  if (alike.length > 1) return { row: undefined, fault: instanceAmbiguous() };
  if (row) unclaimed.splice(unclaimed.indexOf(row), 1);
  return { row, fault: undefined };
}

const instanceAmbiguous = () =>
  new AppError(
    'interface_instance_ambiguous',
    'The Resource owns several Interfaces of a type that its form publishes. Retire all but one, then try again.',
  );
const identityAmbiguous = () =>
  new AppError(
    'interface_identity_ambiguous',
    'Another Interface of this Workspace has the name of one that the form publishes. Rename or retire it, then try again.',
  );
