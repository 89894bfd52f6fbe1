import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { Log } from '#server/kernel/log';
import { Secret } from '#server/kernel/secret';
import { AuthModeName, RecipeId } from '#shared/connections/recipe';
import { createJsonFolder, FileRefusal } from './json-folder.ts';
import { OperatorEndpoint } from './operator-endpoint.ts';
import { type RecipeRegistry, refusalOf } from './recipes.ts';

const OauthHelper = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/),
  recipeId: RecipeId,
  authMode: AuthModeName,
  authorizationUrl: OperatorEndpoint,
  tokenUrl: OperatorEndpoint,
  clientId: z.string().min(1).max(512),
  /** File that contains only the client secret; relative to the folder of the helpers. */
  clientSecretFile: z.string().min(1).max(4_096).optional(),
  scopes: z.array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/)).max(64),
  /** Variable of the recipe that receives the token. */
  envName: z.string(),
});
export type OauthHelper = z.infer<typeof OauthHelper>;

export type OauthHelpers = {
  list(): readonly OauthHelper[];
  find(id: string): OauthHelper | undefined;
  /** Read at each use, so that the file may be replaced; undefined where no secret is needed. Throws when the file cannot be read. */
  readClientSecret(helper: OauthHelper): Secret | undefined;
};

type Deps = { dataDir: string; log: Pick<Log, 'warn'>; recipes: RecipeRegistry };

/** Helpers that an operator has registered with a code host or cloud, as files in `<dataDir>/oauth-helpers`. */
export function createOauthHelpers({ dataDir, log, recipes }: Deps): OauthHelpers {
  const dir = path.join(dataDir, 'oauth-helpers');
  const list = createJsonFolder<OauthHelper>({
    dir,
    log,
    idOf: ({ id }) => id,
    parse(json) {
      const parsed = OauthHelper.safeParse(json);
      if (!parsed.success) throw new FileRefusal(refusalOf(parsed.error.issues[0]));
      const { recipeId, authMode, envName } = parsed.data;
      if (recipes.find(recipeId)?.authModes[authMode]?.env?.[envName] === undefined)
        throw new FileRefusal(
          'No recipe has this way to sign in with a variable of this name. Name a recipe, a mode and a variable that exist.',
        );
      return parsed.data;
    },
  });
  list();
  return {
    list,
    find: (id) => list().find((helper) => helper.id === id),
    readClientSecret: ({ clientSecretFile }) =>
      clientSecretFile === undefined
        ? undefined
        : new Secret(readFileSync(path.resolve(dir, clientSecretFile), 'utf8').trim()),
  };
}
