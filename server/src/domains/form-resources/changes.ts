import type { ActivityService } from '#server/domains/activity/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { failpoint } from '#server/kernel/failpoints';
import type { Outbox } from '#server/kernel/outbox';
import { required } from '#server/kernel/required';
import type { ActivityAction } from '#shared/activity/actions';
import type { JsonObject } from '#shared/kernel/json';
import { formHostLimits } from '#shared/limits';
import { differingFields } from './drift.ts';
import type { NativeObjects } from './native-objects.ts';
import type { FormPackagesPort, PublicationPort } from './ports.ts';
import { versionOf } from './records.ts';
import { spaceNotFound, unreadableObject, versionConflict } from './refusals.ts';
import type { ChangeOperation } from './schema.ts';
import type { FormResourcesStore, OperationRow, ResourceRow, Target } from './store.ts';

export type ChangePorts = {
  db: Db;
  clock: Clock;
  outbox: Pick<Outbox, 'push'>;
  activity: Pick<ActivityService, 'record'>;
  store: FormResourcesStore;
  native: NativeObjects;
  packages: Pick<FormPackagesPort, 'findPackage'>;
  publication: PublicationPort;
};
export type Changes = ReturnType<typeof createChanges>;

const dayMs = 86_400_000;

/**
 * The steps of a change: a started operation in the ledger, the native object, and the Resource with the completed
 * operation. A started operation whose request has ended is settled: finished when its native object was changed,
 * otherwise dropped.
 */
export function createChanges(ports: ChangePorts) {
  const { db, clock, store, native } = ports;
  const commit = createCommits(ports);

  /** Reports whether the native object shows that this operation has changed it. Throws when it cannot be read. */
  function isDone({ operation, nativeId, identity, base }: OperationRow): boolean {
    const object = native.read(nativeId);
    if (operation === 'delete') return object.state === 'missing';
    if (object.state === 'unreadable') throw unreadableObject();
    if (object.state === 'missing') return false;
    // A key that is used again after its operation was forgotten gives the same identity over another generation.
    return object.owner?.operation === identity && object.owner.generation === base + 1;
  }

  function settle(target: Target): void {
    const operation = store.findStarted(target);
    if (!operation) return;
    const isFinished = isDone(operation);
    if (!isFinished) native.discard(operation.nativeId);
    db.write(() => {
      if (isFinished) commit(operation);
      else store.deleteOperation(operation);
    });
  }

  return {
    /** Records that an operation starts, in the transaction that checked the authority of the caller. */
    start(operation: OperationRow): void {
      store.deleteCompletedBefore(clock.now() - formHostLimits.operationDays * dayMs);
      store.insertOperation(operation);
    },

    /** Changes the native object. It may be repeated. Throws 403 when the Workspace was deleted since the start. */
    perform(started: OperationRow): void {
      const { operation, nativeId, spec, workspaceId, resourceId, base, identity } = started;
      failpoint('form.started');
      // Nothing may write a native object after those of the Workspace were removed.
      if (!store.isStarted(started)) throw spaceNotFound();
      if (operation === 'delete') native.remove(nativeId);
      else native.write(nativeId, nativeSpecOf(operation, nativeId, spec), ownerOf());
      failpoint('form.performed');
      function ownerOf() {
        return { workspaceId, resourceId, generation: base + 1, operation: identity };
      }
    },

    commit,

    /** Settles the operation that was interrupted at this Resource, when there is one. The caller holds the Resource. */
    settle,

    /** Settles what a failed request has left, where that is possible at once; otherwise before the next operation. */
    trySettle(target: Target): void {
      try {
        settle(target);
      } catch {
        // The request has reported its own failure.
      }
    },
  };

  /** An import leaves the state of the native object as it is. */
  function nativeSpecOf(operation: ChangeOperation, nativeId: string, spec: JsonObject | null): JsonObject {
    if (operation !== 'import') return required(spec, 'desired state of an apply');
    const object = native.read(nativeId);
    if (object.state !== 'present') throw unreadableObject();
    return object.spec;
  }
}

const actionOf = {
  apply: 'resource.apply.succeeded',
  import: 'resource.import.succeeded',
  observe: 'resource.observe.succeeded',
  refresh: 'resource.refresh.succeeded',
  delete: 'resource.delete.succeeded',
} as const satisfies Record<ChangeOperation, ActivityAction>;

/** Writes the Resource, its Interfaces, its audit row and its event, and completes the operation, in one transaction. */
function createCommits({ clock, outbox, activity, store, native, packages, publication }: ChangePorts) {
  function complete(operation: OperationRow, generation: number): void {
    const { workspaceId, principal, resourceId, kind, name } = operation;
    activity.record({
      workspaceId,
      actorId: principal,
      action: actionOf[operation.operation],
      targetType: 'resource',
      targetId: resourceId,
      metadata: { kind, name, resourceVersion: versionOf(generation) },
    });
    outbox.push({ workspaceId, kind: 'form_resource', recordId: resourceId, status: operation.operation });
    if (!store.completeOperation(operation, clock.now())) throw spaceNotFound();
  }

  /** Returns the state of the native object and its difference from the desired one. */
  function observe(nativeId: string, spec: JsonObject) {
    const object = native.read(nativeId);
    if (object.state === 'unreadable') throw unreadableObject();
    if (object.state === 'missing') return { outputs: null, ready: false, driftedFields: [''] };
    return { outputs: object.spec, ready: true, driftedFields: differingFields(spec, object.spec) };
  }

  function publish({ id, workspaceId, name, form }: ResourceRow, principalId: string): void {
    const found = packages.findPackage(form);
    const blueprints = found?.state === 'installed' ? (found.package.interfaces ?? []) : undefined;
    // A form that is not installed now cannot say which Interfaces it publishes, so they stay.
    if (!blueprints) publication.moved(id);
    else publication.publish({ workspaceId, resourceId: id, resourceName: name, blueprints, principalId });
  }

  function save(operation: OperationRow): number {
    const { resourceId, nativeId, base, workspaceId, kind, name, form, principal } = operation;
    const now = clock.now();
    const spec = required(operation.spec, 'desired state');
    const seen = { ...observe(nativeId, spec), observedAt: now };
    const state = { ...seen, spec, generation: base + 1, updatedBy: principal, updatedAt: now };
    if (base === 0)
      store.insertResource({
        ...state,
        id: resourceId,
        workspaceId,
        kind,
        name,
        form,
        nativeId,
        imported: operation.operation === 'import',
        createdBy: principal,
        createdAt: now,
      });
    else if (!store.updateAt(resourceId, base, state)) throw moved();
    publish(required(store.find(resourceId), 'saved Resource'), principal);
    return base + 1;
  }

  function note(operation: OperationRow): number {
    const { resourceId, nativeId, base, principal } = operation;
    const row = required(store.find(resourceId), 'observed Resource');
    const { outputs, ...seen } = observe(nativeId, row.spec);
    const isRefresh = operation.operation === 'refresh';
    const set = { ...seen, ...(isRefresh && { outputs }), observedAt: clock.now() };
    if (!store.updateAt(resourceId, base, set)) throw moved();
    if (isRefresh) publish(required(store.find(resourceId), 'refreshed Resource'), principal);
    return base;
  }

  return function commit(operation: OperationRow): void {
    if (operation.operation === 'delete') {
      const { resourceId, workspaceId, base, principal } = operation;
      if (!store.deleteAt(resourceId, base)) throw moved();
      publication.deleted({ workspaceId, resourceId }, { actorId: principal });
      complete(operation, operation.base);
    } else if (operation.operation === 'observe' || operation.operation === 'refresh')
      complete(operation, note(operation));
    else complete(operation, save(operation));
  };
}

const moved = () => versionConflict('The Resource was changed at the same time. Read it and try again.');
