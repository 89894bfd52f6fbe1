import type { ActivityService } from '#server/domains/activity/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { jsonDigest } from '#server/kernel/digest';
import { AppError, notFound } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import type { interfacesApi } from '#shared/interfaces/api';
import type { InterfaceBinding, SubjectRef } from '#shared/interfaces/contract';
import { type BodyOf, nothingLeft } from '#shared/kernel/endpoint';
import type { BindingPhases } from './binding-phases.ts';
import type { BindingOriginColumns, BindingRow, BindingsStore } from './bindings-store.ts';
import { bindingOf } from './records.ts';
import type { References } from './references.ts';
import { requirePublicDelivery } from './spec-rules.ts';
import type { InterfaceRow } from './store.ts';

type Delivery = InterfaceBinding['spec']['delivery'];
export type NewBinding = { subjectRef: SubjectRef; permissions: readonly string[]; delivery: Delivery };
export type BindingActor = { actorId?: string; runId?: string };

type WritePorts = {
  clock: Clock;
  activity: Pick<ActivityService, 'record'>;
  bindings: Pick<BindingsStore, 'findEqual' | 'insert'>;
  phases: Pick<BindingPhases, 'evaluate' | 'revoke'>;
  /** Publishes the Interface of a binding. */
  publish: (row: InterfaceRow) => void;
};
export type BindingWrites = ReturnType<typeof createBindingWrites>;

type Deps = {
  db: Db;
  bindings: Pick<BindingsStore, 'find' | 'findEqual' | 'listOf' | 'listOfSubject' | 'listOfRequirement'>;
  references: Pick<References, 'requireSubject'>;
  writes: BindingWrites;
  getRow: (id: string) => InterfaceRow;
};
export type BindingsService = ReturnType<typeof createBindings>;
/** Digest by which two bindings of an Interface are equal. */
export const bindingDigestOf = ({ subjectRef, permissions, delivery }: NewBinding): string =>
  jsonDigest({ subjectRef, permissions: [...permissions].sort(), delivery });

/** Writes bindings for requests, applies and plans alike. Everything belongs to the caller's transaction. */
export function createBindingWrites({ clock, activity, bindings, phases, publish }: WritePorts) {
  function record(
    action: 'interface_binding.created' | 'interface_binding.revoked',
    { id, workspaceId, interfaceId, subjectKind, subjectId, permissions }: BindingRow,
    actor: BindingActor,
  ): void {
    const metadata = { interfaceId, subjectKind, subjectId, permissions };
    activity.record({ workspaceId, ...actor, action, targetType: 'interface_binding', targetId: id, metadata });
  }

  /** Creates the binding, or returns the equal live one. The subject must exist. */
  function ensure(row: InterfaceRow, input: NewBinding, more: BindingActor & BindingOriginColumns): BindingRow {
    const { origin, packageKey, ...actor } = more;
    const specDigest = bindingDigestOf(input);
    const equal = bindings.findEqual(row.id, specDigest);
    if (equal) return equal;
    const now = clock.now();
    const created: BindingRow = {
      id: newId('interfaceBinding'),
      workspaceId: row.workspaceId,
      interfaceId: row.id,
      subjectKind: input.subjectRef.kind,
      subjectId: input.subjectRef.id,
      permissions: [...input.permissions].sort(),
      delivery: input.delivery,
      specDigest,
      generation: 1,
      phase: 'Pending',
      reason: null,
      phaseAt: now,
      observedInterfaceRevision: 0,
      origin: origin ?? null,
      packageKey: packageKey ?? null,
      createdAt: now,
      updatedAt: now,
    };
    bindings.insert(created);
    record('interface_binding.created', created, actor);
    publish(row);
    return phases.evaluate(row, created);
  }

  function revoke(row: InterfaceRow, binding: BindingRow, actor: BindingActor): BindingRow {
    if (binding.phase === 'Revoked') return binding;
    const revoked = phases.revoke(row, binding);
    record('interface_binding.revoked', revoked, actor);
    publish(row);
    return revoked;
  }

  return { ensure, revoke };
}

/** The requests to bindings, and what removes them. */
export function createBindings({ db, bindings, references, writes, getRow }: Deps) {
  function getBinding(interfaceId: string, bindingId: string): BindingRow {
    const binding = bindings.find(bindingId);
    if (binding?.interfaceId !== interfaceId) throw notFound('binding of this Interface');
    return binding;
  }

  return {
    list: (interfaceId: string): InterfaceBinding[] => bindings.listOf(getRow(interfaceId).id).map(bindingOf),
    get: (interfaceId: string, bindingId: string): InterfaceBinding => bindingOf(getBinding(interfaceId, bindingId)),

    /** Throws 404 for an unknown subject, 409 `already_exists` for an equal live binding, `conflict` when retired. */
    create(
      interfaceId: string,
      { subjectRef, permissions, delivery, ...rest }: BodyOf<typeof interfacesApi.createInterfaceBinding>,
      actorId: string,
    ): InterfaceBinding {
      nothingLeft(rest);
      requirePublicDelivery(delivery);
      return db.write(() => {
        const row = getRow(interfaceId);
        references.requireSubject(subjectRef, row.workspaceId);
        if (row.phase === 'Retired')
          throw new AppError('conflict', 'The Interface is retired. Create the binding on another one.');
        const input = { subjectRef, permissions, delivery };
        if (bindings.findEqual(row.id, bindingDigestOf(input)))
          throw new AppError('already_exists', 'The same binding exists. Revoke it first to create it again.');
        return bindingOf(writes.ensure(row, input, { actorId }));
      });
    },

    /** Revokes a binding; one that is revoked stays as it is. */
    remove: (interfaceId: string, bindingId: string, actorId: string): InterfaceBinding =>
      db.write(() => bindingOf(writes.revoke(getRow(interfaceId), getBinding(interfaceId, bindingId), { actorId }))),

    /** Revokes what was bound for a Capsule that uses Interfaces and has ended. */
    revokeRequired(capsuleId: string): void {
      for (const binding of bindings.listOfRequirement(capsuleId))
        writes.revoke(getRow(binding.interfaceId), binding, {});
    },

    /** Revokes every binding of a subject that may no longer use anything in a Workspace. */
    revokeSubject(subject: SubjectRef, workspaceId: string, actor: BindingActor): void {
      for (const binding of bindings.listOfSubject(subject, workspaceId))
        writes.revoke(getRow(binding.interfaceId), binding, actor);
    },
  };
}
