import type { GitCredential } from '#server/drivers/git/index';
import type { Clock } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { type Cursors, type ListQueryOf, readPage } from '#server/kernel/page';
import type { connectionsApi } from '#shared/connections/api';
import { type ConnectionUse, gitTokenName } from '#shared/connections/contract';
import type { ConnectionAccess } from './access.ts';
import { useOf } from './records.ts';
import type { ConnectionsStore } from './store.ts';

/** Runs and the names that were issued to them. */
type NewUse = { connectionId: string; runId: string; capsuleId?: string | undefined; names: readonly string[] };

export type UsePorts = {
  db: Db;
  clock: Clock;
  cursors: Cursors;
  store: Pick<ConnectionsStore, 'findUse' | 'saveUse' | 'listUses'>;
  isRunLive: (runId: string) => boolean;
  nameOfCapsule: (capsuleId: string) => string;
};

/** Number of newest Runs that a revoke checks for Runs that still hold values. */
const maxScannedUses = 500;

export type ConnectionUses = ReturnType<typeof createConnectionUses>;

/** Records which Runs received values of a Connection. */
export function createConnectionUses({
  access,
  ...deps
}: UsePorts & { access: Pick<ConnectionAccess, 'findGitCredential'> }) {
  const { db, clock, cursors, store } = deps;

  /** Every Run that received values and has not ended yet. */
  function listHolders(connectionId: string): string[] {
    return store
      .listUses(connectionId, { usedAt: Number.MAX_SAFE_INTEGER, runId: '' }, maxScannedUses)
      .flatMap(({ runId }) => (deps.isRunLive(runId) ? [runId] : []));
  }

  /** Runs in the transaction that issues values to a Run; repeated calls for one Run add their names. */
  function noteUse({ connectionId, runId, capsuleId, names }: NewUse): void {
    db.write(() => {
      const known = store.findUse(connectionId, runId)?.names ?? [];
      const all = [...new Set([...known, ...names])].sort();
      store.saveUse({ connectionId, runId, capsuleId: capsuleId ?? null, names: all, usedAt: clock.now() });
    });
  }

  return {
    listHolders,
    noteUse,
    /** User name and token for a sync, recorded with its Run; undefined when the Connection cannot provide one any more. */
    issueGit(connectionId: string, runId: string): GitCredential | undefined {
      const credential = access.findGitCredential(connectionId);
      if (credential) noteUse({ connectionId, runId, names: [gitTokenName] });
      return credential;
    },

    listUses(
      connectionId: string,
      query: ListQueryOf<typeof connectionsApi.listConnectionUses>,
    ): { uses: ConnectionUse[]; nextCursor?: string } {
      const { rows, next: more } = readPage(cursors, query, {
        binding: `connection-uses:${connectionId}`,
        fetch: (after, limit) => store.listUses(connectionId, beforeUse(after), limit),
        positionOf: ({ usedAt, runId }) => [usedAt, runId],
      });
      return { uses: rows.map((row) => useOf(row, deps.nameOfCapsule)), ...more };
    },
  };
}

const beforeUse = (position: readonly (string | number)[] | undefined) => ({
  usedAt: Number(position?.[0] ?? Number.MAX_SAFE_INTEGER),
  runId: String(position?.[1] ?? ''),
});
