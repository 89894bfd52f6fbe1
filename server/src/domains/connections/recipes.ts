import path from 'node:path';
import type { Log } from '#server/kernel/log';
import { builtInRecipes } from '#shared/connections/built-in/index';
import { Recipe } from '#shared/connections/recipe';
import { createJsonFolder, FileRefusal } from './json-folder.ts';

export type RecipeRegistry = { list(): readonly Recipe[]; find(id: string): Recipe | undefined };

const builtInIds = new Set(builtInRecipes.map(({ id }) => id));

/** The recipes of the product, followed by those that the operator keeps as files in `<dataDir>/recipes`. */
export function createRecipeRegistry({ dataDir, log }: { dataDir: string; log: Pick<Log, 'warn'> }): RecipeRegistry {
  const own = createJsonFolder<Recipe>({
    dir: path.join(dataDir, 'recipes'),
    log,
    idOf: ({ id }) => id,
    parse(json) {
      const parsed = Recipe.safeParse(json);
      if (!parsed.success) throw new FileRefusal(refusalOf(parsed.error.issues[0]));
      if (builtInIds.has(parsed.data.id))
        throw new FileRefusal(`${parsed.data.id} is a recipe of the product. Choose another id.`);
      return parsed.data;
    },
  });
  const list = () => [...builtInRecipes, ...own()];
  list();
  return { list, find: (id) => list().find((recipe) => recipe.id === id) };
}

/** Describes where a document violates its schema, and how. */
export function refusalOf(issue: { path: readonly PropertyKey[]; message: string } | undefined): string {
  const jsonPointer = issue?.path.map((part) => `/${String(part)}`).join('') ?? '';
  return `${jsonPointer === '' ? 'The document' : jsonPointer}: ${issue?.message ?? 'Does not match the schema.'}`;
}
