import { z } from 'zod';
import type { GitUrlRules } from '#shared/sources/git-address';
import type { ObjectStorageAccount } from '../domains/connections/index.ts';
import { guardedLookup } from '../drivers/git/index.ts';
import { createObjectStore, type ObjectStore, type StoreKeys } from '../drivers/object-store/index.ts';
import { KeySourceError, readPrivateFile } from '../drivers/vault/index.ts';
import { Secret } from '../kernel/secret.ts';
import type { Settings } from '../kernel/settings.ts';
import { StartError } from '../kernel/start-error.ts';

/** Opens the buckets of Connections. The addresses that may be reached are those of Git hosts. */
export const openStoreOf =
  (settings: Pick<Settings, 'caFile' | 'httpsProxy'>, gitRules: Pick<GitUrlRules, 'allowLoopback'>) =>
  ({ endpoint, region, bucket, keys }: Omit<ObjectStorageAccount, 'prefix'>): ObjectStore =>
    createObjectStore({
      endpoint,
      region,
      bucket,
      keys,
      lookup: guardedLookup(gitRules),
      caFile: settings.caFile,
      httpsProxy: settings.httpsProxy,
    });

const KeyFile = z.strictObject({
  accessKeyId: z.string().min(1),
  secretAccessKey: z.string().min(1),
  sessionToken: z.string().min(1).optional(),
});

/** Reads the keys of a bucket of the operator. Throws `StartError` with the name of the setting. */
export function readStoreKeys(file: string, setting: string): StoreKeys {
  try {
    const { accessKeyId, secretAccessKey, sessionToken } = KeyFile.parse(JSON.parse(readPrivateFile(file) ?? ''));
    return {
      accessKeyId,
      secretAccessKey: new Secret(secretAccessKey),
      ...(sessionToken !== undefined && { sessionToken: new Secret(sessionToken) }),
    };
  } catch (error) {
    if (error instanceof KeySourceError) throw new StartError(`${setting}: ${error.message}`);
    throw new StartError(`${setting} must name a readable JSON file with accessKeyId and secretAccessKey.`);
  }
}
