import type { Capsule } from '#shared/capsules/contract';
import { exitCodes, wrongUse } from '../exit-codes.ts';
import { atServer, type Work } from './command.ts';
import { readAll } from './pages.ts';
import { findWorkspace, type Server } from './server.ts';
import { oneLine, tableText, timeText } from './text.ts';

const noneYet = 'There are no Capsules yet. Install a module with: groundctl install GIT-URL';

/** Capsules of a Workspace, the last changed first. */
export const runCapsules = atServer({ whenUnread: 'stops' }, async ({ server, terminal, options }) => {
  const workspace = await findWorkspace(server, options.workspace);
  const capsules = await listCapsules(server, workspace.id, {
    ...(options.search !== undefined && { q: options.search }),
    isWhole: options.all === true,
  });
  if (terminal.isJson) terminal.document({ capsules });
  else if (capsules.length === 0) terminal.say(options.search === undefined ? noneYet : 'There are no such Capsules.');
  else for (const line of linesOf(capsules, terminal.paint)) terminal.say(line);
  return exitCodes.done;
});

/** `isWhole`: destroyed and discarded ones too. */
type Filter = { q?: string; isWhole?: boolean };

export const listCapsules = (
  server: Pick<Server, 'api'>,
  workspaceId: string,
  { q, isWhole = false }: Filter,
): Promise<Capsule[]> =>
  readAll(async (page) => {
    const includeDestroyed = isWhole ? ('true' as const) : ('false' as const);
    const query = { order: 'updated_desc' as const, includeDestroyed, ...(q !== undefined && { q }), ...page };
    const { body } = await server.api.listCapsules({ params: { workspaceId }, query });
    return { rows: body.capsules, nextCursor: body.nextCursor };
  });

const linesOf = (capsules: readonly Capsule[], paint: Work['terminal']['paint']): string[] =>
  tableText(
    ['CAPSULE', 'NAME', 'ENVIRONMENT', 'STATUS', 'STATE', 'CHANGED'],
    capsules.map(({ id, name, environment, status, hold, currentStateGeneration, updatedAt }) => [
      ...[id, name, environment, hold ? `${status}, held` : status],
      currentStateGeneration === 0 ? '' : `generation ${currentStateGeneration}`,
      timeText(updatedAt),
    ]),
    paint,
  );

/** Returns the Capsule of an id, or of a name that only one Capsule of the Workspace has. */
export async function findCapsule(server: Server, named: string, workspaceName: string | undefined): Promise<Capsule> {
  if (named.startsWith('cap_')) return (await server.api.getCapsule({ params: { capsuleId: named } })).body.capsule;
  const workspace = await findWorkspace(server, workspaceName);
  const matches = (await listCapsules(server, workspace.id, { q: named })).filter(({ name }) => name === named);
  const [only] = matches;
  if (!only) throw wrongUse(`There is no Capsule "${oneLine(named)}". List them with: groundctl capsules`);
  if (matches.length === 1) return only;
  const ids = matches.map(({ id, environment }) => `${id} (${environment})`).join(', ');
  throw wrongUse(`${matches.length} Capsules have this name. Name one by its id: ${ids}.`);
}
