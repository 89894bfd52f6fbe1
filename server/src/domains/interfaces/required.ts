import type { WorkspacesService } from '#server/domains/workspaces/index';
import type { BindingOrigin, SubjectRef } from '#shared/interfaces/contract';
import type { RequiredInterface, RequiredInterfaceFault, RequiredInterfaceMatch } from '#shared/interfaces/required';
import { type BindingActor, type BindingWrites, bindingDigestOf, type NewBinding } from './bindings.ts';
import type { BindingsStore } from './bindings-store.ts';
import type { InterfaceRow, InterfacesStore } from './store.ts';

type Deps = {
  workspaces: Pick<WorkspacesService, 'findRoles'>;
  store: Pick<InterfacesStore, 'find' | 'listResolved'>;
  bindings: Pick<BindingsStore, 'findEqual' | 'listOfRequirement'>;
  writes: Pick<BindingWrites, 'ensure'>;
};
/** A Capsule that was planned, and the account that its bindings are for. */
export type Consumer = { workspaceId: string; capsuleId: string; principalId: string };
export type RequirementFault = { code: RequiredInterfaceFault; message: string };
type Choice = { requirement: RequiredInterface; row: InterfaceRow };

const shownMatches = 5;
/** Two are enough to know that the choice is not unique. */
const decisiveMatches = 2;

/** The Interfaces of the Workspace that a module uses. A module names type and version; it never names an Interface. */
export function createRequiredInterfaces({ workspaces, store, bindings, writes }: Deps) {
  function choose(workspaceId: string, requirement: RequiredInterface): Choice | RequirementFault {
    const [row, other] = store.listResolved(workspaceId, requirement, decisiveMatches);
    const { type, version } = requirement;
    if (!row)
      return {
        code: 'required_interface_missing',
        message: `The module uses an Interface of type ${type}, version ${version}, and the Workspace has no resolved one. Apply the Capsule that offers it, then plan again.`,
      };
    if (!other) return { requirement, row };
    return {
      code: 'required_interface_ambiguous',
      message: `The module uses an Interface of type ${type}, version ${version}, and the Workspace has more than one. Retire all but one, then plan again.`,
    };
  }

  /** A binding that was revoked, or differs, is not replaced: that is up to a person. Those of a retired Interface ended with it. */
  function hasConflict({ capsuleId, principalId }: Consumer, { requirement, row }: Choice): boolean {
    if (bindings.findEqual(row.id, bindingDigestOf(bindingFor(principalId, requirement)))) return false;
    return bindings
      .listOfRequirement(capsuleId, requirement.key)
      .filter(({ subjectId }) => subjectId === principalId)
      .some(({ interfaceId }) => store.find(interfaceId)?.phase !== 'Retired');
  }

  function decide(consumer: Consumer, requirements: readonly RequiredInterface[]): Choice[] | RequirementFault {
    const choices: Choice[] = [];
    for (const requirement of requirements) {
      const chosen = choose(consumer.workspaceId, requirement);
      if ('code' in chosen) return chosen;
      if (hasConflict(consumer, chosen))
        return conflict(
          `The binding of "${requirement.key}" to the Interface ${chosen.row.name} was revoked or differs. Allow the account exactly ${requirement.permissions.join(', ')} with delivery ${requirement.deliveryType} on the Interface, then plan again.`,
        );
      choices.push(chosen);
    }
    return choices;
  }

  return {
    /** Reports what a plan would find now. Nothing is chosen or written. */
    listMatches: (workspaceId: string, requirements: readonly RequiredInterface[]): RequiredInterfaceMatch[] =>
      requirements.map((requirement) => ({
        key: requirement.key,
        type: requirement.type,
        version: requirement.version,
        permissions: [...requirement.permissions],
        interfaces: store.listResolved(workspaceId, requirement, shownMatches).map(({ id, name }) => ({ id, name })),
      })),

    /**
     * Binds the planning account to the one Interface that fits each requirement, in the transaction that ends the plan. Returns a fault,
     * and binds nothing, when one of them has not exactly one, or a person has decided otherwise.
     */
    bind(
      consumer: Consumer,
      requirements: readonly RequiredInterface[],
      actor: BindingActor,
    ): RequirementFault | undefined {
      const { workspaceId, capsuleId, principalId } = consumer;
      if (requirements.length === 0) return undefined;
      if (!workspaces.findRoles(workspaceId, principalId))
        return conflict(
          'The module uses an Interface, and the account that it would be bound to is not a member of this Workspace. Plan again as a member.',
        );
      const choices = decide(consumer, requirements);
      if ('code' in choices) return choices;
      for (const { requirement, row } of choices)
        writes.ensure(row, bindingFor(principalId, requirement), {
          ...actor,
          origin: originOf(capsuleId, requirement),
        });
      return undefined;
    },
  };
}
export type RequiredInterfaces = ReturnType<typeof createRequiredInterfaces>;

const conflict = (message: string): RequirementFault => ({ code: 'required_interface_conflict', message });

function bindingFor(principalId: string, { permissions, deliveryType }: RequiredInterface): NewBinding {
  const subjectRef: SubjectRef = { kind: 'Principal', id: principalId };
  return { subjectRef, permissions, delivery: { type: deliveryType } };
}

const originOf = (capsuleId: string, { key, type, version }: RequiredInterface): BindingOrigin => ({
  source: 'capsule_required_interface',
  capsuleId,
  requirementKey: key,
  interfaceType: type,
  interfaceVersion: version,
});
