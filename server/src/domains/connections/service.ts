import type { ActivityService } from '#server/domains/activity/index';
import type { WorkspacesService } from '#server/domains/workspaces/index';
import type { GitCredential } from '#server/drivers/git/index';
import type { Vault } from '#server/drivers/vault/index';
import { type Clock, isoTime } from '#server/kernel/clock';
import type { Db } from '#server/kernel/db';
import { failedPrecondition } from '#server/kernel/errors';
import { newId } from '#server/kernel/ids';
import { everyWorkspace, type Outbox } from '#server/kernel/outbox';
import { afterCreated, type Cursors, createdOf, type PageQuery, readPage } from '#server/kernel/page';
import type { ActivityAction } from '#shared/activity/actions';
import { type Connection, type ConnectionTest, type ConnectionUse, gitTokenName } from '#shared/connections/contract';
import { connectionMachine } from '#shared/connections/machine';
import { next } from '#shared/kernel/machine';
import type { GitUrlRules } from '#shared/sources/git-address';
import { connectionNotFound, createConnectionAccess } from './access.ts';
import type { Verdict } from './check/run-check.ts';
import type { TestGit } from './git-test.ts';
import { type ConnectionMaterials, sealMaterials } from './materials.ts';
import { checkConnection, type NewConnection } from './new-connection.ts';
import type { RecipeRegistry } from './recipes.ts';
import { connectionOf, useOf } from './records.ts';
import type { ConnectionRow, ConnectionsStore } from './store.ts';

export type ConnectionsService = ReturnType<typeof createConnectionsService>;
/** Runs and the names that were issued to them. */
export type NewUse = { connectionId: string; runId: string; capsuleId?: string | undefined; names: readonly string[] };

type Deps = {
  db: Db;
  clock: Clock;
  cursors: Cursors;
  outbox: Outbox;
  store: ConnectionsStore;
  vault: Vault;
  activity: Pick<ActivityService, 'record'>;
  workspaces: Pick<WorkspacesService, 'requireLive' | 'getWorkspace'>;
  recipes: RecipeRegistry;
  gitRules: GitUrlRules;
  /** Runs work whose deletions are overwritten in the ledger's file. */
  erase: <T>(work: () => T) => T;
  isRunLive: (runId: string) => boolean;
  nameOfCapsule: (capsuleId: string) => string;
  /** Profiles of managed Connections that this server receives as a platform. */
  receivedProfiles: ReadonlySet<string>;
  /** Consequences of a revoke: queued Runs that end, and Capsules that cannot be planned any more. */
  findDependents: (connectionId: string) => { queuedRuns: readonly string[]; capsules: readonly string[] };
  checkMaterial: (materials: Pick<ConnectionMaterials, 'env' | 'files'>, now: number) => Promise<Verdict>;
  testGit: TestGit;
};

/** Number of newest Runs that a revoke checks for Runs that still hold values. */
const maxScannedUses = 500;
const capsulesNamed = 100;
const events = { pass: 'pass', fail: 'fail', expire: 'expire' } as const;

export function createConnectionsService(deps: Deps) {
  const { db, clock, cursors, outbox, store, vault, activity, workspaces } = deps;
  const access = createConnectionAccess(deps);

  const notify = ({ id, workspaceId }: ConnectionRow, status: string) =>
    outbox.push({ workspaceId: workspaceId ?? everyWorkspace, kind: 'connection', recordId: id, status });
  const recordActivity = (
    row: ConnectionRow,
    action: ActivityAction,
    { actorId, ...metadata }: { actorId: string; [key: string]: unknown },
  ) =>
    activity.record({
      workspaceId: row.workspaceId ?? undefined,
      actorId,
      action,
      targetType: 'connection',
      targetId: row.id,
      metadata,
    });
  function getRow(id: string): ConnectionRow {
    const row = store.find(id);
    if (!row) throw connectionNotFound();
    return row;
  }
  const revoked = () =>
    failedPrecondition('connection_revoked', 'The Connection was revoked, so it cannot be tested. Create a new one.');

  function create(input: NewConnection, actorId: string): Connection {
    if (input.workspaceId !== undefined) workspaces.requireLive(input.workspaceId);
    const { materials, ...checked } = checkConnection(input, {
      findRecipe: deps.recipes.find,
      gitRules: deps.gitRules,
    });
    const now = clock.now();
    const row: ConnectionRow = {
      id: newId('connection'),
      workspaceId: input.workspaceId ?? null,
      status: 'pending',
      ...checked,
      displayName: input.displayName ?? null,
      scopeHints: input.scopeHints ?? null,
      createdBy: actorId,
      createdAt: now,
      updatedAt: now,
      verifiedAt: null,
      expiresAt: input.expiresAt === undefined ? null : Date.parse(input.expiresAt),
    };
    return db.write(() => {
      store.insert(row, sealMaterials(vault, row, materials));
      const { id: recipeId, authMode } = row.recipe ?? {};
      recordActivity(row, 'connection.created', { actorId, provider: row.providerSource, recipeId, authMode });
      notify(row, row.status);
      return connectionOf(row, now);
    });
  }

  async function inspect(row: ConnectionRow): Promise<Verdict> {
    const now = clock.now();
    if (row.expiresAt !== null && row.expiresAt <= now)
      return { outcome: 'expire', detail: `The Connection was to expire on ${isoTime(row.expiresAt).slice(0, 10)}.` };
    if (row.kind === null) return deps.checkMaterial(access.openAll(row), now);
    return deps.testGit(row, access.findGitCredential(row.id));
  }

  /** Records the result, unless the Connection was revoked during the test. */
  function settle(id: string, { outcome, detail, endsAt }: Verdict, actorId: string): ConnectionTest {
    return db.write(() => {
      const row = getRow(id);
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
      recordActivity(row, 'connection.tested', { actorId, status, outcome });
      notify(row, status);
      const publicStatus = outcome === 'unknown' ? 'pending' : (status as Exclude<typeof status, 'revoked'>);
      return { status: publicStatus, ...(detail !== undefined && { detail }) };
    });
  }

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
    ...access,
    create,
    listRecipes: deps.recipes.list,
    get: (id: string): Connection => connectionOf(getRow(id), clock.now()),
    /** The Workspace of a Connection that belongs to one. */
    findWorkspace: (id: string): string | undefined => store.find(id)?.workspaceId ?? undefined,
    requireWorkspace: (id: string): void => void workspaces.getWorkspace(id),

    /** Tests the material. Returns the write that stores the result. 409 `connection_revoked`. */
    async test(id: string, actorId: string): Promise<() => ConnectionTest> {
      const row = getRow(id);
      if (row.status === 'revoked') throw revoked();
      const verdict = await inspect(row);
      return () => settle(id, verdict, actorId);
    },

    /** Revokes the Connection permanently and erases its values; repeating it changes nothing. Running tools are not stopped. */
    revoke(id: string, actorId: string): void {
      deps.erase(() => {
        const row = getRow(id);
        const status = next(connectionMachine, row.status, 'revoke');
        if (!status) return;
        store.update(id, { status, updatedAt: clock.now() });
        const erased = store.deleteMaterials(id);
        const heldByRuns = listHolders(id);
        const { queuedRuns, capsules } = deps.findDependents(id);
        const lists = Object.entries({ heldByRuns, queuedRuns, boundCapsules: capsules.slice(0, capsulesNamed) });
        const named = Object.fromEntries(lists.filter(([, ids]) => ids.length > 0));
        recordActivity(row, 'connection.revoked', { actorId, erased, ...named });
        notify(row, status);
      });
    },

    noteUse,
    /** User name and token for a sync, recorded with its Run; undefined when the Connection cannot provide one any more. */
    issueGit(connectionId: string, runId: string): GitCredential | undefined {
      const credential = access.findGitCredential(connectionId);
      if (credential) noteUse({ connectionId, runId, names: [gitTokenName] });
      return credential;
    },

    /** Connections of a Workspace, or with `null` those of the operator, oldest first. */
    list(workspaceId: string | null, query: PageQuery): { connections: Connection[]; nextCursor?: string } {
      const { rows, next: more } = readPage(cursors, query, {
        binding: `connections:${workspaceId ?? ''}`,
        fetch: (after, limit) => store.listPage(workspaceId, afterCreated(after), limit),
        positionOf: createdOf,
      });
      return { connections: rows.map((row) => connectionOf(row, clock.now())), ...more };
    },
    listForProviders: (workspaceId: string): Connection[] =>
      store.listForProviders(workspaceId).map((row) => connectionOf(row, clock.now())),
    listUses(connectionId: string, query: PageQuery): { uses: ConnectionUse[]; nextCursor?: string } {
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
