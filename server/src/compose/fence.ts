import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { ActivityService } from '../domains/activity/index.ts';
import { createFenceService, type FenceTarget } from '../domains/fence/index.ts';
import { createObjectStore } from '../drivers/object-store/index.ts';
import { readInstallationId } from '../kernel/installation.ts';
import { readOrMakeToken } from '../kernel/runtime-files.ts';
import { Secret } from '../kernel/secret.ts';
import type { Settings } from '../kernel/settings.ts';
import { StartError } from '../kernel/start-error.ts';
import type { AppContext } from './app-context.ts';

const KeyFile = z.strictObject({
  accessKeyId: z.string().min(1),
  secretAccessKey: z.string().min(1),
  sessionToken: z.string().min(1).optional(),
});
/** A server that waits longer for one answer would start too late. */
const idleMs = 10_000;

/** Builds the fence. Throws `StartError` when its keys cannot be read. */
export function buildFence({ settings, db, clock, log, fenceRetryMs }: AppContext, activity: ActivityService) {
  return createFenceService({
    db,
    clock,
    log,
    activity,
    ...(fenceRetryMs !== undefined && { retryMs: fenceRetryMs }),
    target: targetOf(settings, () => readInstallationId(db, randomUUID)),
  });
}

function targetOf({ fence, dataDir, caFile, httpsProxy }: Settings, findId: () => string): FenceTarget | undefined {
  if (!fence) return undefined;
  const { endpoint, region, bucket, prefix, waitMs } = fence;
  return {
    store: createObjectStore({ endpoint, region, bucket, keys: readKeys(fence.keyFile), caFile, httpsProxy, idleMs }),
    bucket,
    prefix,
    installationId: findId(),
    // Beside the ledger, so that a restored or continuously copied ledger gets another name on another machine.
    serverId: readOrMakeToken(path.join(dataDir, 'server-id'), () => `srv_${randomUUID().replaceAll('-', '')}`),
    waitMs,
  };
}

function readKeys(file: string) {
  try {
    const { accessKeyId, secretAccessKey, sessionToken } = KeyFile.parse(JSON.parse(readFileSync(file, 'utf8')));
    return {
      accessKeyId,
      secretAccessKey: new Secret(secretAccessKey),
      ...(sessionToken !== undefined && { sessionToken: new Secret(sessionToken) }),
    };
  } catch {
    throw new StartError(
      'GROUNDCTL_FENCE_KEY_FILE must name a readable JSON file with accessKeyId and secretAccessKey.',
    );
  }
}
