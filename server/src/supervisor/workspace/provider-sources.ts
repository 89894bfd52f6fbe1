import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { cliConfig } from '#server/drivers/tofu/index';
import { mirrorInside } from '../../os/sandbox.ts';
import type { LaunchContext } from '../launch-context.ts';

/** Sources of provider packages for one init. */
export type ProviderSources = {
  /** Folder of links, relative to the store, with exactly the packages that this init may use. */
  view: string;
  /** Addresses that come only from the view, so that no registry is contacted for them. */
  storeProviders: readonly string[];
  /** Addresses that come only from the operator's mirror. */
  mirrorProviders: readonly string[];
};

/** Returns the CLI configuration of a command that installs nothing. It still has to name its sources, or the tool adds its own. */
export const plainCliConfig = ({ layout }: LaunchContext): string =>
  cliConfig({ storeDir: layout.seen.providers, network: false });

export function cliConfigOf(
  { spec, layout }: LaunchContext,
  options: { network: boolean; sources: ProviderSources },
): string {
  const { view, storeProviders, mirrorProviders } = options.sources;
  const { mirrorDir } = spec.providers;
  const mirror = spec.sandbox === 'bwrap' ? mirrorInside : mirrorDir;
  return cliConfig({
    storeDir: path.posix.join(layout.seen.providers, view),
    storeProviders,
    network: options.network,
    ...(mirrorDir === undefined || mirror === undefined ? {} : { mirrorDir: mirror, mirrorProviders }),
  });
}

/**
 * Returns a mark of all packages of an initialized folder, most of which are links into the store or the mirror. It
 * changes when one of their files changes, so packages that init has verified need no second check. Undefined when one is
 * missing.
 */
export function markPackages(context: Pick<LaunchContext, 'spec' | 'layout'>): string | undefined {
  const root = path.join(context.layout.host.data, 'providers');
  if (!existsSync(root)) return '';
  try {
    const marks = filesBelow(root).flatMap((file) => {
      if (!lstatSync(file).isSymbolicLink()) return [markOf(file)];
      const target = targetOf(context, file);
      return [`${file} ${target}`, ...filesBelow(target).map(markOf)];
    });
    return createHash('sha256').update(marks.join('\n')).digest('hex');
  } catch {
    return undefined;
  }
}

/** Lists what is below a folder, except folders. Links are not followed. */
const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => path.join(parentPath, name))
    .sort();

function markOf(file: string): string {
  const { dev, ino, size, nlink, mtimeNs, ctimeNs } = lstatSync(file, { bigint: true });
  // The name that a file gets elsewhere changes its ctime.
  return [file, dev, ino, size, nlink > 1n ? mtimeNs : ctimeNs].join(' ');
}

/** Returns the target of a package link on the host. */
export function targetOf({ spec, layout }: Pick<LaunchContext, 'spec' | 'layout'>, link: string): string {
  const mounts: readonly (readonly [seen: string, host: string | undefined])[] = [
    [layout.seen.providers, spec.providers.storeDir],
    [mirrorInside, spec.sandbox === 'bwrap' ? spec.providers.mirrorDir : undefined],
  ];
  const target = path.resolve(path.dirname(link), readlinkSync(link));
  const mount = mounts.find(([seen, host]) => host !== undefined && target.startsWith(`${seen}/`));
  return mount === undefined ? target : path.join(mount[1] as string, path.relative(mount[0], target));
}
