import type { ActivityService } from '#server/domains/activity/index';
import type { CapsulesService } from '#server/domains/capsules/index';
import { type Clock, isoTime } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { AppError, failedPrecondition, notFound } from '#server/kernel/errors';
import type { OwnerRef } from '#shared/interfaces/contract';
import type { HostnameProof, hostnameProofsApi } from '#shared/interfaces/proofs';
import { type BodyOf, nothingLeft } from '#shared/kernel/endpoint';
import type { Evaluation } from './evaluation.ts';
import type { ProofRow, ProofsStore } from './proofs-store.ts';
import type { References } from './references.ts';
import { hostnameOf } from './resource-uri.ts';
import type { InterfacesStore } from './store.ts';

type Deps = {
  db: Db;
  clock: Clock;
  activity: Pick<ActivityService, 'record'>;
  proofs: ProofsStore;
  store: Pick<InterfacesStore, 'listLive'>;
  capsules: Pick<CapsulesService, 'findWorkspace'>;
  references: Pick<References, 'requireOwner'>;
  evaluation: Pick<Evaluation, 'evaluateBindings'>;
  /** Returns the Capsule that has a hostname through its configuration. */
  findHostnameHolder: (hostname: string) => string | undefined;
};
type ProofActor = { actorId?: string };
export type HostnameProofs = ReturnType<typeof createProofs>;

/**
 * The hostnames that the operator has proven to belong to an owner of Interfaces. One owner of the installation has the
 * proof of a hostname. Bindings that depend on it follow in the same transaction.
 */
export function createProofs(deps: Deps) {
  const { db, clock, activity, proofs, store, references, evaluation } = deps;
  function record(action: 'hostname_proof.created' | 'hostname_proof.revoked', row: ProofRow, actor: ProofActor): void {
    const { workspaceId, hostname, ownerKind, ownerId } = row;
    const metadata = { hostname, ownerKind, ownerId };
    activity.record({ workspaceId, ...actor, action, targetType: 'hostname_proof', targetId: hostname, metadata });
  }

  /** A proof of the Workspace also counts for the Capsule that has the hostname through its configuration. */
  function followProof({ workspaceId, hostname }: ProofRow): void {
    for (const row of store.listLive(workspaceId))
      if (row.resourceUri !== null && hostnameOf(row.resourceUri) === hostname) evaluation.evaluateBindings(row);
  }

  function requireFree(workspaceId: string, hostname: string, ownerRef: OwnerRef): void {
    if (proofs.findAnywhere(hostname))
      throw new AppError('already_exists', 'The hostname is proven already. Revoke that proof first.');
    const holder = deps.findHostnameHolder(hostname);
    if (holder === undefined || holder === ownerRef.id) return;
    if (ownerRef.kind === 'Workspace' && deps.capsules.findWorkspace(holder) === workspaceId) return;
    throw failedPrecondition(
      'app_hostname_unavailable',
      'Another Capsule has this hostname through its configuration. Change its address first.',
    );
  }

  function remove(row: ProofRow, actor: ProofActor): void {
    proofs.delete(row);
    record('hostname_proof.revoked', row, actor);
    followProof(row);
  }

  return {
    /** Returns the owner for which a hostname is proven. */
    findOwner(hostname: string): OwnerRef | undefined {
      const row = proofs.findAnywhere(hostname);
      return row && { kind: row.ownerKind, id: row.ownerId };
    },

    list: (workspaceId: string): HostnameProof[] => proofs.list(workspaceId).map(proofOf),

    /**
     * Throws 404 and 403 for an owner of no or another Workspace, 409 `capsule_destroyed`,
     * `app_hostname_unavailable` and `already_exists`.
     */
    create(
      workspaceId: string,
      { hostname, ownerRef, ...rest }: BodyOf<typeof hostnameProofsApi.createHostnameProof>,
      actorId: string,
    ): HostnameProof {
      nothingLeft(rest);
      return db.write(() => {
        references.requireOwner(ownerRef, workspaceId);
        requireFree(workspaceId, hostname, ownerRef);
        const owner = { ownerKind: ownerRef.kind, ownerId: ownerRef.id };
        const row: ProofRow = { workspaceId, hostname, ...owner, createdAt: clock.now() };
        proofs.insert(row);
        record('hostname_proof.created', row, { actorId });
        followProof(row);
        return proofOf(row);
      });
    },

    /** Throws 404 without such a proof. */
    revoke: (workspaceId: string, hostname: string, actorId: string): void =>
      db.write(() => {
        const row = proofs.find(workspaceId, hostname);
        if (!row) throw notFound('hostname proof in this Workspace');
        remove(row, { actorId });
      }),

    /** Removes the proofs of an owner that no longer exists, so that another owner can have the hostnames. */
    removeOwner(workspaceId: string, owner: OwnerRef): void {
      for (const row of proofs.listOfOwner(workspaceId, owner)) remove(row, {});
    },
  };
}

const proofOf = ({ hostname, ownerKind, ownerId, createdAt }: ProofRow): HostnameProof => ({
  hostname,
  ownerRef: { kind: ownerKind, id: ownerId },
  createdAt: isoTime(createdAt),
});
