import { exitCodes, wrongUse } from '../exit-codes.ts';
import { findCapsule } from './capsules.ts';
import { atServer } from './command.ts';
import { oneLine, timeText } from './text.ts';

/** Holds a Capsule, or changes the reason and the end of its hold. */
export const runHold = atServer({ whenUnread: 'goesOn' }, async ({ server, terminal, options, args: [named = ''] }) => {
  const reason = options.reason?.trim() ?? '';
  if (reason === '') throw wrongUse('Name the reason with --reason. Everyone in the Workspace reads it.');
  const until = readTime(options.until);
  const { id: capsuleId } = await findCapsule(server, named, options.workspace);
  const body = { reason, ...(until !== undefined && { until }) };
  const { capsule } = (await server.api.holdCapsule({ params: { capsuleId }, body })).body;
  const end = until === undefined ? 'until it is released' : `until ${timeText(until)}`;
  if (terminal.isJson) terminal.document({ capsule });
  else terminal.say(`${oneLine(capsule.name)} is held ${end}. Plans are made, and nothing is applied.`);
  return exitCodes.done;
});

/** Releases a Capsule. */
export const runRelease = atServer(
  { whenUnread: 'goesOn' },
  async ({ server, terminal, options, args: [named = ''] }) => {
    const { id: capsuleId, hold } = await findCapsule(server, named, options.workspace);
    const { capsule } = (await server.api.releaseCapsule({ params: { capsuleId } })).body;
    if (terminal.isJson) terminal.document({ capsule });
    else terminal.say(`${oneLine(capsule.name)} is ${hold ? 'released' : 'not held'}.`);
    return exitCodes.done;
  },
);

/** Reads a time as ISO 8601 writes it. One without a zone is a time of this machine. */
function readTime(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const at = /^\d{4}-\d\d-\d\d/.test(text) ? new Date(text.length === 10 ? `${text}T00:00` : text) : undefined;
  if (at === undefined || Number.isNaN(at.getTime()))
    throw wrongUse('--until is not a time. Write it as 2026-12-01 or 2026-12-01T08:00:00+01:00.');
  return at.toISOString();
}
