import type { WorkspacesService } from '#server/domains/workspaces/index';
import { jsonDigest } from '#server/kernel/digest';
import type { InterfaceBlueprint } from '#shared/interfaces/blueprint';
import type { InterfaceSpec, OwnerRef, SubjectRef } from '#shared/interfaces/contract';
import type { MaterializationError } from '#shared/interfaces/reasons';
import type { BlueprintWrites } from './blueprint-writes.ts';
import { isDue } from './intent-items.ts';
import type { IntentRow } from './intents-store.ts';
import type { References } from './references.ts';
import type { IntentItem } from './schema.ts';
import type { InterfacesStore } from './store.ts';

type Deps = {
  store: Pick<InterfacesStore, 'findOfBlueprint'>;
  blueprintWrites: BlueprintWrites;
  references: References;
  workspaces: Pick<WorkspacesService, 'findRoles'>;
};

/** The reason why one item cannot be made; the item is tried again later. */
export class MaterializationFault extends Error {
  readonly code: MaterializationError;
  constructor(code: MaterializationError) {
    super(code);
    this.code = code;
  }
}

/** The members of an intent that one item needs. */
type ItemIntent = Pick<
  IntentRow,
  'capsuleId' | 'workspaceId' | 'runId' | 'principalId' | 'blueprints' | 'items' | 'nextItemIndex'
>;
type Context = { intent: ItemIntent; actor: { runId: string }; owner: OwnerRef };

/**
 * Makes one item of an intent in the caller's transaction. Returns the items as they are afterwards. Throws
 * `MaterializationFault` when the item cannot be made now.
 */
export function createMaterializeItem({ store, blueprintWrites, references, workspaces }: Deps) {
  /** Reports whether the blueprint was new or has changed since it was applied last. */
  function makeInterface({ intent, actor, owner }: Context, blueprint: InterfaceBlueprint): boolean {
    const row = store.findOfBlueprint(owner, blueprint.key);
    const blueprintDigest = jsonDigest(blueprint);
    if (row?.blueprintDigest === blueprintDigest) return false;
    const { key, name, labels, bindings = [] } = blueprint;
    const { workspaceId } = intent;
    const interfaceInput = { workspaceId, name, ownerRef: owner, labels, spec: specOf(blueprint, owner.id) };
    const bindingKeys = bindings.map((one) => one.key);
    blueprintWrites.place(row, { ...interfaceInput, blueprintKey: key, blueprintDigest, bindingKeys }, actor);
    return true;
  }

  function makeBinding({ intent, actor, owner }: Context, interfaceKey: string, key: string): void {
    const row = store.findOfBlueprint(owner, interfaceKey);
    const blueprint = intent.blueprints.find((one) => one.key === interfaceKey);
    const wanted = blueprint?.bindings?.find((one) => one.key === key);
    if (!row || row.phase === 'Retired' || !wanted) return;
    const subjectRef = subjectOf(intent, wanted.subjectRef);
    const input = { subjectRef, permissions: wanted.permissions, delivery: wanted.delivery };
    const origin = { source: 'capsule_blueprint' as const, interfaceKey, key };
    blueprintWrites.bind(row, input, { ...actor, key, origin });
  }

  /** The subject must be usable when the item is made. */
  function subjectOf({ principalId, workspaceId }: ItemIntent, named: SubjectRef | undefined): SubjectRef {
    if (named) {
      if (!references.hasSubject(named, workspaceId)) throw new MaterializationFault('subject_unavailable');
      return named;
    }
    if (!workspaces.findRoles(workspaceId, principalId))
      throw new MaterializationFault('installing_principal_unavailable');
    return { kind: 'Principal', id: principalId };
  }

  return (intent: ItemIntent): IntentItem[] => {
    const { items, nextItemIndex } = intent;
    const item = items[nextItemIndex] as IntentItem;
    const context: Context = {
      intent,
      actor: { runId: intent.runId },
      owner: { kind: 'Capsule', id: intent.capsuleId },
    };
    if (item.kind === 'retire') blueprintWrites.retire(context.owner, item.key, context.actor);
    if (item.kind === 'binding' && isDue(item, items)) makeBinding(context, item.interfaceKey, item.key);
    if (item.kind !== 'interface') return items;
    const blueprint = intent.blueprints.find((one) => one.key === item.key) as InterfaceBlueprint;
    const changed = makeInterface(context, blueprint);
    return items.with(nextItemIndex, { ...item, changed });
  };
}

/** The Outputs that a blueprint reads are those of the Capsule that it is made for. */
function specOf({ spec }: InterfaceBlueprint, capsuleId: string): InterfaceSpec {
  const inputs = Object.entries(spec.inputs ?? {}).map(([name, input]) => [
    name,
    input.source === 'literal' ? input : { ...input, capsuleId },
  ]);
  const { inputs: _, ...rest } = spec;
  return { ...rest, ...(inputs.length > 0 && { inputs: Object.fromEntries(inputs) }) } as InterfaceSpec;
}
