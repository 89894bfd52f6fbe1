import type { RunsService } from '#server/domains/runs/index';
import type { StateHead, StateVersionsService } from '#server/domains/state-versions/index';
import type { Vault } from '#server/drivers/vault/index';
import type { Db } from '#server/kernel/db';
import { AppError, failedPrecondition, notFound } from '#server/kernel/errors';
import type { Log } from '#server/kernel/log';
import type { Outbox } from '#server/kernel/outbox';
import type { Cursors, ListQueryOf } from '#server/kernel/page';
import { nothingLeft } from '#shared/kernel/endpoint';
import type { stateResourcesApi } from '#shared/state-resources/api';
import { createComparison } from './comparison.ts';
import { createHistory } from './history.ts';
import { listResources } from './list.ts';
import { createProjector } from './projector.ts';
import { createStateReader } from './reader.ts';
import { createSealing } from './sealing.ts';
import { createStateResourcesStore } from './store.ts';
import { createWorkerLink } from './worker-link.ts';

type Deps = {
  db: Db;
  log: Log;
  outbox: Outbox;
  cursors: Cursors;
  vault: Pick<Vault, 'seal' | 'open' | 'installationKey'>;
  runs: Pick<RunsService, 'getRecord'>;
  states: Pick<StateVersionsService, 'findHead' | 'openPacked'>;
};

type CompareQuery = ListQueryOf<typeof stateResourcesApi.compareStateVersions>;

export type StateResourcesService = ReturnType<typeof createStateResourcesService>;

/** The resources of StateVersions: what they are, how two states differ, and how each one came about. */
export function createStateResourcesService(deps: Deps) {
  const { cursors, vault, states } = deps;
  const store = createStateResourcesStore(deps.db);
  const sealing = createSealing(vault);
  const parts = { ...deps, store, sealing, link: createWorkerLink() };
  const openState = createStateReader(parts);
  const compareStates = createComparison({ ...parts, openState });
  const listHistory = createHistory(parts);

  function getHead(id: string): StateHead {
    const head = states.findHead(id);
    if (!head) throw notFound('StateVersion');
    return head;
  }

  return {
    projector: createProjector(parts),
    listHistory: (capsuleId: string, query: ListQueryOf<typeof stateResourcesApi.listResourceHistory>) =>
      readable(async () => listHistory(capsuleId, query)),

    async list(id: string, query: ListQueryOf<typeof stateResourcesApi.listStateResources>) {
      const head = getHead(id);
      return readable(async () => listResources(head, query, { state: await openState(head), cursors }));
    },

    /** Compares two StateVersions of one Capsule. 404 when the other one belongs to another Capsule. */
    compare(id: string, { with: otherId, limit, cursor, ...rest }: CompareQuery) {
      nothingLeft(rest);
      const fromHead = getHead(id);
      const toHead = getHead(otherId);
      if (fromHead.capsuleId !== toHead.capsuleId) throw notFound('StateVersion');
      return readable(() => compareStates(fromHead, toHead, { limit, cursor }));
    },
  };
}

/** Turns the failure to open stored bytes into an answer that says what to do. */
async function readable<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof AppError) throw error;
    const message = 'The stored resources of this state are damaged. Check the data folder with `groundctl doctor`.';
    throw failedPrecondition('state_not_readable', message);
  }
}
