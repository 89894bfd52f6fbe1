import { actionOf } from '#shared/connections/auth-mode';
import type { Connection } from '#shared/connections/contract';
import type { Recipe } from '#shared/connections/recipe';
import { exitCodes } from '../exit-codes.ts';
import { atServer, type Work } from './command.ts';
import { findWorkspace } from './server.ts';
import { tableText } from './text.ts';

const noneYet = 'There are no Connections for providers. Create one in the dashboard, on the page Connections.';

/** Lists the Connections that a Workspace may bind to providers, its own and the operator's. */
export const runConnections = atServer({ whenUnread: 'stops' }, async ({ server, terminal, options }) => {
  const { id: workspaceId } = await findWorkspace(server, options.workspace);
  const connections = (await server.api.listProviderConnections({ query: { workspaceId } })).body.providerConnections;
  if (terminal.isJson) terminal.document({ connections });
  else if (connections.length === 0) terminal.say(noneYet);
  else {
    const { recipes } = (await server.api.listRecipes({})).body;
    for (const line of linesOf(connections, { recipes, paint: terminal.paint })) terminal.say(line);
  }
  return exitCodes.done;
});

type Shown = { recipes: readonly Recipe[]; paint: Work['terminal']['paint'] };

const linesOf = (connections: readonly Connection[], { recipes, paint }: Shown): string[] =>
  tableText(
    ['CONNECTION', 'NAME', 'PROVIDER', 'STATUS', 'SCOPE', 'RECIPE', 'CREDENTIALS'],
    connections.map((one) => [
      one.id,
      one.displayName ?? '',
      one.providerSource,
      one.status,
      one.scope,
      recipeText(one),
      credentialsText(one, recipes),
    ]),
    paint,
  );

const recipeText = ({ credentialRecipe: recipe }: Connection): string =>
  recipe === undefined ? '' : `${recipe.id}/${recipe.authMode}`;

/** A recipe that is no longer listed leaves the origin open. */
function credentialsText({ credentialRecipe }: Connection, recipes: readonly Recipe[]): string {
  const recipe = recipes.find(({ id }) => id === credentialRecipe?.id);
  const mode = recipe?.authModes[credentialRecipe?.authMode ?? ''];
  if (!mode) return 'unknown';
  const action = actionOf(mode);
  if (action === 'preRun') return 'token for each Run';
  return action === 'runIssuance' ? 'issued to each Run' : 'stored';
}
