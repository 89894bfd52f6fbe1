import { ApiError } from '#shared/kernel/client';
import { type MemberRefusal, type RunGroup, type RunGroupType, runGroupTypes } from '#shared/run-groups/contract';
import { newestOfEach } from '#shared/run-groups/newest-of-each';
import { isApplyType, type RunRow, type RunStatus, runStatuses } from '#shared/runs/contract';
import { CommandError, exitCodes, failed, wrongUse } from '../exit-codes.ts';
import type { OptionValues } from '../options.ts';
import { isConfirmed } from './approve.ts';
import { atServer, type Work } from './command.ts';
import { followRun } from './follow.ts';
import { readAll } from './pages.ts';
import { warnOfSandbox } from './review.ts';
import { outcomeOf } from './run-text.ts';
import { readLimit, requireOne } from './runs.ts';
import { findWorkspace } from './server.ts';
import { oneLine, tableText, timeText } from './text.ts';

type Group = { runGroup: RunGroup; runs: RunRow[] };

/** RunGroups of a Workspace, newest first. */
export const runGroups = atServer({ whenUnread: 'stops' }, async ({ server, terminal, options }) => {
  const filter = readFilter(options);
  const params = { workspaceId: (await findWorkspace(server, options.workspace)).id };
  const groups = await readAll(async (page) => {
    const { body } = await server.api.listRunGroups({ params, query: { ...filter, ...page } });
    return { rows: body.runGroups, nextCursor: body.nextCursor };
  }, readLimit(options.limit));
  if (terminal.isJson) terminal.document({ runGroups: groups });
  else if (groups.length === 0) terminal.say('There are no such groups.');
  else {
    const rows = groups.map(({ id, type, status, createdAt }) => [id, type, status, timeText(createdAt)]);
    for (const line of tableText(['GROUP', 'TYPE', 'STATUS', 'CREATED'], rows, terminal.paint)) terminal.say(line);
  }
  return exitCodes.done;
});

function readFilter({ type, status }: OptionValues) {
  if (type !== undefined) requireOne('--type', type, runGroupTypes);
  if (status !== undefined) requireOne('--status', status, runStatuses);
  return {
    ...(type !== undefined && { type: type as RunGroupType }),
    ...(status !== undefined && { status: status as RunStatus }),
  };
}

/** Shows the newest Run of each member. */
export const runGroupsShow = atServer({ whenUnread: 'stops' }, async ({ server, terminal, args: [id = ''] }) => {
  const group = (await server.api.getRunGroup({ params: { runGroupId: id } })).body;
  if (terminal.isJson) terminal.document(group);
  else {
    terminal.say(`${group.runGroup.type} ${group.runGroup.status}`);
    for (const line of membersText(newestOfEach(group.runs), terminal)) terminal.say(line);
    terminal.say(server.link(`/run-groups/${id}`));
  }
  return exitCodes.done;
});

const membersText = (runs: readonly RunRow[], { paint }: Work['terminal']): string[] =>
  tableText(
    ['RUN', 'CAPSULE', 'TYPE', 'STATUS', ''],
    runs.map((run) => [run.id, run.capsuleName ?? '', run.type, run.status, outcomeOf(run)]),
    paint,
  );

/** Applies the plans that are ready, or those that are named, and waits for their applies. */
export const runGroupsApply = atServer({ whenUnread: 'goesOn' }, async (work) => {
  const { server, terminal, args, leaves } = work;
  const [id = '', ...named] = args;
  const params = { runGroupId: id };
  const plans = readyPlans((await server.api.getRunGroup({ params })).body, named);
  const link = server.link(`/run-groups/${id}`);
  if (plans.length === 0) {
    if (terminal.isJson) terminal.document({ outcome: 'nothing', link });
    terminal.note(`No plan of this group is ready to be applied. See ${link}`);
    return exitCodes.done;
  }
  await warnOfSandbox(work, plans);
  const refusal = await decide(work, plans, link);
  if (refusal !== undefined) {
    if (terminal.isJson) terminal.document({ outcome: 'waiting', planRunIds: plans.map((plan) => plan.id), link });
    terminal.note(refusal);
    return exitCodes.waits;
  }
  leaves.message = `The applies continue if they have started: ${link}`;
  const planDigests = Object.fromEntries(plans.map((plan) => [plan.id, plan.planDigest ?? '']));
  const { body } = await server.api
    .applyRunGroup({ params, body: { planDigests } })
    .catch((error: unknown) => explainRefusals(error, plans));
  return followApplies(work, body, new Set(Object.keys(planDigests)));
});

function readyPlans({ runs }: Group, named: readonly string[]): RunRow[] {
  const ready = newestOfEach(runs).filter(({ awaits }) => awaits === 'apply');
  const unknown = named.find((id) => !ready.some((run) => run.id === id));
  if (unknown !== undefined)
    throw wrongUse(`${oneLine(unknown)} is not a plan of this group that is ready to be applied.`);
  return named.length === 0 ? ready : ready.filter(({ id }) => named.includes(id));
}

/** Returns undefined when the plans may be applied now, else the reason. */
async function decide(work: Work, plans: RunRow[], link: string): Promise<string | undefined> {
  const { terminal, options } = work;
  if (!terminal.isJson) for (const line of membersText(plans, terminal)) terminal.say(line);
  if (options['auto-approve']) return undefined;
  if (!terminal.isInteractive) return `The plans wait for you at ${link}`;
  const isAgreed = await isConfirmed(work, `Apply ${plans.length === 1 ? 'this plan' : 'these plans'}?`);
  return isAgreed ? undefined : `Nothing was applied. The plans wait at ${link}`;
}

/** Names each plan that was refused. */
function explainRefusals(error: unknown, plans: readonly RunRow[]): never {
  const refusals = error instanceof ApiError ? error.details['refusals'] : undefined;
  if (!(error instanceof ApiError) || !Array.isArray(refusals)) throw error;
  const names = new Map(plans.map(({ id, capsuleName }) => [id, capsuleName ?? id]));
  const lines = (refusals as MemberRefusal[]).map(
    ({ runId, message }) => `${oneLine(names.get(runId) ?? runId)}: ${oneLine(message)}`,
  );
  const code = String(error.details['reason'] ?? error.code);
  throw new CommandError(['Nothing was applied.', ...lines].join('\n'), { exitCode: exitCodes.failed, code });
}

/** Waits for the applies of these plans, producers first, and reports how each ended. */
async function followApplies(work: Work, { runGroup, runs }: Group, planIds: ReadonlySet<string>): Promise<number> {
  const { server, terminal, leaves } = work;
  const applies = runs.filter(
    ({ type, planRunId }) => isApplyType(type) && planRunId !== undefined && planIds.has(planRunId),
  );
  leaves.message = `The applies continue without this command: ${server.link(`/run-groups/${runGroup.id}`)}`;
  const ended: { runId: string; capsule: string; status: RunStatus }[] = [];
  for (const { id: runId, capsuleName = '' } of applies) {
    const status = await followRun(work, { runId, kinds: [], report: () => {} });
    ended.push({ runId, capsule: capsuleName, status });
    if (!terminal.isJson) terminal.say(`${oneLine(capsuleName)}: ${status}`);
  }
  if (terminal.isJson) terminal.document({ outcome: 'ended', applies: ended });
  const unsuccessful = ended.filter(({ status }) => status !== 'succeeded').length;
  if (unsuccessful === 0) return exitCodes.done;
  const text = `${unsuccessful} of ${ended.length} applies did not succeed. See ${server.link(`/run-groups/${runGroup.id}`)}`;
  if (!terminal.isJson) throw failed('apply_failed', text);
  terminal.note(text);
  return exitCodes.failed;
}
