import type { RunsService } from '#server/domains/runs/index';
import type { StateVersionsService } from '#server/domains/state-versions/index';
import type { Vault } from '#server/drivers/vault/index';
import type { Db } from '#server/kernel/db';
import { AppError } from '#server/kernel/errors';
import { failpoint } from '#server/kernel/failpoints';
import { faultFields, type Log } from '#server/kernel/log';
import type { Outbox } from '#server/kernel/outbox';
import { createDigest } from './digest.ts';
import type { ProjectionAnswer, ProjectionRequest } from './projection-worker.ts';
import type { Sealing } from './sealing.ts';
import type { ProjectionRow, StateResourcesStore } from './store.ts';
import type { WorkerLink } from './worker-link.ts';

type Deps = {
  db: Db;
  log: Log;
  outbox: Outbox;
  vault: Pick<Vault, 'installationKey'>;
  store: StateResourcesStore;
  sealing: Sealing;
  link: WorkerLink;
  runs: Pick<RunsService, 'getRecord'>;
  states: Pick<StateVersionsService, 'findHead' | 'openPacked'>;
};

/** A StateVersion that was just committed, with the secret texts of its Run. */
type NewProjection = {
  stateVersionId: string;
  workspaceId: string;
  capsuleId: string;
  generation: number;
  secrets: readonly string[];
};

export const digestKeyOf = (vault: Pick<Vault, 'installationKey'>): string => vault.installationKey('resource-digest');
/** Digest under which the history of a Capsule finds an address; equal addresses of two Capsules have different ones. */
export const addressDigestOf = (digestKey: string, capsuleId: string): ((address: string) => string) => {
  const digest = createDigest(digestKey);
  return (address) => digest(['address', capsuleId, address]);
};

export type Projector = ReturnType<typeof createProjector>;

/**
 * Makes the projections of committed states, one after another, in the worker. A projection is queued in the transaction
 * of its commit, together with the sealed secrets that it needs, so that a killed server makes it at its next start.
 */
export function createProjector(deps: Deps) {
  const { db, log, store, sealing, link } = deps;
  let isStarted = false;
  let running: Promise<void> | undefined;

  function wake(): void {
    if (!isStarted || running) return;
    running = drain()
      .catch((error) => log.error(faultFields(error), 'the projections of states have stopped until the next commit'))
      .finally(() => {
        running = undefined;
      });
  }

  async function drain(): Promise<void> {
    for (let row = store.findPending(); row && isStarted; row = store.findPending()) {
      failpoint('projection.begin');
      const answer = await project(row, deps);
      if (answer === 'stopped') return;
      const projected = row;
      db.write(() => save(projected, 'head' in answer ? answer : undefined, deps));
      if ('failure' in answer)
        log.warn({ stateVersionId: row.stateVersionId, reason: answer.failure }, 'a state shows addresses only');
      failpoint('projection.saved');
    }
  }

  return {
    /** Queues a projection, in the transaction that commits the state. */
    queue({ secrets, ...row }: NewProjection): void {
      const counts = { resourceCount: 0, failedChecks: null, pageCount: 0 };
      store.insertProjection({
        ...row,
        ...counts,
        status: 'pending',
        secrets: sealing.sealSecrets(row, secrets),
        head: null,
      });
      db.afterCommit(wake);
    },
    start(): void {
      isStarted = true;
      wake();
    },
    async stop(): Promise<void> {
      isStarted = false;
      await link.close();
      await running;
    },
  };
}

/** A row that cannot be opened must not stop the ones after it. While the vault is sealed, all of them wait. */
async function project(row: ProjectionRow, deps: Deps): ReturnType<WorkerLink['request']> {
  try {
    return await deps.link.request(createRequest(row, deps));
  } catch (error) {
    if (error instanceof AppError && error.status >= 500) throw error;
    return { failure: error instanceof Error ? error.name : 'Error' };
  }
}

function createRequest(row: ProjectionRow, { vault, store, sealing, runs, states }: Deps): ProjectionRequest {
  const { stateVersionId, capsuleId, generation } = row;
  const runId = states.findHead(stateVersionId)?.createdByRunId;
  const planRunId = runId === undefined ? null : runs.getRecord(runId).planRunId;
  const marks = store.findLateMarks(capsuleId);
  return {
    kind: 'project',
    generation,
    state: states.openPacked(stateVersionId),
    secrets: sealing.openSecrets(row),
    digestKey: digestKeyOf(vault),
    before: findBefore(row, { store, sealing, states }),
    plan: planRunId === null ? undefined : store.findPlanDocument(planRunId),
    lateMarks: marks && sealing.openMarks(marks),
  };
}

/** The state before, which may be from a version that made no projections. */
function findBefore(
  { capsuleId, generation }: ProjectionRow,
  { store, sealing, states }: Pick<Deps, 'store' | 'sealing' | 'states'>,
): ProjectionRequest['before'] {
  const id = store.findIdOfGeneration(capsuleId, generation - 1);
  if (id === undefined) return undefined;
  const head = openHead(store.findProjection(id), sealing);
  return head ? { head } : { state: states.openPacked(id) };
}

/** Returns undefined for a projection that has no head or a damaged one: the state itself says the same. */
function openHead(projection: ProjectionRow | undefined, sealing: Sealing): Buffer | undefined {
  if (!projection?.head) return undefined;
  try {
    return sealing.openHead({ ...projection, head: projection.head });
  } catch (error) {
    if (error instanceof AppError) throw error;
    return undefined;
  }
}

/** Stores what the worker made; without an answer the state shows addresses only. */
function save(row: ProjectionRow, answer: ProjectionAnswer | undefined, deps: Deps): void {
  const { store, sealing, outbox, vault } = deps;
  const { stateVersionId, workspaceId, capsuleId, generation } = row;
  if (!answer) store.updateProjection(stateVersionId, { status: 'unreadable', secrets: null });
  else {
    const { pages, changes, resourceCount, failedChecks } = answer;
    for (const [number, bytes] of pages.entries()) {
      const page = { id: `${stateVersionId}.${number}`, workspaceId, stateVersionId, number };
      store.insertPage({ ...page, page: sealing.sealPage(page, { bytes: Buffer.from(bytes) }) });
    }
    const head = sealing.sealHead(row, { bytes: Buffer.from(answer.head) });
    const counts = { resourceCount, failedChecks, pageCount: pages.length };
    store.updateProjection(stateVersionId, { status: 'ready', secrets: null, head, ...counts });
    const marks = sealing.sealMarks(row, { bytes: Buffer.from(answer.lateMarks) });
    store.saveLateMarks({ capsuleId, workspaceId, marks });
    const digestOf = addressDigestOf(digestKeyOf(vault), capsuleId);
    for (const [number, { address, change, previousAddress }] of changes.entries()) {
      const named = { id: `${stateVersionId}.${number}`, workspaceId };
      store.insertChange({
        ...named,
        capsuleId,
        generation,
        stateVersionId,
        change,
        addressDigest: digestOf(address),
        previousDigest: previousAddress === undefined ? null : digestOf(previousAddress),
        addresses: previousAddress === undefined ? null : sealing.sealAddresses(named, { address, previousAddress }),
      });
    }
  }
  outbox.push({ workspaceId, kind: 'state_version', recordId: stateVersionId });
}
