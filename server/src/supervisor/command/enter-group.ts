import type { Program } from '../../os/spawn.ts';

/** The exit code of a command that the kernel would not let into its control group. */
export const refusedExit = 124;

/** The kernel lets us make a group and nothing into it, as version 2 does outside of what is delegated. Nothing was run. */
export class GroupRefused extends Error {
  override readonly name = 'GroupRefused';
}

const enter = `until [ "$1" = -- ]; do { echo 0 >"$1"; } 2>/dev/null || exit ${refusedExit}; shift; done; shift; exec "$@"`;

/**
 * A program as a shell starts it that moves itself into the control group first, so that whatever the program starts is
 * in it too. `entries` are the files of the group that take the number of a process; with none it is started as it is.
 */
export function inGroup(entries: readonly string[] | undefined, { file, argv }: Program): Program {
  if (entries === undefined || entries.length === 0) return { file, argv };
  return { file: '/bin/sh', argv: ['-c', enter, 'sh', ...entries, '--', file, ...argv] };
}
