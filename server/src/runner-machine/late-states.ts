import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { maxLateFiles } from '#server/drivers/nats/index';
import { faultFields, type Log } from '#server/kernel/log';
import { factsFile } from '../runner/contract/facts-file.ts';
import { isRecoveredState, type RunFile } from '../runner/contract/remote/run-files.ts';
import { isStateCopy } from '../runner/contract/run-file-names.ts';
import type { Claim, MachineLink } from './link.ts';
import { persistFor } from './persist.ts';

type Deps = { link: MachineLink; log: Log; stopping: AbortSignal };
type Held = { claim: Claim; runDir: string };

/** Time for which an attempt is repeated. The next start of the machine makes another one. */
const attemptMs = 600_000;
const pauseMs = 1_000;

/**
 * Brings the states of an apply that was ended without this machine to the server, as evidence for a person. Resolves to
 * true when the server has them. Otherwise they stay here until they are deleted with other leftover files.
 */
export async function bringLateStates({ link, log, stopping }: Deps, { claim, runDir }: Held): Promise<boolean> {
  const names = lateFilesIn(runDir);
  if (names.length === 0) return false;
  try {
    const key = await answerOf(() => link.lateKey(claim), stopping);
    if (key === undefined) return false;
    const files: RunFile[] = [];
    for (const name of names)
      files.push({
        name,
        ...(await persistFor(() => link.sendFile(path.join(runDir, name), key, stopping), attemptMs, stopping)),
      });
    const end = await answerOf(() => link.offerLateStates(claim, files), stopping);
    if (end === 'stored') log.info({ jobId: claim.jobId }, 'the server has the state of an apply that was ended');
    return end === 'stored';
  } catch (error) {
    if (!stopping.aborted)
      log.warn({ jobId: claim.jobId, ...faultFields(error) }, 'the state of an apply that was ended stays here');
    return false;
  }
}

/** Asks until there is an answer other than `pending`. */
async function answerOf<T>(question: () => Promise<T | 'pending'>, stopping: AbortSignal): Promise<T> {
  for (const until = performance.now() + attemptMs; ; ) {
    const answer = await persistFor(question, attemptMs, stopping);
    if (answer !== 'pending') return answer;
    if (performance.now() >= until) throw new Error('The server was not ready for the state.');
    await sleep(pauseMs, undefined, { signal: stopping });
  }
}

/** Names the baseline of an apply and its newest states; none when there is no state. */
function lateFilesIn(runDir: string): string[] {
  const names = readdirSync(runDir);
  const copies = names
    .filter(isStateCopy)
    .sort((one, other) => one.localeCompare(other, 'en', { numeric: true }))
    .slice(-2);
  const states = [...copies, ...names.filter(isRecoveredState)];
  const facts = path.basename(factsFile(runDir));
  return states.length === 0 || !existsSync(factsFile(runDir)) ? [] : [facts, ...states].slice(0, maxLateFiles);
}
