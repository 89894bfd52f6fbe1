import fs from 'node:fs';
import path from 'node:path';
import { createFenceFacts, createFenceService, type FenceFact, type FenceService } from '../src/domains/fence/index.ts';
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

/** Ledger of a server with its fact about the fence, and the restore under which it was started. */
export function ledgerFacts(restore: string | undefined = 'restore-1'): LedgerFacts {
  let fact: FenceFact | undefined;
  return {
    find: () => fact,
    save: (next: FenceFact) => {
      fact = next;
    },
    restore,
    copy() {
      const copied = ledgerFacts(restore);
      if (fact) copied.save(fact);
      return copied;
    },
  };
}
export type LedgerFacts = {
  find(): FenceFact | undefined;
  save(fact: FenceFact): void;
  restore: string | undefined;
  copy(): LedgerFacts;
};

const restoreOf = ({ restore }: LedgerFacts) => (restore === undefined ? undefined : { id: restore, isStarted: true });

/** Creates the fence of one server at a bucket. */
export const fenceAt = (
  bucket: ObjectBucket,
  serverId: string,
  {
    ledger = ledgerFacts(),
    ...more
  }: { installationId?: string; waitMs?: number; checkMs?: number; ledger?: LedgerFacts } = {},
): FenceService =>
  createFenceService({
    db: { write: (work) => work() },
    clock: systemClock,
    log: createLog('silent'),
    activity: { record: () => {} },
    target: {
      kind: 'bucket',
      store: createObjectStore({ ...bucket.connection, keys: keysOfBucket }),
      address: `s3://${bucket.connection.bucket}`,
      prefix: 'fence',
      installationId: more.installationId ?? 'installation-1',
      serverId,
      facts: createFenceFacts({ ledger, serverId, findRestore: () => restoreOf(ledger) }),
      waitMs: more.waitMs ?? 0,
    },
    retryMs: 1,
    checkMs: more.checkMs ?? 5_000,
  });

/** Writes the keys of a test bucket into a folder; returns the settings of a fence at that bucket. */
export function fenceSettings(bucket: ObjectBucket, dir: string): FenceSettings {
  const keyFile = path.join(dir, 'keys.json');
  fs.writeFileSync(keyFile, JSON.stringify(bucketKeys), { mode: 0o600 });
  return { ...bucket.connection, prefix: 'fence', keyFile, waitMs: 60_000 };
}
