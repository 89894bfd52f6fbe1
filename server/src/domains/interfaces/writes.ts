import type { ActivityService } from '#server/domains/activity/index';
import type { Clock } from '#server/kernel/clock';
import { jsonDigest } from '#server/kernel/digest';
import { AppError } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import type { ActivityAction } from '#shared/activity/actions';
import type { interfacesApi } from '#shared/interfaces/api';
import type { InterfaceSpec, OwnerRef } from '#shared/interfaces/contract';
import type { BodyOf } from '#shared/kernel/endpoint';
import type { BindingWrites } from './bindings.ts';
import type { BindingsStore } from './bindings-store.ts';
import type { Evaluation } from './evaluation.ts';
import { sourcesOf } from './references.ts';
import { requirePublicSpec, requirePublicTexts } from './spec-rules.ts';
import type { InterfaceRow, InterfacesStore } from './store.ts';

export type WritePorts = {
  clock: Clock;
  activity: Pick<ActivityService, 'record'>;
  store: Pick<InterfacesStore, 'findByName' | 'insert' | 'update' | 'replaceSources'>;
  bindingsStore: Pick<BindingsStore, 'listLiveOf'>;
  bindings: Pick<BindingWrites, 'revoke'>;
  evaluation: Evaluation;
};
export type NewInterface = {
  workspaceId: string;
  name: string;
  ownerRef: OwnerRef;
  labels?: Readonly<Record<string, string>> | undefined;
  spec: InterfaceSpec;
};
/** The account that writes, or the Run of an apply. */
export type InterfaceActor = { actorId?: string; runId?: string };
export type InterfacePatch = BodyOf<typeof interfacesApi.updateInterface>;
/** Blueprint that an Interface is made from. */
type Blueprint = { blueprintKey: string; blueprintDigest: string };

export type InterfaceWrites = ReturnType<typeof createInterfaceWrites>;

/** Writes Interfaces for requests and for applies alike. Everything belongs to the caller's transaction. */
export function createInterfaceWrites({ clock, activity, store, bindingsStore, bindings, evaluation }: WritePorts) {
  function record(
    action: Extract<ActivityAction, `interface.${string}`>,
    { workspaceId, id, name, type }: InterfaceRow,
    more: InterfaceActor & { metadata?: Record<string, unknown> },
  ): void {
    const metadata = { name, type, ...more.metadata };
    activity.record({ workspaceId, ...more, action, targetType: 'interface', targetId: id, metadata });
  }

  function requireFreeName(workspaceId: string, name: string): void {
    if (store.findByName(workspaceId, name))
      throw new AppError('already_exists', 'Another Interface of this Workspace has this name. Choose another one.');
  }

  /** Changes columns without a transition of the phase. */
  function save(row: InterfaceRow, columns: Partial<InterfaceRow>): InterfaceRow {
    const set = { ...columns, updatedAt: clock.now() };
    if (!store.update(row, set))
      throw new AppError('conflict', 'The Interface was modified by another request. Reload and try again.');
    const saved = { ...row, ...set };
    evaluation.publish(saved);
    return saved;
  }

  /** Notes the blueprint that the Interface already equals. */
  const adopt = (row: InterfaceRow, blueprint: Blueprint | undefined): InterfaceRow =>
    blueprint === undefined || blueprint.blueprintDigest === row.blueprintDigest ? row : save(row, blueprint);

  return {
    record,
    save,

    /** Creates an Interface and resolves it. Throws 409 `already_exists`, and 400 `secret_like_value`. */
    insert(input: NewInterface, actor: InterfaceActor, blueprint?: Blueprint): InterfaceRow {
      requirePublic(input);
      requireFreeName(input.workspaceId, input.name);
      const row: InterfaceRow = { ...newRow(input, clock.now()), ...blueprint };
      store.insert(row, sourcesOf(input.spec));
      record('interface.created', row, actor);
      return evaluation.start(row);
    },

    /** Changes name, labels or spec; the generation rises when one of them differs. */
    change(row: InterfaceRow, patch: InterfacePatch, actor: InterfaceActor, blueprint?: Blueprint): InterfaceRow {
      requirePublic(patch);
      const { name = row.name, labels = row.labels, spec = row.spec } = patch;
      if (name !== row.name) requireFreeName(row.workspaceId, name);
      const fields = changedFields(row, { name, labels, spec });
      if (fields.length === 0) return adopt(row, blueprint);
      const generation = row.generation + 1;
      const set = { name, labels, spec, type: spec.type, version: spec.version, generation, ...blueprint };
      const hasNewSpec = fields.includes('spec');
      if (hasNewSpec) store.replaceSources(row.id, sourcesOf(spec));
      const moves = hasNewSpec && row.phase !== 'Terminating';
      const changed = moves
        ? evaluation.move(row, 'change', set)
        : save(row, { ...set, observedGeneration: generation });
      record('interface.updated', changed, { ...actor, metadata: { fields } });
      return evaluation.evaluate(changed);
    },

    /** Retires an Interface and revokes its bindings, each with an activity record. */
    retire(row: InterfaceRow, actor: InterfaceActor): InterfaceRow {
      for (const binding of bindingsStore.listLiveOf(row.id)) bindings.revoke(row, binding, actor);
      const retired = evaluation.retire(row);
      record('interface.retired', retired, actor);
      return retired;
    },
  };
}

/** Requires that spec and labels may be read by the whole Workspace. Throws 400 `secret_like_value`. */
export function requirePublic({ spec, labels }: Pick<InterfacePatch, 'spec' | 'labels'>): void {
  if (spec) requirePublicSpec(spec);
  if (labels) requirePublicTexts(Object.values(labels), '/labels');
}

type Described = Pick<InterfaceRow, 'name' | 'labels' | 'spec'>;

const changedFields = (before: Described, after: Described): string[] =>
  (['name', 'labels', 'spec'] as const).filter(
    (field) => jsonDigest(before[field] ?? {}) !== jsonDigest(after[field] ?? {}),
  );

const newRow = ({ workspaceId, name, ownerRef, labels, spec }: NewInterface, now: number): InterfaceRow => ({
  id: newId('interface'),
  workspaceId,
  name,
  ownerKind: ownerRef.kind,
  ownerId: ownerRef.id,
  labels: labels ?? null,
  type: spec.type,
  version: spec.version,
  spec,
  generation: 1,
  phase: 'Pending',
  reason: null,
  message: null,
  phaseAt: now,
  observedGeneration: 1,
  resolvedRevision: 0,
  resolvedInputs: null,
  provenance: null,
  resourceUri: null,
  claimUri: null,
  conditions: [],
  blueprintKey: null,
  blueprintDigest: null,
  createdAt: now,
  updatedAt: now,
});
