import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { cliConfig } from '#server/drivers/tofu/index';
import { mirrorInside } from '../../os/sandbox.ts';
import type { LaunchContext } from '../launch-context.ts';

/** Where one init may take provider packages from. */
export type ProviderSources = {
  /** Folder of links, relative to the store, that shows exactly the packages this init may see. */
  view: string;
  /** Addresses that come from the view alone, so that no registry is asked for them. */
  storeProviders: readonly string[];
  /** Addresses that come from the operator's mirror alone. */
  mirrorProviders: readonly string[];
};

/** The CLI configuration of a command that installs nothing: it still has to name its sources, or the tool adds its own. */
export const plainCliConfig = ({ layout }: LaunchContext): string =>
  cliConfig({ storeDir: layout.seen.providers, network: false });

export function cliConfigOf(
  { job, layout }: LaunchContext,
  options: { network: boolean; sources: ProviderSources },
): string {
  const { view, storeProviders, mirrorProviders } = options.sources;
  const { mirrorDir } = job.providers;
  const mirror = job.sandbox === 'bwrap' ? mirrorInside : mirrorDir;
  return cliConfig({
    storeDir: path.posix.join(layout.seen.providers, view),
    storeProviders,
    network: options.network,
    ...(mirrorDir === undefined || mirror === undefined ? {} : { mirrorDir: mirror, mirrorProviders }),
  });
}

/** The packages of an initialised folder are links into the store or the mirror; true while all of them lead somewhere. */
export function arePackagesThere({ job, layout }: Pick<LaunchContext, 'job' | 'layout'>): boolean {
  const root = path.join(layout.host.data, 'providers');
  if (!existsSync(root)) return true;
  return readdirSync(root, { recursive: true, withFileTypes: true }).every(
    (entry) =>
      !entry.isSymbolicLink() || existsSync(targetOf({ job, layout }, path.join(entry.parentPath, entry.name))),
  );
}

/** Where a link to a package leads on the host. */
export function targetOf({ job, layout }: Pick<LaunchContext, 'job' | 'layout'>, link: string): string {
  const mounts: readonly (readonly [seen: string, host: string | undefined])[] = [
    [layout.seen.providers, job.providers.storeDir],
    [mirrorInside, job.sandbox === 'bwrap' ? job.providers.mirrorDir : undefined],
  ];
  const target = path.resolve(path.dirname(link), readlinkSync(link));
  const mount = mounts.find(([seen, host]) => host !== undefined && target.startsWith(`${seen}/`));
  return mount === undefined ? target : path.join(mount[1] as string, path.relative(mount[0], target));
}
