import type { AllowedPools, PoolQueue, RunnerPool, SkewedMachines } from '#shared/runner-pools/contract';
import { localPool } from '#shared/runs/contract';
import type { Api } from '../api.ts';
import { exitCodes, wrongUse } from '../exit-codes.ts';
import { atServer } from './command.ts';
import { operatorOf } from './operator.ts';
import { readAll } from './pages.ts';
import { findWorkspace } from './server.ts';
import { oneLine, tableText, timeText } from './text.ts';

/** Lists the pools, `local` first, with what waits and runs in each. */
export const runRunnerPoolsList = atServer({ whenUnread: 'stops' }, async ({ server, terminal }) => {
  const operator = operatorOf(server);
  const { isConfigured, local } = (await operator.listRunnerPoolsAsOperator({ query: { limit: '1' } })).body;
  const runnerPools = await listPools(operator);
  if (terminal.isJson) terminal.document({ isConfigured, local, runnerPools });
  else {
    const rows = [rowOf('local', '', local), ...runnerPools.map(poolRow)];
    for (const line of tableText(headings, rows, terminal.paint)) terminal.say(line);
    if (!isConfigured) terminal.note('Set GROUNDCTL_NATS_URL and start the server again to create pools.');
  }
  return exitCodes.done;
});

const headings = ['POOL', 'ID', 'WAITING', 'SINCE', 'RUNNING', 'MACHINES', 'TOOL'];
const rowOf = (name: string, id: string, { waiting, oldestWaitingAt, running }: PoolQueue): string[] => [
  name,
  id,
  String(waiting),
  timeText(oldestWaitingAt),
  String(running),
];
const poolRow = ({ name, id, queue, liveMachines, machines, skewedMachines, tools }: RunnerPool): string[] => [
  ...rowOf(name, id, queue),
  `${liveMachines} of ${machines} live${skewText(skewedMachines)}`,
  tools.map((tool) => `${tool.name} ${tool.version}`).join(', '),
];

/** Names the live machines that get no Runs. */
const skewText = ({ older, newer }: SkewedMachines): string =>
  [...(older > 0 ? [`, ${older} too old`] : []), ...(newer > 0 ? [`, ${newer} too new`] : [])].join('');

export const runRunnerPoolsCreate = atServer(
  { whenUnread: 'goesOn' },
  async ({ server, terminal, args: [name = ''] }) => {
    const { runnerPool } = (await operatorOf(server).createRunnerPoolAsOperator({ body: { name } })).body;
    if (terminal.isJson) terminal.document({ runnerPool });
    else {
      terminal.say(`${oneLine(runnerPool.name)} is created (${runnerPool.id}).`);
      terminal.say(`Allow it with: groundctl runner-pools allow --workspace NAME --pool ${runnerPool.id}`);
    }
    return exitCodes.done;
  },
);

export const runRunnerPoolsRename = atServer(
  { whenUnread: 'goesOn' },
  async ({ server, terminal, args: [named = '', name = ''] }) => {
    const operator = operatorOf(server);
    const { id: poolId } = await findPool(operator, named);
    const { runnerPool } = (await operator.updateRunnerPoolAsOperator({ params: { poolId }, body: { name } })).body;
    if (terminal.isJson) terminal.document({ runnerPool });
    else terminal.say(`The pool is called ${oneLine(runnerPool.name)} now.`);
    return exitCodes.done;
  },
);

export const runRunnerPoolsRemove = atServer(
  { whenUnread: 'goesOn' },
  async ({ server, terminal, args: [named = ''] }) => {
    const operator = operatorOf(server);
    const runnerPool = await findPool(operator, named);
    await operator.removeRunnerPoolAsOperator({ params: { poolId: runnerPool.id } });
    if (terminal.isJson) terminal.document({ runnerPool });
    else terminal.say(`${oneLine(runnerPool.name)} is removed. Its Runs still name it.`);
    return exitCodes.done;
  },
);

/** Names all pools that a Workspace may use; those that are left out are withdrawn. */
export const runRunnerPoolsAllow = atServer({ whenUnread: 'goesOn' }, async ({ server, terminal, options }) => {
  const operator = operatorOf(server);
  if (options.workspace === undefined) throw wrongUse('Name the Workspace with --workspace NAME.');
  const { id: workspaceId } = await findWorkspace(server, options.workspace);
  const pools = await Promise.all((options.pool ?? []).map((named) => findPool(operator, named)));
  const body = allowedOf(
    pools.map(({ id }) => id),
    options.default === true,
  );
  const { runnerPools } = (await operator.setWorkspaceRunnerPoolsAsOperator({ params: { workspaceId }, body })).body;
  if (terminal.isJson) terminal.document({ runnerPools });
  else
    for (const { name, isAllowed, isDefault } of runnerPools)
      if (isAllowed) terminal.say(`${oneLine(name)}${isDefault ? ' (default)' : ''}`);
  return exitCodes.done;
});

function allowedOf(poolIds: string[], hasDefault: boolean): AllowedPools {
  const [first] = poolIds;
  if (!hasDefault) return { poolIds, defaultPoolId: localPool };
  if (first === undefined) throw wrongUse('--default makes the first --pool the default. Name one.');
  return { poolIds, defaultPoolId: first };
}

const listPools = (operator: Api): Promise<RunnerPool[]> =>
  readAll(async (page) => {
    const { runnerPools: rows, nextCursor } = (await operator.listRunnerPoolsAsOperator({ query: page })).body;
    return { rows, nextCursor };
  });

/** Returns a pool by its id or its name. */
export async function findPool(operator: Api, named: string): Promise<RunnerPool> {
  const pool = (await listPools(operator)).find(({ id, name }) => id === named || name === named);
  if (!pool) throw wrongUse('No pool has this name or id. List them with: groundctl runner-pools list.');
  return pool;
}
