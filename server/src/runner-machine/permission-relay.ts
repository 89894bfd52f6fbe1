import { existsSync } from 'node:fs';
import { answerPermission, permissionRequestFile, readPermission } from '../runner/contract/permission.ts';
import { watchPath } from '../runner/contract/watch-path.ts';
import type { Claim, MachineLink } from './link.ts';
import { persist } from './persist.ts';

type Deps = {
  link: Pick<MachineLink, 'permit'>;
  claim: Claim;
  key: Buffer;
  runDir: string;
  signal: AbortSignal;
};

/** Takes the request of a supervisor to the ledger, and the answer back. Resolves after that, or when the signal aborts. */
export async function passPermission({ link, claim, key, runDir, signal }: Deps): Promise<void> {
  if (readPermission(runDir) !== undefined || !(await isRequested(runDir, signal))) return;
  await persist(async () => {
    const answer = await link.permit(claim, key);
    // A job that has ended since then has no folder any more.
    if (!signal.aborted) answerPermission(runDir, answer);
  }, signal);
}

/** Resolves to true when the supervisor has asked. */
function isRequested(runDir: string, signal: AbortSignal): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const check = (): void => {
    if (existsSync(permissionRequestFile(runDir))) resolve(true);
  };
  const stop = (): void => resolve(false);
  const stopWatching = watchPath({ target: runDir, file: permissionRequestFile(runDir), onChange: check });
  signal.addEventListener('abort', stop);
  check();
  if (signal.aborted) stop();
  return promise.finally(() => {
    stopWatching();
    signal.removeEventListener('abort', stop);
  });
}
