import type { Capsule } from '#shared/capsules/contract';
import { exitCodes, wrongUse } from '../exit-codes.ts';
import { findCapsule } from './capsules.ts';
import { atServer, type Work } from './command.ts';
import { exitCodeOf, followRun } from './follow.ts';
import { readAll } from './pages.ts';
import { findWorkspace } from './server.ts';
import { oneLine, tableText, timeText } from './text.ts';

/** Lists the Capsules whose newest drift check found a difference or failed. */
export const runDrift = atServer({ whenUnread: 'stops' }, async ({ server, terminal, options }) => {
  const workspace = await findWorkspace(server, options.workspace);
  const params = { workspaceId: workspace.id };
  const capsules = await readAll(async (page) => {
    const { body } = await server.api.listDrift({ params, query: page });
    return { rows: body.capsules, nextCursor: body.nextCursor };
  });
  if (terminal.isJson) terminal.document({ capsules });
  else if (capsules.length === 0)
    terminal.say('No drift is known. Check a Capsule with: groundctl drift check CAPSULE');
  else for (const line of linesOf(capsules, terminal.paint)) terminal.say(line);
  return exitCodes.done;
});

const linesOf = (capsules: readonly Capsule[], paint: Work['terminal']['paint']): string[] =>
  tableText(
    ['CAPSULE', 'NAME', 'ENVIRONMENT', 'DRIFT', 'CHANGED', 'DELETED', 'CHECKED'],
    capsules.map(({ id, name, environment, drift }) => [
      ...[id, name, environment, drift?.status ?? ''],
      ...[drift?.resources?.changed, drift?.resources?.deleted].map((count) =>
        count === undefined ? '' : String(count),
      ),
      drift ? timeText(drift.checkedAt) : '',
    ]),
    paint,
  );

/** Checks a Capsule for drift, and waits for the result. */
export const runDriftCheck = atServer({ whenUnread: 'goesOn' }, async (work) => {
  const { server, terminal, options, args } = work;
  const { id: capsuleId } = await findCapsule(server, args[0] ?? '', options.workspace);
  const { run } = (await server.api.checkDrift({ params: { capsuleId } })).body;
  const status = await followRun(work, { runId: run.id, report: () => {} });
  const { capsule } = (await server.api.getCapsule({ params: { capsuleId } })).body;
  if (terminal.isJson) terminal.document({ capsule });
  else for (const line of [driftText(capsule), server.link(`/capsules/${capsuleId}/drift`)]) terminal.say(line);
  return exitCodeOf(status);
});

function driftText({ name, drift }: Capsule): string {
  const { changed = 0, deleted = 0 } = drift?.resources ?? {};
  const found = `${changed} changed and ${deleted} deleted outside`;
  if (drift?.status === 'none') return `${oneLine(name)} has no drift.`;
  if (drift?.status === 'drifted') return `${oneLine(name)} has drift: ${found}.`;
  if (drift?.status === 'acknowledged') return `${oneLine(name)} has the acknowledged drift: ${found}.`;
  return `The drift check of ${oneLine(name)} did not end with a result.`;
}

/** Acknowledges the current drift of a Capsule until it differs. */
export const runDriftAck = atServer(
  { whenUnread: 'goesOn' },
  async ({ server, terminal, options, args: [named = ''] }) => {
    const reason = options.reason?.trim() ?? '';
    if (reason === '') throw wrongUse('Name the reason with --reason. Everyone in the Workspace reads it.');
    const { id: capsuleId, name, drift } = await findCapsule(server, named, options.workspace);
    if (drift?.digest === undefined)
      throw wrongUse(`${oneLine(name)} has no known drift. Check it with: groundctl drift check CAPSULE`);
    const body = { digest: drift.digest, reason };
    const { capsule } = (await server.api.acknowledgeDrift({ params: { capsuleId }, body })).body;
    if (terminal.isJson) terminal.document({ capsule });
    else terminal.say(`The drift of ${oneLine(name)} is acknowledged until it differs.`);
    return exitCodes.done;
  },
);
