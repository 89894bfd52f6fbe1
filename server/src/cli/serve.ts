import { type RunningServer, startServer } from '../index.ts';
import { createLog } from '../kernel/log.ts';
import { trimMemoryWhenIdle } from '../kernel/memory-trim.ts';
import { readSettings } from '../kernel/settings.ts';
import { exitCodes } from './exit-codes.ts';
import type { Flags } from './flags.ts';

const kitOffer =
  'There is no recovery kit yet. Without the key, no one can read a backup. Create one with: groundctl recovery-kit create FILE\n';

/** Serves until SIGINT or SIGTERM, then shuts down in order. Running applies continue under their supervisors. */
export async function runServe(flags: Flags): Promise<number> {
  const server = await startServer({ settings: readSettings(process.env, flags), log: createLog() });
  process.stdout.write(`Ground Control serves ${server.url}\nSign in once with: ${server.createSignInLink()}\n`);
  const setupLink = server.createSetupLink();
  if (setupLink) process.stdout.write(`The owner has no password yet. Set up the owner with: ${setupLink}\n`);
  if (server.lacksRecoveryKit()) process.stdout.write(kitOffer);
  trimMemoryWhenIdle();
  return closeAfter(untilStopped(), server);
}

/** Closes a server when it is stopped, or when another one was promoted. Returns the exit code. */
export async function closeAfter(
  stopped: Promise<undefined>,
  { superseded, close }: Pick<RunningServer, 'superseded' | 'close'>,
): Promise<number> {
  const reason = await Promise.race([stopped, superseded]);
  if (reason !== undefined) process.stderr.write(`${reason}\n`);
  await close();
  return reason === undefined ? exitCodes.done : exitCodes.waits;
}

/** Resolves at the first SIGINT or SIGTERM. */
export const untilStopped = (): Promise<undefined> =>
  new Promise((resolve) => {
    process.once('SIGINT', () => resolve(undefined));
    process.once('SIGTERM', () => resolve(undefined));
  });
