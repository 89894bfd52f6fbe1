import { closeSync } from 'node:fs';
import { identityOf, type ProcessIdentity } from '../../os/process-identity.ts';
import { spawnDetached } from '../../os/spawn.ts';
import type { Slot } from '../../runner/contract/layout.ts';
import { openForChild } from './output.ts';

/** Longest time for which output waits for the next supervisor, and for which a holder can be left over. */
const holdSeconds = 86_400;

/**
 * Starts a process that does nothing but hold the output of an apply open. What is in a FIFO is lost when its last
 * process ends: without the holder that is everything that the tool printed after the death of its supervisor, when it
 * ends before the next one reads. It is ended with the leftover processes of the command.
 */
export async function holdOutput(slot: Slot): Promise<ProcessIdentity | undefined> {
  const outputs = [openForChild(slot.stdout, true), openForChild(slot.stderr, true)] as const;
  try {
    const child = await spawnDetached({
      file: '/bin/sh',
      argv: ['-c', `exec sleep ${holdSeconds}`],
      env: { PATH: '/usr/bin:/bin' },
      cwd: '/',
      stdio: ['ignore', ...outputs],
    });
    child.unref();
    return identityOf(child.pid);
  } finally {
    for (const descriptor of outputs) closeSync(descriptor);
  }
}
