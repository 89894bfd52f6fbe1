import { type Clock, isoTime } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { failedPrecondition } from '#server/kernel/errors';
import type { ConnectionTest } from '#shared/connections/contract';
import { connectionMachine } from '#shared/connections/machine';
import { moduleRegistryKind } from '#shared/connections/module-registry';
import { objectStorageKind } from '#shared/connections/object-storage';
import { next } from '#shared/kernel/machine';
import type { ConnectionAccess } from './access.ts';
import type { Verdict } from './check/run-check.ts';
import type { ConnectionRows } from './connection-rows.ts';
import type { TestGit } from './git-test.ts';
import { type ConnectionMaterials, PendingSecret, storesNothing } from './materials.ts';
import type { TestRegistry } from './module-registry.ts';
import type { TestStorage } from './storage-test.ts';
import type { ConnectionRow, ConnectionsStore } from './store.ts';

export type TestPorts = {
  db: Db;
  clock: Clock;
  store: Pick<ConnectionsStore, 'update'>;
  checkMaterial: (materials: Pick<ConnectionMaterials, 'env' | 'files'>, now: number) => Promise<Verdict>;
  testGit: TestGit;
  testRegistry: TestRegistry;
  testStorage: TestStorage;
};

const issuedToRuns =
  'Nothing is stored that could be tested. Each Run requests its credentials from the credential service when it starts.';
const requestedByRuns = 'The inputs are complete. A test requests no token: each Run does when it starts.';
const events = { pass: 'pass', fail: 'fail', expire: 'expire' } as const;

/** Tests the material of Connections and records what a test says. */
export function createConnectionTests({
  rows,
  access,
  ...deps
}: TestPorts & {
  rows: ConnectionRows;
  access: Pick<ConnectionAccess, 'openAll' | 'findGitCredential' | 'findModuleRegistry' | 'findObjectStorage'>;
}) {
  const { db, clock, store } = deps;
  const revoked = () =>
    failedPrecondition('connection_revoked', 'The Connection was revoked, so it cannot be tested. Create a new one.');

  async function inspect(row: ConnectionRow): Promise<Verdict> {
    const now = clock.now();
    if (row.expiresAt !== null && row.expiresAt <= now)
      return { outcome: 'expire', detail: `The Connection was to expire on ${isoTime(row.expiresAt).slice(0, 10)}.` };
    if (row.kind === objectStorageKind) return deps.testStorage(access.findObjectStorage(row.id));
    if (row.kind === moduleRegistryKind) return deps.testRegistry(access.findModuleRegistry(row.id));
    if (row.kind !== null) return deps.testGit(row, access.findGitCredential(row.id));
    if (storesNothing(row)) return { outcome: 'unknown', detail: issuedToRuns };
    const { env, files } = access.openAll(row);
    const verdict = await deps.checkMaterial(
      {
        env: Object.fromEntries(Object.entries(env).filter(([, value]) => !(value instanceof PendingSecret))),
        files: files.filter(({ content }) => !(content instanceof PendingSecret)),
      },
      now,
    );
    const isPlainPass = verdict.outcome === 'pass' && verdict.detail === undefined;
    return isPlainPass && row.recipe?.mode.preRun ? { ...verdict, detail: requestedByRuns } : verdict;
  }

  /** Records the result, unless the Connection was revoked during the test. */
  function settle(id: string, { outcome, detail, endsAt }: Verdict, actorId: string): ConnectionTest {
    return db.write(() => {
      const row = rows.getRow(id);
      if (row.status === 'revoked') throw revoked();
      const status =
        outcome === 'unknown' ? row.status : (next(connectionMachine, row.status, events[outcome]) ?? row.status);
      const now = clock.now();
      store.update(id, {
        status,
        updatedAt: now,
        ...(status === 'verified' && outcome === 'pass' && { verifiedAt: now }),
        ...(row.expiresAt === null && endsAt !== undefined && { expiresAt: endsAt }),
      });
      rows.recordActivity(row, 'connection.tested', { actorId, status, outcome });
      rows.notify(row, status);
      const publicStatus = outcome === 'unknown' ? 'pending' : (status as Exclude<typeof status, 'revoked'>);
      return { status: publicStatus, ...(detail !== undefined && { detail }) };
    });
  }

  return {
    /** Tests the material. Returns the write that stores the result. 409 `connection_revoked`. */
    async test(id: string, actorId: string): Promise<() => ConnectionTest> {
      const row = rows.getRow(id);
      if (row.status === 'revoked') throw revoked();
      const verdict = await inspect(row);
      return () => settle(id, verdict, actorId);
    },
  };
}
