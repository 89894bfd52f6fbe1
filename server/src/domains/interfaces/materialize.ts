import type { WorkspacesService } from '#server/domains/workspaces/index';
import { jsonDigest } from '#server/kernel/digest';
import { AppError } from '#server/kernel/errors';
import type { InterfaceBlueprint } from '#shared/interfaces/blueprint';
import type { InterfaceSpec, SubjectRef } from '#shared/interfaces/contract';
import type { MaterializationError } from '#shared/interfaces/reasons';
import { type BindingWrites, bindingDigestOf } from './bindings.ts';
import type { BindingRow, BindingsStore } from './bindings-store.ts';
import { isDue } from './intent-items.ts';
import type { IntentRow } from './intents-store.ts';
import type { References } from './references.ts';
import type { IntentItem } from './schema.ts';
import type { InterfaceRow, InterfacesStore } from './store.ts';
import type { InterfaceWrites } from './writes.ts';

type Deps = {
  store: Pick<InterfacesStore, 'findOfBlueprint' | 'clearBlueprint'>;
  bindingsStore: Pick<BindingsStore, 'listLiveOf'>;
  writes: Pick<InterfaceWrites, 'insert' | 'change' | 'retire'>;
  bindings: BindingWrites;
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
type Context = { intent: ItemIntent; actor: { runId: string } };

/**
 * Makes one item of an intent in the caller's transaction. Returns the items as they are afterwards. Throws
 * `MaterializationFault` when the item cannot be made now.
 */
export function createMaterializeItem({ store, bindingsStore, writes, bindings, references, workspaces }: Deps) {
  const originKeyOf = ({ origin }: BindingRow): string | undefined =>
    origin?.source === 'capsule_blueprint' ? origin.key : undefined;

  function retire({ intent, actor }: Context, key: string): void {
    const row = store.findOfBlueprint(intent.capsuleId, key);
    if (row && row.phase !== 'Retired') writes.retire(row, actor);
    // A blueprint that comes back is made again.
    store.clearBlueprint(intent.capsuleId, key);
  }

  /** Reports whether the blueprint was new or has changed since it was applied last. */
  function makeInterface({ intent, actor }: Context, blueprint: InterfaceBlueprint): boolean {
    const row = store.findOfBlueprint(intent.capsuleId, blueprint.key);
    const blueprintDigest = jsonDigest(blueprint);
    if (row?.blueprintDigest === blueprintDigest) return false;
    const { name, labels } = blueprint;
    const spec = specOf(blueprint, intent.capsuleId);
    if (row && row.phase !== 'Retired') {
      const changed = writes.change(row, { name, labels: labels ?? {}, spec }, actor, blueprintDigest);
      dropBindings(changed, blueprint, actor);
    } else {
      const ownerRef = { kind: 'Capsule', id: intent.capsuleId } as const;
      const origin = { blueprintKey: blueprint.key, blueprintDigest };
      writes.insert({ workspaceId: intent.workspaceId, name, ownerRef, labels, spec }, actor, origin);
    }
    return true;
  }

  /** Revokes bindings of the blueprint that it no longer has. */
  function dropBindings(row: InterfaceRow, { bindings: wanted = [] }: InterfaceBlueprint, actor: { runId: string }) {
    const keys = new Set(wanted.map(({ key }) => key));
    for (const binding of bindingsStore.listLiveOf(row.id)) {
      const key = originKeyOf(binding);
      if (key !== undefined && !keys.has(key)) bindings.revoke(row, binding, actor);
    }
  }

  function makeBinding({ intent, actor }: Context, interfaceKey: string, key: string): void {
    const row = store.findOfBlueprint(intent.capsuleId, interfaceKey);
    const blueprint = intent.blueprints.find((one) => one.key === interfaceKey);
    const wanted = blueprint?.bindings?.find((one) => one.key === key);
    if (!row || row.phase === 'Retired' || !wanted) return;
    const subjectRef = subjectOf(intent, wanted.subjectRef);
    const input = { subjectRef, permissions: wanted.permissions, delivery: wanted.delivery };
    const digest = bindingDigestOf(input);
    for (const binding of bindingsStore.listLiveOf(row.id))
      if (originKeyOf(binding) === key && binding.specDigest !== digest) bindings.revoke(row, binding, actor);
    bindings.ensure(row, input, { ...actor, origin: { source: 'capsule_blueprint', interfaceKey, key } });
  }

  /** The subject must be usable when the item is made. */
  function subjectOf({ principalId, workspaceId }: ItemIntent, named: SubjectRef | undefined): SubjectRef {
    if (named) {
      requireSubject(named, workspaceId);
      return named;
    }
    if (!workspaces.findRoles(workspaceId, principalId))
      throw new MaterializationFault('installing_principal_unavailable');
    return { kind: 'Principal', id: principalId };
  }

  function requireSubject(subject: SubjectRef, workspaceId: string): void {
    try {
      references.requireSubject(subject, workspaceId);
    } catch (error) {
      throw error instanceof AppError ? new MaterializationFault('subject_unavailable') : error;
    }
  }

  return (intent: ItemIntent): IntentItem[] => {
    const { items, nextItemIndex } = intent;
    const item = items[nextItemIndex] as IntentItem;
    const context = { intent, actor: { runId: intent.runId } };
    if (item.kind === 'retire') retire(context, item.key);
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
