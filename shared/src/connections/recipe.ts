import { z } from 'zod';
import { AuthMode, EnvName, Material, ShortText } from './auth-mode.ts';
import { findProblems } from './recipe-problems.ts';

export const RecipeId = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/);
export const AuthModeName = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/);

/**
 * Rules that turn the values of a Connection into environment variables, files and provider arguments. A recipe is
 * data, also when an operator wrote it.
 */
export const Recipe = z
  .strictObject({
    id: RecipeId,
    displayName: ShortText,
    secretPartition: ShortText.optional(),
    /** Addresses of providers, or `*` for every one. */
    terraformSource: z.union([z.array(z.string().min(1).max(256)).min(1), z.literal('*')]),
    envNames: z.array(EnvName).optional(),
    /** At least one group must be complete. */
    requiredEnvGroups: z.array(z.array(EnvName).min(1)).optional(),
    /** Present, possibly empty: a person may declare their own variables and files. */
    declaredEnv: z.record(EnvName, Material).optional(),
    authModes: z.record(AuthModeName, AuthMode).refine((modes) => Object.keys(modes).length > 0),
  })
  .superRefine((recipe, context) => {
    for (const [mode, { path, message }] of findProblems(recipe.authModes))
      context.addIssue({ code: 'custom', path: ['authModes', mode, ...path], message });
  });
export type Recipe = z.infer<typeof Recipe>;

/**
 * Returns recipes with the modes that a Connection can be created with: a mode with `runIssuance` needs a credential
 * service for its recipe. A recipe without such a mode is left out.
 */
export const availableRecipes = (recipes: readonly Recipe[], hasService: (recipeId: string) => boolean): Recipe[] =>
  recipes.flatMap((recipe) => {
    const isAvailable = ([, mode]: [string, AuthMode]) => mode.runIssuance === undefined || hasService(recipe.id);
    const modes = Object.entries(recipe.authModes).filter(isAvailable);
    return modes.length === 0 ? [] : [{ ...recipe, authModes: Object.fromEntries(modes) }];
  });
