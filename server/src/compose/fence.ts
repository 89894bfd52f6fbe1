import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { Fence } from '#shared/fence/contract';
import type { ActivityService } from '../domains/activity/index.ts';
import {
  createFenceFacts,
  createFenceService,
  type FenceFact,
  type FenceService,
  type FenceTarget,
} from '../domains/fence/index.ts';
import type { Pause } from '../domains/installation/index.ts';
import { createObjectStore } from '../drivers/object-store/index.ts';
import { writeDurably } from '../kernel/disk.ts';
import { findFact, readInstallationId, writeFact } from '../kernel/installation.ts';
import { present } from '../kernel/present.ts';
import { readOrMakeToken } from '../kernel/runtime-files.ts';
import type { Settings } from '../kernel/settings.ts';
import type { FenceSettings } from '../kernel/settings-fence.ts';
import { SupersededError } from '../kernel/start-error.ts';
import type { AppContext } from './app-context.ts';
import { readStoreKeys } from './object-stores.ts';
import { createTermLink } from './term-link.ts';

/** The server of a term renews it so often, and writes nothing when it could not for so long. */
const termEveryMs = 3_000;
const termAnswerMs = 4_000;
const termWaitMs = 900_000;
export const termCountsForMs = 10_000;

/** A server that waits longer for one answer would start too late. */
const idleMs = 10_000;

/** Writes the term for the service of Litestream, which copies each term to a location of its own. */
function writeTerm(dataDir: string, { status, holder }: Fence): void {
  if (status === 'held' && holder) writeLitestreamEnv(dataDir, holder.term);
}
export const writeLitestreamEnv = (dataDir: string, term: number): void =>
  writeDurably(path.join(dataDir, 'litestream.env'), `GROUNDCTL_TERM=${term}\n`);

/** Returns the name of this server. It lies beside the ledger, so that a restored or copied ledger gets another one on another machine. */
export const readServerId = (dataDir: string): string =>
  readOrMakeToken(path.join(dataDir, 'server-id'), () => `srv_${randomUUID().replaceAll('-', '')}`);

type Parts = { activity: ActivityService; pause: Pause };

/** Builds the fence. Throws `StartError` when its keys cannot be read. */
export function buildFence(context: AppContext, { activity, pause }: Parts) {
  const { db, clock, log, settings, fenceRetryMs } = context;
  const isTerm = settings.fence === 'nats';
  const fence = createFenceService({
    db,
    clock,
    log,
    activity,
    ...present({ retryMs: fenceRetryMs, checkMs: isTerm ? termAnswerMs : undefined }),
    target: targetOf(context, pause),
  });
  if (isTerm) fence.onChange(() => writeTerm(settings.dataDir, fence.describe()));
  return fence;
}

function targetOf(context: AppContext, pause: Pause): FenceTarget | undefined {
  const { settings, db } = context;
  const { fence, dataDir } = settings;
  if (!fence) return undefined;
  const serverId = readServerId(dataDir);
  return {
    ...(fence === 'nats' ? termOf(context) : bucketOf(fence, settings)),
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
  };
}

type StoreOfFence = Omit<FenceTarget, 'installationId' | 'serverId' | 'facts'>;

function bucketOf(fence: FenceSettings, { caFile, httpsProxy }: AppContext['settings']): StoreOfFence {
  const { endpoint, region, bucket, prefix, waitMs, keyFile } = fence;
  const keys = readStoreKeys(keyFile, 'GROUNDCTL_FENCE_KEY_FILE');
  return {
    kind: 'bucket',
    store: createObjectStore({ endpoint, region, bucket, keys, caFile, httpsProxy, idleMs }),
    address: `s3://${bucket}`,
    prefix,
    waitMs,
  };
}

/** The fence in NATS: its record counts for seconds, so that a server that is cut off stops before another one begins. */
function termOf(context: AppContext): StoreOfFence {
  const { store, close } = createTermLink(context);
  // One mark for each process: a conditional write proves the rest.
  const nonce = randomUUID();
  return {
    kind: 'term',
    store,
    close,
    address: 'nats://GC_TERM',
    prefix: '',
    waitMs: termWaitMs,
    checkEveryMs: termEveryMs,
    countsForMs: termCountsForMs,
    makeNonce: () => nonce,
  };
}

/** Resolves with a sentence when another server takes the next term. Throws `SupersededError` when one has. */
export function watchTerm(fence: FenceService, settings: Settings): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  if (settings.fence !== 'nats') return promise;
  if (fence.isLost()) throw new SupersededError(supersededMessage);
  fence.onChange(() => {
    if (fence.isLost()) resolve(supersededMessage);
  });
  return promise;
}
const supersededMessage =
  'Another server of this installation was promoted, so this one has ended. Its ledger is out of date: do not start it again.';
