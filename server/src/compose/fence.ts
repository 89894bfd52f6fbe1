import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { ActivityService } from '../domains/activity/index.ts';
import { createFenceFacts, createFenceService, type FenceFact, type FenceTarget } from '../domains/fence/index.ts';
import type { Pause } from '../domains/installation/index.ts';
import { createObjectStore } from '../drivers/object-store/index.ts';
import { findFact, readInstallationId, writeFact } from '../kernel/installation.ts';
import { readOrMakeToken } from '../kernel/runtime-files.ts';
import type { AppContext } from './app-context.ts';
import { readStoreKeys } from './object-stores.ts';

/** A server that waits longer for one answer would start too late. */
const idleMs = 10_000;

type Parts = { activity: ActivityService; pause: Pause };

/** Builds the fence. Throws `StartError` when its keys cannot be read. */
export function buildFence(context: AppContext, { activity, pause }: Parts) {
  const { db, clock, log, fenceRetryMs } = context;
  return createFenceService({
    db,
    clock,
    log,
    activity,
    ...(fenceRetryMs !== undefined && { retryMs: fenceRetryMs }),
    target: targetOf(context, pause),
  });
}

function targetOf({ settings, db }: AppContext, pause: Pause): FenceTarget | undefined {
  const { fence, dataDir, caFile, httpsProxy } = settings;
  if (!fence) return undefined;
  const { endpoint, region, bucket, prefix, waitMs } = fence;
  // Beside the ledger, so that a restored or continuously copied ledger gets another name on another machine.
  const serverId = readOrMakeToken(path.join(dataDir, 'server-id'), () => `srv_${randomUUID().replaceAll('-', '')}`);
  return {
    store: createObjectStore({
      endpoint,
      region,
      bucket,
      keys: readStoreKeys(fence.keyFile, 'GROUNDCTL_FENCE_KEY_FILE'),
      caFile,
      httpsProxy,
      idleMs,
    }),
    bucket,
    prefix,
    installationId: readInstallationId(db, randomUUID),
    serverId,
    facts: createFenceFacts({
      ledger: {
        find: () => findFact<FenceFact>(db, 'fence'),
        save: (fact) => db.write(() => writeFact(db, 'fence', fact)),
      },
      serverId,
      findRestore: () => pause.restored && { id: pause.restored.restoredAt, isStarted: !pause.isUnprepared() },
    }),
    waitMs,
  };
}
