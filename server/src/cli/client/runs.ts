import { type RunType, runStatuses, runTypes } from '#shared/runs/contract';
import { exitCodes, wrongUse } from '../exit-codes.ts';
import type { OptionValues } from '../options.ts';
import { atServer } from './command.ts';
import { readSubjects } from './commit-text.ts';
import { readAll } from './pages.ts';
import { runsText, runText } from './run-text.ts';
import { findWorkspace } from './server.ts';

const usualRows = 20;

/** Lists the Runs of a Workspace, newest first. */
export const runRuns = atServer({ whenUnread: 'stops' }, async ({ server, terminal, options }) => {
  const filter = readFilter(options);
  const workspace = await findWorkspace(server, options.workspace);
  const params = { workspaceId: workspace.id };
  const runs = await readAll(async (page) => {
    const { body } = await server.api.listRuns({ params, query: { ...filter, ...page } });
    return { rows: body.runs, nextCursor: body.nextCursor };
  }, readLimit(options.limit));
  if (terminal.isJson) terminal.document({ runs });
  else if (runs.length === 0)
    terminal.say(Object.keys(filter).length === 0 ? 'There are no Runs yet.' : 'There are no such Runs.');
  else {
    const subjects = await readSubjects(server.api, workspace.id, runs);
    for (const line of runsText(runs, subjects, terminal.paint)) terminal.say(line);
  }
  return exitCodes.done;
});

/** Shows one Run and its next step. */
export const runRunsShow = atServer({ whenUnread: 'stops' }, async ({ server, terminal, args: [runId = ''] }) => {
  const { run } = (await server.api.getRun({ params: { runId } })).body;
  if (terminal.isJson) terminal.document({ run });
  else {
    const [subject] = (await readSubjects(server.api, run.workspaceId, [run])).values();
    for (const line of [...runText(run, subject, terminal.paint), '', server.link(`/runs/${run.id}`)])
      terminal.say(line);
  }
  return exitCodes.done;
});

function readFilter({ type, status, capsule, search, waiting }: OptionValues) {
  const statuses = status?.split(',');
  if (type !== undefined) requireOne('--type', type, runTypes);
  for (const one of statuses ?? []) requireOne('--status', one, runStatuses);
  if (waiting && statuses) throw wrongUse('--waiting and --status do not go together. Use one of them.');
  return {
    ...(type !== undefined && { type: type as RunType }),
    ...(statuses && { status: statuses.join(',') }),
    ...(capsule !== undefined && { capsuleId: capsule }),
    ...(search !== undefined && { q: search }),
    ...(waiting && { awaits: 'approve' as const }),
  };
}

/** Throws wrong use for a text that is not one of the known ones. */
export function requireOne(option: string, text: string, known: readonly string[]): void {
  if (!known.includes(text)) throw wrongUse(`${option} takes ${known.join(', ')}.`);
}

/** Reads `--limit`. */
export function readLimit(text: string | undefined): number {
  if (text === undefined) return usualRows;
  if (!/^[1-9]\d{0,5}$/.test(text)) throw wrongUse('--limit takes a whole number from 1 to 999999.');
  return Number(text);
}
