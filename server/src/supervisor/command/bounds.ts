import { randomUUID } from 'node:crypto';
import { allowancesOf, megabytes } from '../../os/allowances.ts';
import { type ControlGroup, foldersOf, groupNameOf, makeGroup, openGroup } from '../../os/cgroup.ts';
import { detectCgroupLocation, giveUpGroups, limitsEnforced } from '../../os/cgroup-limits.ts';
import type { CgroupLocation } from '../../os/cgroup-location.ts';
import { memoryFolder } from '../../os/memory-folder.ts';
import { ownThreads } from '../../os/processes.ts';
import type { ExecutionSpec } from '../../runner/contract/execution-spec.ts';
import { type Slot, slotGroups } from '../../runner/contract/layout.ts';
import type { Bounds } from '../launch-context.ts';

/**
 * Returns the possible control group folders of this Capsule. They are recorded before one is created, so that leftover
 * processes can be found.
 */
export function groupFoldersOf(capsuleDir: string): string[] {
  const where = detectCgroupLocation();
  if (where === undefined) return [];
  return slotGroups.flatMap((ending) => foldersOf(where, groupNameOf(capsuleDir) + ending));
}

export type Bounded = { bounds: Bounds; group: ControlGroup | undefined };

/** Creates the limits that one command starts with. A group of an earlier command of the Capsule is ended first. */
export async function openBounds(spec: ExecutionSpec, slot: Slot): Promise<Bounded> {
  const { memoryBytes, processes } = allowancesOf(spec);
  const mark = spec.sandbox === 'none' ? { mark: randomUUID() } : {};
  const where = detectCgroupLocation();
  const group = where === undefined ? undefined : await openNewGroup(where, spec, slot);
  if (group !== undefined) return { bounds: { ...mark, entries: group.entries }, group };
  // The kernel counts all processes of the user, except in a separate user namespace on newer kernels.
  const { memory, processes: of } = limitsEnforced();
  return {
    group,
    bounds: {
      ...mark,
      ...(of === 'user' ? { processes: processes + ownThreads() } : {}),
      ...(memory === 'process' ? { dataBytes: memoryBytes } : {}),
    },
  };
}

async function openNewGroup(where: CgroupLocation, spec: ExecutionSpec, slot: Slot): Promise<ControlGroup | undefined> {
  const name = groupNameOf(spec.capsuleDir) + slot.group;
  try {
    await openGroup(foldersOf(where, name))?.end();
    return makeGroup(where, name, allowancesOf(spec));
  } catch {
    giveUpGroups();
    return undefined;
  }
}

const clearText =
  'This system has no folder in memory: while a command runs, files of credentials, and plan and state of Terraform, are in clear text in the folder of the Capsule.';

/** Returns the messages about what this machine does not enforce, logged once in a Run. */
export function shortfallsOf(
  spec: Pick<ExecutionSpec, 'capsuleDir' | 'limits' | 'sandbox' | 'tool'>,
  platform: NodeJS.Platform = process.platform,
): string[] {
  const { shortfall } = limitsEnforced(platform);
  const usesFolder = spec.sandbox === 'none' || spec.tool.name === 'terraform';
  return [
    ...(shortfall ? [`${shortfall} The allowance is ${megabytes(allowancesOf(spec).memoryBytes)}.`] : []),
    ...(usesFolder && memoryFolder(spec.capsuleDir, platform) === undefined ? [clearText] : []),
  ];
}
