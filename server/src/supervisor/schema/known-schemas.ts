import {
  currentPlatform,
  findSchema,
  keepSchema,
  parseLock,
  type Schema,
  type SchemaOwner,
} from '#server/drivers/tofu/index';
import type { SupervisedRun } from '../run.ts';
import type { InstalledProvider } from './installed-providers.ts';
import { takeSchema } from './take-schema.ts';

/** A package of a provider and its schema. */
export type KnownProvider = { owner: SchemaOwner; schema: Schema };

/** Returns the stored schemas of the packages that a lock file names; undefined when one is not stored. */
export function findLockedSchemas({ spec }: Pick<SupervisedRun, 'spec'>, lock: string): KnownProvider[] | undefined {
  const platform = currentPlatform();
  const known = parseLock(lock).map(({ address, version, hashes }) => {
    for (const h1 of hashes.filter((hash) => hash.startsWith('h1:'))) {
      const owner = { address, version, platform, h1 };
      const schema = findSchema(spec.providers.storeDir, owner);
      if (schema !== undefined) return { owner, schema };
    }
    return undefined;
  });
  return known.every((one) => one !== undefined) ? known : undefined;
}

/**
 * Returns the schemas of installed providers; undefined when one returns none. Those that are not stored are read from
 * the providers and stored.
 */
export async function readSchemas(
  run: SupervisedRun,
  installed: readonly InstalledProvider[],
): Promise<KnownProvider[] | undefined> {
  const { storeDir } = run.spec.providers;
  const known: KnownProvider[] = [];
  for (const owner of installed) {
    const stored = findSchema(storeDir, owner);
    const schema = stored ?? (await takeSchema(run, owner));
    if (schema === undefined) return undefined;
    if (stored === undefined) keepSchema(storeDir, owner, schema);
    known.push({ owner, schema });
  }
  return known;
}
