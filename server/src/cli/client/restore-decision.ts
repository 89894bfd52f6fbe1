import type { RestoreReview } from '#shared/restores/contract';
import type { Run } from '#shared/runs/contract';
import { present } from '../../kernel/present.ts';
import { exitCodes } from '../exit-codes.ts';
import { approve, isConfirmed } from './approve.ts';
import type { Work } from './command.ts';
import { exitCodeOf, followRun } from './follow.ts';
import { readAll } from './pages.ts';
import { restoreText } from './restore-text.ts';

/** Shows what a restore or an import replaces, gets an approval, and waits for the end of the Run. */
export async function decideRestore(work: Work, run: Run): Promise<number> {
  const { server, terminal, leaves } = work;
  const link = server.link(`/runs/${run.id}`);
  leaves.message = `The restore waits for an approval: ${link}`;
  const { origin, ...review } = await readReview(work, run.id);
  if (!terminal.isJson) for (const line of restoreText({ ...review, ...present({ origin }) })) terminal.say(line);
  if (!(await isAgreed(work))) {
    if (terminal.isJson) terminal.document({ run, ...review });
    else terminal.say(`The restore waits for an approval: groundctl runs approve ${run.id}, or ${link}`);
    return exitCodes.waits;
  }
  leaves.message = `The restore continues without this command: ${link}`;
  await approve(work, run);
  const status = await followRun(work, { runId: run.id, report: () => {} });
  const ended = (await server.api.getRun({ params: { runId: run.id } })).body.run;
  if (terminal.isJson) terminal.document({ run: ended, ...review });
  else if (status === 'succeeded') terminal.say('The states are restored. Plan the Capsules before you apply them.');
  else terminal.say(`The restore did not succeed: ${link}`);
  return exitCodeOf(status);
}

async function isAgreed(work: Work): Promise<boolean> {
  if (work.options['auto-approve']) return true;
  return work.terminal.isInteractive && (await isConfirmed(work, 'Restore these states?'));
}

async function readReview({ server }: Work, runId: string) {
  // Every page names the Capsules that are left out.
  let leftOut: RestoreReview['leftOut'] = [];
  let origin: RestoreReview['origin'] | undefined;
  const capsules = await readAll(async (page) => {
    const { restore, nextCursor } = (await server.api.getRestoreReview({ params: { runId }, query: page })).body;
    ({ leftOut, origin } = restore);
    return { rows: restore.capsules, nextCursor };
  });
  return { origin, capsules, leftOut };
}
