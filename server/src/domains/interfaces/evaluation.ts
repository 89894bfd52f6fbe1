import type { Clock } from '#server/kernel/clock';
import { AppError } from '#server/kernel/errors';
import type { Outbox } from '#server/kernel/outbox';
import { type InterfaceEvent, interfaceMachine } from '#shared/interfaces/machine';
import { next } from '#shared/kernel/machine';
import type { BindingPhases } from './binding-phases.ts';
import type { Claims } from './claims.ts';
import type { FormResourceReader } from './form-resource-reader.ts';
import { changedValues, type FindOutputs, type Resolution, resolveInputs } from './resolve.ts';
import { isClaimable } from './resource-uri.ts';
import type { InterfaceRow, InterfacesStore } from './store.ts';

type Deps = {
  clock: Clock;
  outbox: Pick<Outbox, 'push'>;
  store: Pick<InterfacesStore, 'update'>;
  bindingPhases: BindingPhases;
  claims: Claims;
  findOutputs: FindOutputs;
  formResources: FormResourceReader;
  isOwnerLive: (row: InterfaceRow) => boolean;
  /** Reports whether the destroy of the owner is queued or runs. */
  isOwnerEnding: (row: InterfaceRow) => boolean;
};
export type Evaluation = ReturnType<typeof createEvaluation>;

const cleared = { resolvedInputs: null, provenance: null, resourceUri: null };
const terminating = {
  reason: 'OwnerDestroyQueued',
  message: 'The destroy of its Capsule is queued.',
  ...cleared,
} as const;
const ownerNotLive = 'The owner is not live. Apply its Capsule or Resource, or restore its Workspace.';

/** Keeps the phases of Interfaces and their bindings true. Everything runs in the transaction of the change. */
export function createEvaluation(deps: Deps) {
  const { clock, outbox, store, bindingPhases, claims } = deps;

  const publish = ({ workspaceId, id, phase }: InterfaceRow): void =>
    outbox.push({ workspaceId, kind: 'interface', recordId: id, status: phase });
  const { evaluateBindings, followClaim } = createFollowers({ bindingPhases, claims, publish });

  function findResource(id: string, { workspaceId }: InterfaceRow) {
    const found = deps.formResources.find(id);
    return found?.workspaceId === workspaceId ? found : undefined;
  }

  function resolve(row: InterfaceRow): Resolution {
    if (!deps.isOwnerLive(row)) return { event: 'refuse', reason: 'OwnerNotReady', message: ownerNotLive };
    return resolveInputs(row, { findOutputs: deps.findOutputs, findResource: (id) => findResource(id, row) });
  }

  /** The only writer of `phase`: changes exactly one row, publishes it and brings its bindings and its claim along. */
  function move(row: InterfaceRow, event: InterfaceEvent, set: Partial<InterfaceRow>): InterfaceRow {
    const phase = next(interfaceMachine, row.phase, event);
    if (!phase) throw new AppError('conflict', 'The Interface is retired. Create another one.');
    const now = clock.now();
    const times = { ...(phase !== row.phase && { phaseAt: now }), updatedAt: now };
    if (!store.update(row, { ...set, ...times, phase }))
      throw new AppError('conflict', 'The Interface was modified by another request. Reload and try again.');
    const moved = { ...row, ...set, ...times, phase };
    publish(moved);
    followClaim(row, moved);
    bindingPhases.evaluateAll(moved);
    return moved;
  }

  /** Resolves an Interface again; nothing is written when its phase, reason and values stay. */
  function evaluate(row: InterfaceRow): InterfaceRow {
    if (row.phase === 'Terminating' || row.phase === 'Retired') return row;
    const resolution = resolve(row);
    if (resolution.event !== 'resolve') return refuse(row, resolution);
    const { inputs, provenance, resourceUri } = resolution;
    const isOpen = row.phase !== 'Resolved';
    const changed = isOpen ? { inputs, provenance } : changedValues(row, { inputs, provenance });
    if (!changed) return row;
    const pending = isOpen ? row : move(row, 'change', {});
    return move(pending, 'resolve', {
      reason: null,
      message: null,
      observedGeneration: row.generation,
      resolvedRevision: row.resolvedRevision + 1,
      resolvedInputs: changed.inputs,
      provenance: changed.provenance,
      resourceUri,
      claimUri: isClaimable(resourceUri ?? undefined) ? resourceUri : null,
    });
  }

  function refuse(row: InterfaceRow, { event, reason, message }: Exclude<Resolution, { event: 'resolve' }>) {
    const isKnown = row.reason === reason && row.message === message && row.observedGeneration === row.generation;
    if (isKnown && row.phase === next(interfaceMachine, row.phase, event)) return row;
    // The claim stays, so that a short failure does not give the address to another owner.
    return move(row, event, { reason, message, observedGeneration: row.generation, ...cleared });
  }

  const terminate = (row: InterfaceRow): InterfaceRow => move(row, 'terminate', terminating);

  return {
    move,
    evaluate,
    terminate,
    /** Evaluates an Interface that was just created. */
    start: (row: InterfaceRow): InterfaceRow => (deps.isOwnerEnding(row) ? terminate(row) : evaluate(row)),
    retire: (row: InterfaceRow): InterfaceRow =>
      move(row, 'retire', { reason: null, message: null, claimUri: null, ...cleared }),
    publish,
    evaluateBindings,
  };
}

type FollowerPorts = Pick<Deps, 'bindingPhases' | 'claims'> & { publish: (row: InterfaceRow) => void };

/** Brings bindings along when a claim has another holder, or something else than the Interface has changed. */
function createFollowers({ bindingPhases, claims, publish }: FollowerPorts) {
  /** Decides about the bindings of an Interface again, after something else than the Interface has changed. */
  function evaluateBindings(row: InterfaceRow): void {
    if (row.claimUri !== null) takeClaim(row.claimUri, row);
    followHolder(row);
  }

  function followHolder(row: InterfaceRow): void {
    if (bindingPhases.evaluateAll(row)) publish(row);
  }

  function takeClaim(uri: string, owner: InterfaceRow): void {
    for (const row of claims.take(uri, owner)) followHolder(row);
  }

  function followClaim(before: InterfaceRow, after: InterfaceRow): void {
    if (after.claimUri !== null) takeClaim(after.claimUri, after);
    if (before.claimUri === null || before.claimUri === after.claimUri) return;
    for (const row of claims.release(before.claimUri, before)) followHolder(row);
  }

  return { evaluateBindings, followClaim };
}
