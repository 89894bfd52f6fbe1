import type { CapsuleRow } from '#server/domains/capsules/index';
import type { RunRecord } from '#server/domains/runs/index';
import { isTerminal } from '#shared/kernel/machine';
import { runMachine } from '#shared/runs/machine';
import type { BindingsService } from './bindings.ts';
import type { Evaluation } from './evaluation.ts';
import type { IntentsStore } from './intents-store.ts';
import type { HostnameProofs } from './proofs.ts';
import type { InterfacesStore } from './store.ts';
import type { InterfaceWrites } from './writes.ts';

type Deps = {
  store: Pick<InterfacesStore, 'listOwned' | 'listReading' | 'listLive' | 'listOAuthBound'>;
  writes: Pick<InterfaceWrites, 'retire'>;
  bindings: Pick<BindingsService, 'revokeSubject' | 'revokeRequired'>;
  proofs: Pick<HostnameProofs, 'removeOwner'>;
  evaluation: Evaluation;
  intents: Pick<IntentsStore, 'replaceOpen'>;
};
export type Upkeep = ReturnType<typeof createUpkeep>;

/** Follows changes of Capsules, Runs, Workspaces and members. Each is called in the transaction of that change. */
export function createUpkeep({ store, writes, bindings, proofs, evaluation, intents }: Deps) {
  function followDestroyed({ id, workspaceId }: CapsuleRow): void {
    intents.replaceOpen(id);
    for (const row of store.listOwned('Capsule', id)) writes.retire(row, {});
    bindings.revokeSubject({ kind: 'Capsule', id }, workspaceId, {});
    bindings.revokeRequired(id);
    proofs.removeOwner(workspaceId, { kind: 'Capsule', id });
    for (const row of store.listReading(id)) evaluation.evaluate(row);
  }

  function followLive({ id }: CapsuleRow): void {
    const concerned = new Map(
      [...store.listOwned('Capsule', id), ...store.listReading(id)].map((row) => [row.id, row]),
    );
    for (const row of concerned.values()) evaluation.evaluateBindings(evaluation.evaluate(row));
  }

  function followDestroy(capsuleId: string, { isQueued }: { isQueued: boolean }): void {
    for (const row of store.listOwned('Capsule', capsuleId)) {
      if (isQueued && row.phase !== 'Terminating') evaluation.terminate(row);
      if (!isQueued && row.phase === 'Terminating')
        evaluation.evaluate(evaluation.move(row, 'change', { reason: null, message: null }));
    }
  }

  return {
    /** A Capsule has another status, another current state, or another configuration, which decides its hostname. */
    capsuleMoved: (capsule: CapsuleRow): void =>
      capsule.status === 'destroyed' ? followDestroyed(capsule) : followLive(capsule),

    runCreated({ type, capsuleId }: RunRecord): void {
      if (type === 'destroy_apply' && capsuleId !== null) followDestroy(capsuleId, { isQueued: true });
    },
    runMoved({ type, capsuleId, status }: RunRecord): void {
      const isEnded = type === 'destroy_apply' && isTerminal(runMachine, status);
      if (isEnded && capsuleId !== null) followDestroy(capsuleId, { isQueued: false });
    },

    /** The server has started, and may issue tokens since, or no longer. */
    settingsLoaded(): void {
      for (const row of store.listOAuthBound()) evaluation.evaluateBindings(row);
    },

    /** A Workspace was archived, or is in use again. */
    workspaceSwitched(workspaceId: string): void {
      for (const row of store.listLive(workspaceId)) evaluation.evaluate(row);
    },

    /** A Workspace is deleted: its Interfaces and their bindings end. */
    workspaceDeleted(workspaceId: string, actorId: string): void {
      for (const row of store.listLive(workspaceId)) writes.retire(row, { actorId });
    },

    /** A member has left a Workspace. */
    memberLeft(workspaceId: string, accountId: string, actorId: string): void {
      bindings.revokeSubject({ kind: 'Principal', id: accountId }, workspaceId, { actorId });
    },
  };
}
