import type { LateState } from '#shared/late-states/contract';
import { exitCodes, failed } from '../exit-codes.ts';
import { findCapsule } from './capsules.ts';
import { atServer, type Work } from './command.ts';
import { readAll } from './pages.ts';
import { decideRestore } from './restore-decision.ts';
import { addressLines } from './restore-text.ts';
import { timeText } from './text.ts';

async function readLateStates({ server, options }: Work, named: string): Promise<LateState[]> {
  const { id: capsuleId } = await findCapsule(server, named, options.workspace);
  return readAll(async (page) => {
    const { body } = await server.api.listLateStates({ params: { capsuleId }, query: page });
    return { rows: body.lateStates, nextCursor: body.nextCursor };
  });
}

/** Lists the states that arrived after applies of a Capsule were ended, newest first. */
export const runLateStatesList = atServer({ whenUnread: 'stops' }, async (work) => {
  const { terminal, args } = work;
  const lateStates = await readLateStates(work, args[0] ?? '');
  if (terminal.isJson) terminal.document({ lateStates });
  else if (lateStates.length === 0) terminal.say('No state arrived after an apply of this Capsule was ended.');
  else for (const line of lateStates.flatMap(linesOf)) terminal.say(line);
  return exitCodes.done;
});

function linesOf({ id, runId, phase, serial, resourceCount, arrivedAt, differences, ...late }: LateState): string[] {
  return [
    `${id} of ${runId}: ${phase}, arrived ${timeText(arrivedAt)}, serial ${serial}, resources ${resourceCount}`,
    ...(differences ? [`  compared with the current state, generation ${late.currentGeneration}:`] : []),
    ...(differences ? addressLines('+', differences.added) : []),
    ...(differences ? addressLines('-', differences.removed) : []),
    ...(differences ? addressLines('~', differences.changed) : []),
    ...(late.isSuperseded && phase === 'waiting'
      ? ['  The Capsule got another state since the apply was ended. Replace it with --replace-newer.']
      : []),
  ];
}

/** Requests that a late state becomes the current one, shows its review, and with `--auto-approve` approves it. */
export const runLateStatesAdopt = atServer({ whenUnread: 'goesOn' }, async (work) => {
  const { server, options, args } = work;
  const [named = '', lateStateId = ''] = args;
  const late = (await readLateStates(work, named)).find(({ id }) => id === lateStateId);
  if (!late)
    throw failed('not_found', 'This Capsule has no such late state. List them with: groundctl late-states list');
  const replacing = options['replace-newer'] === true ? { replaceNewer: true } : {};
  const body = { expectedGeneration: late.currentGeneration, ...replacing };
  const { run } = (await server.api.adoptLateState({ params: { lateStateId }, body })).body;
  return decideRestore(work, run);
});

/** Deletes a late state. */
export const runLateStatesDismiss = atServer({ whenUnread: 'goesOn' }, async ({ server, terminal, args }) => {
  const [lateStateId = ''] = args;
  const { lateState } = (await server.api.dismissLateState({ params: { lateStateId } })).body;
  if (terminal.isJson) terminal.document({ lateState });
  else terminal.say(`${lateState.id} is dismissed.`);
  return exitCodes.done;
});
