import type { GitUrlRules } from '#shared/sources/git-address';
import type { ObjectStorageAccount } from '../domains/connections/index.ts';
import { guardedLookup } from '../drivers/git/index.ts';
import { createObjectStore, type ObjectStore } from '../drivers/object-store/index.ts';
import type { Settings } from '../kernel/settings.ts';

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
