import fs from 'node:fs';
import path from 'node:path';
import { createFenceService, type FenceService } from '../src/domains/fence/index.ts';
import { createObjectStore } from '../src/drivers/object-store/index.ts';
import { systemClock } from '../src/kernel/clock.ts';
import { createLog } from '../src/kernel/log.ts';
import { Secret } from '../src/kernel/secret.ts';
import type { FenceSettings } from '../src/kernel/settings-fence.ts';
import { bucketKeys } from './bucket-signature.ts';
import type { ObjectBucket } from './object-bucket.ts';

export const keysOfBucket = {
  accessKeyId: bucketKeys.accessKeyId,
  secretAccessKey: new Secret(bucketKeys.secretAccessKey),
};

/** Creates the fence of one server at a bucket. */
export const fenceAt = (
  bucket: ObjectBucket,
  serverId: string,
  more: { installationId?: string; waitMs?: number; checkMs?: number } = {},
): FenceService =>
  createFenceService({
    db: { write: (work) => work() },
    clock: systemClock,
    log: createLog('silent'),
    activity: { record: () => {} },
    target: {
      store: createObjectStore({ ...bucket.connection, keys: keysOfBucket }),
      bucket: bucket.connection.bucket,
      prefix: 'fence',
      installationId: more.installationId ?? 'installation-1',
      serverId,
      waitMs: more.waitMs ?? 0,
    },
    retryMs: 1,
    checkMs: more.checkMs ?? 5_000,
  });

/** Writes the keys of a test bucket into a folder; returns the settings of a fence at that bucket. */
export function fenceSettings(bucket: ObjectBucket, dir: string): FenceSettings {
  const keyFile = path.join(dir, 'keys.json');
  fs.writeFileSync(keyFile, JSON.stringify(bucketKeys));
  return { ...bucket.connection, prefix: 'fence', keyFile, waitMs: 60_000 };
}
