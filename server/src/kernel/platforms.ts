import type { Concern, System } from './platform-concern.ts';
import { concerns } from './platform-table.ts';

export type ConcernName = keyof typeof concerns;

const systemNames: Readonly<Record<System, string>> = { linux: 'Linux', darwin: 'macOS', win32: 'Windows' };
export const nameOfSystem = (platform: string): string => systemNames[platform as System] ?? platform;

const isSystem = (platform: string): platform is System => platform in systemNames;

/** Reports whether the implementation of a concern can be used here, also one that was never run. */
export const isImplemented = (concern: ConcernName, platform: string = process.platform): boolean =>
  isSystem(platform) && ['tried', 'never run'].includes(concerns[concern][platform].state);

/** Returns the titles of the concerns without which no Run starts on a system; undefined for an unknown system. */
export const findMissing = (platform: string): readonly string[] | undefined =>
  isSystem(platform)
    ? Object.values<Concern>(concerns)
        .filter((concern) => concern.stopsRuns && concern[platform].state === 'missing')
        .map(({ title }) => title)
    : undefined;

/** Returns the message about why no Run starts on this system; undefined when Runs start. */
export function findRunRefusal(platform: string = process.platform): string | undefined {
  const missing = findMissing(platform);
  if (missing?.length === 0) return undefined;
  const lack = missing === undefined ? 'it is unknown to Ground Control' : `it lacks ${missing.join(', ')}`;
  return `No Run starts on ${nameOfSystem(platform)}: ${lack}. Start the server on Linux, for example in the Windows Subsystem for Linux.`;
}
