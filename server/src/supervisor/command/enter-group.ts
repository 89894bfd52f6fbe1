import type { Program } from '../../os/spawn.ts';

/** Exit code of a command that the kernel refused to move into its control group. */
export const refusedExit = 124;

/**
 * Thrown when the kernel allows to create a group but not to move a process into it, as version 2 does outside a
 * delegated subtree. Nothing was run.
 */
export class GroupRefused extends Error {
  override readonly name = 'GroupRefused';
}

const enter = `until [ "$1" = -- ]; do { echo 0 >"$1"; } 2>/dev/null || exit ${refusedExit}; shift; done; shift; exec "$@"`;

/**
 * Wraps a program in a shell that first moves itself into the control group, so that all descendants of the program are
 * in it too. `entries` are the files of the group that take a process id; without them the program is started
 * unchanged.
 */
export function inGroup(entries: readonly string[] | undefined, { file, argv }: Program): Program {
  if (entries === undefined || entries.length === 0) return { file, argv };
  return { file: '/bin/sh', argv: ['-c', enter, 'sh', ...entries, '--', file, ...argv] };
}
