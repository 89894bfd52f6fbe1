import type { WorkspacesService } from '#server/domains/workspaces/index';
import { AppError } from '#server/kernel/errors';
import type { PackageInterface } from '#shared/form-packages/package';
import type { InterfaceSpec, SubjectRef } from '#shared/interfaces/contract';
import { InterfaceName } from '#shared/interfaces/scalars';
import type { BlueprintWrites } from './blueprint-writes.ts';
import { createListDue, type DueBlueprint, ownerOf, type PublicationInput } from './due-blueprints.ts';
import type { References } from './references.ts';
import type { InterfacesStore } from './store.ts';
import { requirePublic } from './writes.ts';

type Deps = {
  store: Pick<InterfacesStore, 'findByName' | 'findOfBlueprint' | 'listOwned' | 'listAppliedKeys'>;
  blueprintWrites: BlueprintWrites;
  references: Pick<References, 'hasSubject'>;
  workspaces: Pick<WorkspacesService, 'findRoles'>;
};
/** The account that applies is bound where a blueprint names the installing principal. */
export type PublishInput = PublicationInput & { resourceId: string; principalId: string };

/** Publishes the Interfaces of form packages. Everything belongs to the transaction that writes the Resource. */
export function createPublication({ store, blueprintWrites, references, workspaces }: Deps) {
  const listDue = createListDue(store);

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

  function requireAllowed({ workspaceId, resourceId }: PublicationInput, { blueprint, name }: DueBlueprint): void {
    const { labels, bindings = [] } = blueprint;
    if (!InterfaceName.safeParse(name).success) throw nameRefused();
    // The id of a new Resource is not known yet, and is no part of what is checked.
    requirePublic({ spec: specOf(blueprint, resourceId ?? 'new'), labels });
    for (const { subjectRef } of bindings)
      if (subjectRef && !references.hasSubject(subjectRef, workspaceId)) throw subjectUnavailable();
  }

  return {
    /**
     * Checks a publication before anything of the Resource is written. Throws 409 `interface_identity_ambiguous` when
     * another Interface has the name, `interface_instance_ambiguous` when several of the Resource may be the one that the
     * package describes, 404 for a subject outside of the Workspace, and 400 for a name or a value that is not allowed.
     */
    check(input: PublicationInput): void {
      for (const due of listDue(input)) {
        if (due.fault) throw due.fault;
        requireAllowed(input, due);
      }
    },

    /**
     * Brings the Interfaces and bindings of a Resource to the blueprints, after the Resource was written. An Interface whose
     * name was taken since the check is left out: the next check refuses it, and the next publication after that makes it.
     */
    publish(input: PublishInput): void {
      const owner = ownerOf(input.resourceId);
      const keys = new Set(input.blueprints.map(({ key }) => key));
      const removed = store.listAppliedKeys(owner).filter((key) => !keys.has(key));
      for (const key of removed) blueprintWrites.retire(owner, key, { actorId: input.principalId });
      for (const due of listDue(input)) if (!due.fault) write(input, due);
    },
  };
}
export type Publication = ReturnType<typeof createPublication>;

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
function specOf({ spec: { inputs, ...rest } }: PackageInterface, resourceId: string): InterfaceSpec {
  if (!inputs) return rest;
  const bound = Object.entries(inputs).map(
    ([name, input]) => [name, input.source === 'literal' ? input : { ...input, resourceId }] as const,
  );
  return { ...rest, inputs: Object.fromEntries(bound) };
}
