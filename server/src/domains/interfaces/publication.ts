import type { WorkspacesService } from '#server/domains/workspaces/index';
import { jsonDigest } from '#server/kernel/digest';
import { AppError } from '#server/kernel/errors';
import type { PackageInterface } from '#shared/interfaces/blueprint';
import type { InterfaceSpec, OwnerRef, SubjectRef } from '#shared/interfaces/contract';
import { InterfaceName } from '#shared/interfaces/scalars';
import type { BlueprintWrites } from './blueprint-writes.ts';
import type { References } from './references.ts';
import type { InterfaceRow, InterfacesStore } from './store.ts';
import { requirePublic } from './writes.ts';

type Deps = {
  store: Pick<InterfacesStore, 'findByName' | 'findOfBlueprint' | 'listOwned' | 'listAppliedKeys'>;
  blueprintWrites: BlueprintWrites;
  references: Pick<References, 'hasSubject'>;
  workspaces: Pick<WorkspacesService, 'findRoles'>;
};
/** A Resource, or one that is not created yet, with what its package publishes. */
export type PublicationInput = {
  workspaceId: string;
  resourceId: string | undefined;
  resourceName: string;
  blueprints: readonly PackageInterface[];
};
/** The account that applies is bound where a blueprint names the installing principal. */
export type PublishInput = PublicationInput & { resourceId: string; principalId: string };

/** A blueprint that is new or has changed, with the live or retired Interface that was made of it. */
type DueBlueprint = { blueprint: PackageInterface; digest: string; name: string; row: InterfaceRow | undefined };

/** Publishes the Interfaces of form packages. Everything belongs to the transaction that writes the Resource. */
export function createPublication({ store, blueprintWrites, references, workspaces }: Deps) {
  const findApplied = (resourceId: string | undefined, key: string): InterfaceRow | undefined =>
    resourceId === undefined ? undefined : store.findOfBlueprint(ownerOf(resourceId), key);

  /** Lists the blueprints whose Interfaces have to be written. One that a person has changed or retired stays so. */
  function listDue({ workspaceId, resourceId, resourceName, blueprints }: PublicationInput): DueBlueprint[] {
    const owned = resourceId === undefined ? [] : store.listOwned('Resource', resourceId);
    const unclaimed = owned.filter(({ blueprintKey }) => blueprintKey === null);
    const keys = new Set(blueprints.map(({ key }) => key));
    const freed = owned.filter(({ blueprintKey }) => blueprintKey !== null && !keys.has(blueprintKey));
    const names = new Set<string>();
    return blueprints.flatMap((blueprint): DueBlueprint[] => {
      const digest = jsonDigest(blueprint);
      const applied = findApplied(resourceId, blueprint.key);
      if (applied?.blueprintDigest === digest) return [];
      const row = applied ?? takeAlike(unclaimed, blueprint);
      const name = interfaceNameOf(resourceName, blueprint);
      const holder = store.findByName(workspaceId, name);
      const isFree = !holder || holder.id === row?.id || freed.some(({ id }) => id === holder.id);
      if (!isFree || names.has(name)) throw identityAmbiguous();
      names.add(name);
      return [{ blueprint, digest, name, row }];
    });
  }

  /** The bindings of an account that has left would be revoked, so they are not made. */
  function findSubject({ workspaceId, principalId }: PublishInput, named: SubjectRef | undefined) {
    if (named) return references.hasSubject(named, workspaceId) ? named : undefined;
    return workspaces.findRoles(workspaceId, principalId) && ({ kind: 'Principal', id: principalId } as const);
  }

  function write(input: PublishInput, { blueprint, digest, name, row }: DueBlueprint): void {
    const { workspaceId, resourceId, principalId } = input;
    const { key, labels, bindings = [] } = blueprint;
    const actor = { actorId: principalId };
    const spec = specOf(blueprint, resourceId);
    const described = { workspaceId, name, ownerRef: ownerOf(resourceId), labels, spec };
    const bindingKeys = bindings.map((one) => one.key);
    const origin = { blueprintKey: key, blueprintDigest: digest, bindingKeys };
    const placed = blueprintWrites.place(row, { ...described, ...origin }, actor);
    for (const { key: packageKey, permissions, delivery, subjectRef: named } of bindings) {
      const subjectRef = findSubject(input, named);
      if (subjectRef)
        blueprintWrites.bind(placed, { subjectRef, permissions, delivery }, { ...actor, key: packageKey, packageKey });
    }
  }

  return {
    /**
     * Checks a publication before anything of the Resource is written. Throws 409 `interface_identity_ambiguous` when
     * another Interface has the name, `interface_instance_ambiguous` when several of the Resource may be the one that the
     * package describes, 404 for a subject outside of the Workspace, and 400 for a name or a value that is not allowed.
     */
    check(input: PublicationInput): void {
      for (const { blueprint, name } of listDue(input)) {
        if (!InterfaceName.safeParse(name).success) throw nameRefused();
        requirePublic({ spec: specOf(blueprint, input.resourceId ?? ''), labels: blueprint.labels });
        for (const { subjectRef } of blueprint.bindings ?? [])
          if (subjectRef && !references.hasSubject(subjectRef, input.workspaceId)) throw subjectUnavailable();
      }
    },

    /**
     * Brings the Interfaces and bindings of a Resource to the blueprints, after the Resource was written. Throws as `check`
     * when the name of an Interface was taken since.
     */
    publish(input: PublishInput): void {
      const owner = ownerOf(input.resourceId);
      const keys = new Set(input.blueprints.map(({ key }) => key));
      const removed = store.listAppliedKeys(owner).filter((key) => !keys.has(key));
      for (const key of removed) blueprintWrites.retire(owner, key, { actorId: input.principalId });
      for (const due of listDue(input)) write(input, due);
    },
  };
}
export type Publication = ReturnType<typeof createPublication>;

const ownerOf = (id: string): OwnerRef => ({ kind: 'Resource', id });

/** An Interface has to start with a letter; a Resource may start with a digit. */
const interfaceNameOf = (resourceName: string, { name }: PackageInterface): string =>
  `${/^\d/.test(resourceName) ? 'r-' : ''}${resourceName}-${name}`;

/** Takes the one Interface without a blueprint that has the type and version of this one. */
function takeAlike(unclaimed: InterfaceRow[], { spec }: PackageInterface): InterfaceRow | undefined {
  const alike = unclaimed.filter(({ type, version }) => type === spec.type && version === spec.version);
  if (alike.length > 1)
    throw new AppError(
      'interface_instance_ambiguous',
      'The Resource owns several Interfaces of a type that its form publishes. Retire all but one, then try again.',
    );
  const [only] = alike;
  if (only) unclaimed.splice(unclaimed.indexOf(only), 1);
  return only;
}

const identityAmbiguous = () =>
  new AppError(
    'interface_identity_ambiguous',
    'Another Interface of this Workspace has the name of one that the form publishes. Rename or retire it, then try again.',
  );
const nameRefused = () =>
  new AppError(
    'invalid_request',
    'The name of the Resource is too long for the names of the Interfaces that its form publishes. Choose a shorter one.',
  );
const subjectUnavailable = () =>
  new AppError(
    'not_found',
    'The form allows an account, a Capsule or a Resource that is not in this Workspace. Ask the operator to correct its package.',
  );

/** The Output that a blueprint reads is that of the Resource that it is made for. */
function specOf({ spec }: PackageInterface, resourceId: string): InterfaceSpec {
  const { inputs = {}, ...rest } = spec;
  const bound = Object.entries(inputs).map(([name, input]) => [
    name,
    input.source === 'literal' ? input : { ...input, resourceId },
  ]);
  return { ...rest, ...(bound.length > 0 && { inputs: Object.fromEntries(bound) }) } as InterfaceSpec;
}
