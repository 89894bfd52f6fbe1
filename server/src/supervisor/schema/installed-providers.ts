import { existsSync, readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { describePackage, listFolders, parseLock, type SchemaOwner } from '#server/drivers/tofu/index';
import type { LaunchContext } from '../launch-context.ts';
import { targetOf } from '../workspace/provider-sources.ts';

/** A provider that a command of the tool may start, its folder on the host and its program there. */
export type InstalledProvider = SchemaOwner & { folder: string; program: string };

/** Number of folders that name a package: host, namespace, type, version and platform. */
const packageDepth = 5;

/** Lists the providers of the initialized folder; undefined when the hash of one is unknown. */
export function listInstalled(
  context: Pick<LaunchContext, 'spec' | 'layout'>,
  lock: string,
): InstalledProvider[] | undefined {
  const root = path.join(context.layout.host.data, 'providers');
  if (!existsSync(root)) return [];
  const installed = listFolders(root, packageDepth).map((relative) => {
    const [host, namespace, type = '', version = '', platform = ''] = relative.split('/');
    const address = `${host}/${namespace}/${type}`;
    const folder = realpathSync(targetOf(context, path.join(root, relative)));
    const h1 = hashOf(context, { folder, address, lock });
    const program = readdirSync(folder).find((name) => name.startsWith(`terraform-provider-${type}`));
    return h1 === undefined || program === undefined ? undefined : { address, version, platform, h1, folder, program };
  });
  return installed.every((one) => one !== undefined) ? installed : undefined;
}

type Located = { folder: string; address: string; lock: string };

/**
 * Returns the hash of a package, which the lock must contain. The store names its packages by hash; one in a mirror has
 * the single hash of the lock, which init has verified.
 */
function hashOf({ spec }: Pick<LaunchContext, 'spec'>, { folder, address, lock }: Located): string | undefined {
  const { hashes = [] } = parseLock(lock).find((entry) => entry.address === address) ?? {};
  const locked = hashes.filter((hash) => hash.startsWith('h1:'));
  const stored = describePackage(path.relative(realpathSync(spec.providers.storeDir), folder));
  if (stored !== undefined) return locked.includes(stored.h1) ? stored.h1 : undefined;
  return locked.length === 1 ? locked[0] : undefined;
}
