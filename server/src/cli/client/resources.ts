import type { Projection, StateResource } from '#shared/state-resources/contract';
import type { StateVersion } from '#shared/state-versions/contract';
import { exitCodes, wrongUse } from '../exit-codes.ts';
import { findCapsule } from './capsules.ts';
import { atServer, type Work } from './command.ts';
import { readAll } from './pages.ts';
import { appliedText, planText } from './plan-text.ts';
import type { Server } from './server.ts';
import { tableText } from './text.ts';

/** Resources of the current state of a Capsule, or of an earlier generation. */
export const runResources = atServer({ whenUnread: 'stops' }, async ({ server, terminal, options, args }) => {
  const [named = ''] = args;
  const { id: capsuleId } = await findCapsule(server, named, options.workspace);
  const state = await findState(server, capsuleId, options.at);
  const { resources, projection, resourceCount } = await listResources(server, state.id, options.search);
  if (terminal.isJson) terminal.document({ generation: state.generation, projection, resources });
  else if (resources.length > 0) for (const line of linesOf(resources, terminal.paint)) terminal.say(line);
  else if (projection.status !== 'pending' && options.search !== undefined)
    terminal.say('There are no such resources.');
  else if (projection.status !== 'pending')
    terminal.say(resourceCount === 0 ? 'There are no resources.' : 'The resources of this state cannot be read.');
  const remark = remarkOf(projection);
  if (remark !== undefined) terminal.note(remark);
  return exitCodes.done;
});

/** Differences between two generations of a Capsule. */
export const runStatesDiff = atServer({ whenUnread: 'stops' }, async ({ server, terminal, options, args }) => {
  const [named = '', first, second] = args;
  const { id: capsuleId } = await findCapsule(server, named, options.workspace);
  const from = await findState(server, capsuleId, first);
  const to = await findState(server, capsuleId, second);
  const { resources, page } = await compareStates(server, from.id, to.id);
  const { nextCursor: _read, ...comparison } = { ...page, resources };
  if (terminal.isJson) terminal.document(comparison);
  else {
    const { summary, outputs, resourceCount, unchangedCount } = comparison;
    const document = { summary, outputs, resourceCount, unchangedCount, resources, drift: [], diagnostics: [] };
    const { lines } = planText({ formatVersion: '1', toolVersion: '', ...document }, terminal.paint);
    // The last two lines are the totals of a plan.
    for (const line of lines.slice(0, -2)) terminal.say(line);
    if (resourceCount === 0 && outputs.length === 0 && comparison.valuesCompared) terminal.say('Nothing differs.');
    else terminal.say(`Generation ${from.generation} to ${to.generation}: ${appliedText(summary)}.`);
  }
  for (const side of [comparison.from, comparison.to]) {
    const remark = remarkOf(side.projection);
    if (remark !== undefined) terminal.note(`Generation ${side.generation}: ${remark}`);
  }
  return exitCodes.done;
});

/** Returns the StateVersion of a generation, or the newest one. */
async function findState(server: Server, capsuleId: string, generation: string | undefined): Promise<StateVersion> {
  if (generation !== undefined && !/^[1-9]\d{0,8}$/.test(generation))
    throw wrongUse('A generation is a whole number from 1 on.');
  const params = { capsuleId };
  const states = await readAll(
    async (page) => {
      const { body } = await server.api.listStateVersions({ params, query: page });
      return { rows: body.stateVersions, nextCursor: body.nextCursor };
    },
    generation === undefined ? 1 : Number.POSITIVE_INFINITY,
  );
  const state = generation === undefined ? states[0] : states.find((one) => one.generation === Number(generation));
  if (state) return state;
  throw wrongUse(
    generation === undefined
      ? 'This Capsule has no state yet. Apply a plan first.'
      : `This Capsule has no generation ${generation}. Its newest is ${states[0]?.generation ?? 'none'}.`,
  );
}

async function listResources(server: Server, stateVersionId: string, q: string | undefined) {
  let projection: Projection = { status: 'pending' };
  let resourceCount = 0;
  const resources = await readAll(async (page) => {
    const query = { ...page, ...(q !== undefined && { q }) };
    const { body } = await server.api.listStateResources({ params: { stateVersionId }, query });
    ({ projection, resourceCount } = body);
    return { rows: body.resources, nextCursor: body.nextCursor };
  });
  return { resources, projection, resourceCount };
}

async function compareStates(server: Server, stateVersionId: string, other: string) {
  const read = async (page: { limit: string; cursor?: string }) =>
    (await server.api.compareStateVersions({ params: { stateVersionId }, query: { with: other, ...page } })).body;
  // Only the first page has the Outputs.
  let first: Awaited<ReturnType<typeof read>> | undefined;
  const resources = await readAll(async (query) => {
    const page = await read(query);
    first ??= page;
    return { rows: page.resources, nextCursor: page.nextCursor };
  });
  return { resources, page: first ?? (await read({ limit: '1' })) };
}

const linesOf = (resources: readonly StateResource[], paint: Work['terminal']['paint']): string[] =>
  tableText(
    ['ADDRESS', 'TYPE', 'ID'],
    resources.map(({ address, type, attributes }) => [address, type, idOf(attributes)]),
    paint,
  );

function idOf(attributes: StateResource['attributes']): string {
  const id = attributes !== null && typeof attributes === 'object' && 'id' in attributes ? attributes.id : undefined;
  return typeof id === 'string' || typeof id === 'number' ? String(id) : '';
}

/** Says why values are missing; undefined when none are. */
function remarkOf({ status, reason }: Projection): string | undefined {
  if (status === 'ready') return undefined;
  if (status === 'pending') return 'The resources are being read. Try again in a moment.';
  return reason === 'earlier_version'
    ? 'Only addresses are known: this state was made by an earlier version. The next apply shows values.'
    : 'Only addresses are known: the values of this state cannot be shown.';
}
