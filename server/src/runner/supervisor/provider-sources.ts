import path from 'node:path';
import { cliConfig } from '#server/tofu/index';
import { mirrorInside } from '../sandbox.ts';
import type { LaunchContext } from './launch.ts';

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
