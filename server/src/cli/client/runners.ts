import type { RunnerMachine } from '#shared/runner-pools/contract';
import type { MachineEvent } from '#shared/runner-pools/machine';
import { exitCodes, wrongUse } from '../exit-codes.ts';
import { requireNewFile, writePrivateFile } from '../new-file.ts';
import type { OptionValues } from '../options.ts';
import { atServer } from './command.ts';
import { operatorOf } from './operator.ts';
import { readAll } from './pages.ts';
import { findPool } from './runner-pools.ts';
import { oneLine, tableText, timeText } from './text.ts';

export const runRunnersList = atServer({ whenUnread: 'stops' }, async ({ server, terminal, options }) => {
  const operator = operatorOf(server);
  const named = onePool(options.pool);
  const poolId = named === undefined ? undefined : (await findPool(operator, named)).id;
  const runnerMachines = await readAll(async (page) => {
    const query = { ...page, ...(poolId !== undefined && { poolId }) };
    const { runnerMachines: rows, nextCursor } = (await operator.listRunnerMachinesAsOperator({ query })).body;
    return { rows, nextCursor };
  });
  if (terminal.isJson) terminal.document({ runnerMachines });
  else for (const line of tableText(headings, runnerMachines.map(rowOf), terminal.paint)) terminal.say(line);
  return exitCodes.done;
});

const headings = ['MACHINE', 'NAME', 'POOL', 'STATE', 'LAST SEEN', 'VERSION', 'TOOL', 'RUNS'];
const rowOf = (machine: RunnerMachine): string[] => [
  machine.id,
  machine.name,
  machine.poolName,
  machine.state === 'active' && !machine.isLive ? 'silent' : machine.state,
  timeText(machine.lastSeenAt),
  versionText(machine),
  machine.tool ? `${machine.tool.name} ${machine.tool.version}` : '',
  runsText(machine),
];

/** Runs that a machine executes, and how many it can execute at once. */
const runsText = ({ runningRuns, concurrency }: RunnerMachine): string =>
  concurrency === undefined ? String(runningRuns) : `${runningRuns} of ${concurrency}`;

/** Version of a machine, and why it gets no Runs. */
const versionText = ({ productVersion, versionSkew }: RunnerMachine): string =>
  versionSkew ? `${productVersion} (${versionSkew} than the server, gets no Runs)` : productVersion;

const movedTexts: Readonly<Record<MachineEvent, string>> = {
  drain: 'finishes its Runs and claims no others',
  resume: 'claims Runs again',
  revoke: 'is revoked. Enrol it again to use it',
};

const moving = (event: MachineEvent) =>
  atServer({ whenUnread: 'goesOn' }, async ({ server, terminal, args: [machineId = ''] }) => {
    const { drainRunnerMachineAsOperator, resumeRunnerMachineAsOperator, revokeRunnerMachineAsOperator } =
      operatorOf(server);
    const move = {
      drain: drainRunnerMachineAsOperator,
      resume: resumeRunnerMachineAsOperator,
      revoke: revokeRunnerMachineAsOperator,
    }[event];
    const { runnerMachine } = (await move({ params: { machineId } })).body;
    if (terminal.isJson) terminal.document({ runnerMachine });
    else terminal.say(`${oneLine(runnerMachine.name)} ${movedTexts[event]}.`);
    return exitCodes.done;
  });

export const runRunnersDrain = moving('drain');
export const runRunnersResume = moving('resume');
export const runRunnersRevoke = moving('revoke');

/** Prints the configuration of a NATS server. */
export const runNatsConfig = atServer({ whenUnread: 'stops' }, async ({ server, options }) => {
  const { host = '127.0.0.1', port = '4222', folder, certificate, key } = options;
  if (folder === undefined) throw wrongUse('Name the folder of its data with --folder.');
  const query = {
    listen: `${host}:${port}`,
    folder,
    ...(certificate && { certificate }),
    ...(key && { key }),
    ...memberOf(host, options),
  };
  const { configuration } = (await operatorOf(server).readNatsConfigurationAsOperator({ query })).body;
  process.stdout.write(configuration);
  return exitCodes.done;
});

/** Returns what makes a NATS server a member of a cluster. */
function memberOf(host: string, options: OptionValues) {
  const { name: serverName, 'cluster-port': port, routes, authority: clusterAuthority } = options;
  if (serverName === undefined && routes === undefined && port === undefined && clusterAuthority === undefined)
    return {};
  if (serverName === undefined || routes === undefined)
    throw wrongUse('A member of a cluster needs --name and --routes, which names the members as HOST:PORT,HOST:PORT.');
  return {
    serverName,
    routes,
    clusterListen: `${host}:${port ?? '6222'}`,
    ...(clusterAuthority && { clusterAuthority }),
  };
}

/** Writes the text of a new enrolment to a private file. An enrolment whose text was not written is cancelled. */
export const runRunnersEnrol = atServer({ whenUnread: 'goesOn' }, async ({ server, terminal, options }) => {
  const operator = operatorOf(server);
  const named = onePool(options.pool);
  const { out } = options;
  if (named === undefined || out === undefined) throw wrongUse('Name the pool with --pool and a new file with --out.');
  requireNewFile(out);
  const { id: poolId } = await findPool(operator, named);
  const { runnerEnrolment, text } = (await operator.createRunnerEnrolmentAsOperator({ params: { poolId } })).body;
  try {
    writePrivateFile(out, `${text}\n`);
  } catch (error) {
    // The person needs the reason of the write. The text is nowhere, and expires.
    await operator.cancelRunnerEnrolmentAsOperator({ params: { enrolmentId: runnerEnrolment.id } }).catch(() => {});
    throw error;
  }
  if (terminal.isJson) terminal.document({ runnerEnrolment, file: out });
  else terminal.say(`${out} lets one machine join until ${timeText(runnerEnrolment.expiresAt)}. Keep it secret.`);
  return exitCodes.done;
});

/** Lists the enrolments of a pool that a machine can still use. */
export const runRunnersEnrolments = atServer({ whenUnread: 'stops' }, async ({ server, terminal, options }) => {
  const operator = operatorOf(server);
  const named = onePool(options.pool);
  if (named === undefined) throw wrongUse('Name the pool with --pool.');
  const { id: poolId } = await findPool(operator, named);
  const all = await readAll(async (query) => {
    const { body } = await operator.listRunnerEnrolmentsAsOperator({ params: { poolId }, query });
    return { rows: body.runnerEnrolments, nextCursor: body.nextCursor };
  });
  const runnerEnrolments = all.filter(({ status }) => status === 'open');
  if (terminal.isJson) terminal.document({ runnerEnrolments });
  else {
    const rows = runnerEnrolments.map(({ id, createdAt, expiresAt }) => [id, timeText(createdAt), timeText(expiresAt)]);
    for (const line of tableText(['ENROLMENT', 'CREATED', 'EXPIRES'], rows, terminal.paint)) terminal.say(line);
  }
  return exitCodes.done;
});

export const runRunnersCancel = atServer(
  { whenUnread: 'goesOn' },
  async ({ server, terminal, args: [enrolmentId = ''] }) => {
    const operator = operatorOf(server);
    const { runnerEnrolment } = (await operator.cancelRunnerEnrolmentAsOperator({ params: { enrolmentId } })).body;
    if (terminal.isJson) terminal.document({ runnerEnrolment });
    else terminal.say(`${runnerEnrolment.id} is cancelled. No machine can join with it.`);
    return exitCodes.done;
  },
);

function onePool(pools: readonly string[] | undefined): string | undefined {
  if ((pools?.length ?? 0) > 1) throw wrongUse('Name one pool with --pool.');
  return pools?.[0];
}
