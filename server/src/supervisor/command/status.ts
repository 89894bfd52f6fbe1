import { readFileSync } from 'node:fs';
import { watchPath } from '../../runner/contract/watch-path.ts';

type ToolStatus = { childPid?: number; exitCode?: number };

/**
 * Reads the status file of a tool: bwrap's `--json-status-fd` output, or the same two lines written by the shell around
 * a tool without a sandbox. The file outlives both.
 */
export function readStatus(file: string): ToolStatus {
  let text = '';
  try {
    text = readFileSync(file, 'latin1');
  } catch {
    // Nothing was started yet.
  }
  return readStatusText(text);
}

/** Reads the lines that bwrap has written so far. */
export function readStatusText(text: string): ToolStatus {
  const childPid = /"child-pid"\s*:\s*(\d+)/.exec(text)?.[1];
  const exitCode = /"exit-code"\s*:\s*(\d+)/.exec(text)?.[1];
  return {
    ...(childPid === undefined ? {} : { childPid: Number(childPid) }),
    ...(exitCode === undefined ? {} : { exitCode: Number(exitCode) }),
  };
}

/** Resolves with the first status that satisfies `isEnough`, or with the last one seen when `until` settles first. */
export async function awaitStatus(
  file: string,
  isEnough: (status: ToolStatus) => boolean,
  until: Promise<unknown>,
): Promise<ToolStatus> {
  let stop = (): void => {};
  try {
    return await new Promise((resolve) => {
      const check = (): void => {
        const status = readStatus(file);
        if (isEnough(status)) resolve(status);
      };
      stop = watchPath({ target: file, onChange: check });
      void until.then(() => resolve(readStatus(file)));
      check();
    });
  } finally {
    stop();
  }
}
