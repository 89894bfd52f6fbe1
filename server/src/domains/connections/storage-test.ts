import { randomBytes } from 'node:crypto';
import { type ObjectStore, StoreError } from '#server/drivers/object-store/index';
import { keyBelow } from '#shared/connections/object-storage';
import type { Verdict } from './check/run-check.ts';
import type { ObjectStorageAccount } from './object-storage.ts';

/** Tests a bucket by writing, reading and deleting a small object. */
export type TestStorage = (account: ObjectStorageAccount | undefined) => Promise<Verdict>;

const timeoutMs = 60_000;

export const createStorageTest =
  (openStore: (account: ObjectStorageAccount) => ObjectStore): TestStorage =>
  async (account) => {
    if (!account) return { outcome: 'fail', detail: 'The keys or settings are incomplete. Create a new Connection.' };
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const isSame = await writeAndRead(openStore(account), account.prefix, signal);
      if (isSame) return { outcome: 'pass' };
      return { outcome: 'fail', detail: 'The bucket returned something else than was written. Check the address.' };
    } catch (error) {
      if (error instanceof StoreError) return verdictOf(error);
      if (signal.aborted) return { outcome: 'unknown', detail: 'The object storage did not answer in time.' };
      throw error;
    }
  };

async function writeAndRead(store: ObjectStore, prefix: string, signal: AbortSignal): Promise<boolean> {
  const content = randomBytes(32);
  const key = keyBelow(prefix, `groundctl-test-${content.toString('hex').slice(0, 16)}`);
  await store.putBytes(key, content, { signal });
  const stored = await store.getBytes(key, content.byteLength, { signal });
  await store.delete(key, { signal });
  return stored !== undefined && content.equals(stored.bytes);
}

/** A failure of the network says nothing about the keys. */
const verdictOf = ({ isTransient, message }: StoreError): Verdict => ({
  outcome: isTransient ? 'unknown' : 'fail',
  detail: message,
});
