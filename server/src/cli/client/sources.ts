import type { Source } from '#shared/sources/contract';
import { exitCodes, failed, wrongUse } from '../exit-codes.ts';
import { atServer, type Work } from './command.ts';
import { createLineReporter, followRun } from './follow.ts';
import { readAll } from './pages.ts';
import { findWorkspace, type Server } from './server.ts';
import { shortCommit, tableText } from './text.ts';

const noneYet = 'There are no Sources yet. Install a module with: groundctl install GIT-URL';

/** Sources of a Workspace. */
export const runSources = atServer({ whenUnread: 'stops' }, async ({ server, terminal, options }) => {
  const workspace = await findWorkspace(server, options.workspace);
  const sources = await listSources(server, { workspaceId: workspace.id, q: options.search });
  if (terminal.isJson) terminal.document({ sources });
  else if (sources.length === 0) terminal.say(options.search === undefined ? noneYet : 'There are no such Sources.');
  else for (const line of linesOf(sources, terminal.paint)) terminal.say(line);
  return exitCodes.done;
});

const linesOf = (sources: readonly Source[], paint: Work['terminal']['paint']): string[] =>
  tableText(
    ['SOURCE', 'NAME', 'STATUS', 'REF', 'PATH', 'ADDRESS'],
    sources.map((one) => [one.id, one.name, one.status, one.defaultRef, one.defaultPath, one.url]),
    paint,
  );

/** Fetches the newest commit of a Source, named by id or by a unique name. */
export const runSourcesSync = atServer({ whenUnread: 'goesOn' }, async (work) => {
  const { server, terminal, options, args } = work;
  const source = await findSource(server, args[0] ?? '', options.workspace);
  const { body } = await server.api.syncSource({ params: { sourceId: source.id }, body: { intent: 'manual_plan' } });
  const synced = await awaitSync(work, body.run.id);
  if (terminal.isJson) terminal.document(synced);
  else terminal.say(`${source.name} is at ${shortCommit(synced.run.resolvedCommit)} (${source.defaultRef}).`);
  return exitCodes.done;
});

async function findSource(server: Server, named: string, workspaceName: string | undefined): Promise<Source> {
  if (named.startsWith('src_')) return (await server.api.getSource({ params: { sourceId: named } })).body.source;
  const workspace = await findWorkspace(server, workspaceName);
  const matches = (await listSources(server, { workspaceId: workspace.id })).filter(({ name }) => name === named);
  const [only] = matches;
  if (!only) throw wrongUse(`There is no Source "${named}". List them with: groundctl sources`);
  if (matches.length > 1)
    throw wrongUse(
      `${matches.length} Sources are called "${named}". Name one by its id: ${matches.map(({ id }) => id).join(', ')}.`,
    );
  return only;
}

/** Returns all Sources that match a filter. */
const listSources = (
  server: Server,
  { workspaceId, q }: { workspaceId: string; q?: string | undefined },
): Promise<Source[]> =>
  readAll(async (page) => {
    const query = { workspaceId, ...(q !== undefined && { q }), ...page };
    const { body } = await server.api.listSources({ query });
    return { rows: body.sources, nextCursor: body.nextCursor };
  });

/** Waits for the end of a sync Run. Reports a failure, then throws it. */
export async function awaitSync(work: Work, runId: string) {
  const { server, terminal } = work;
  work.leaves.message = `The sync continues: groundctl logs -f ${runId}`;
  const status = await followRun(work, { runId, kinds: ['diagnostic'], report: createLineReporter(terminal) });
  const { run } = (await server.api.getRun({ params: { runId } })).body;
  if (status === 'succeeded') return { run };
  throw failed(run.errorCode ?? 'source_sync_failed', `The sync ${status}. Its log: groundctl logs ${runId}`);
}
