import { recipeFits } from '#shared/connections/provider-source';
import { type AuthMode, envNamesOf, type Recipe, unservedPart } from '#shared/connections/recipe';

/** One value or file of a recipe. */
export type MaterialField = {
  kind: 'value' | 'file';
  /** Name of a value, or path of a file. */
  name: string;
  label: string;
  placeholder?: string;
  isSecret: boolean;
  isOptional: boolean;
  /** A text of several lines, such as a certificate. */
  isLong: boolean;
  /** Names under which required groups refer to it. */
  envNames: readonly string[];
};

/** One sign-in method, prepared for display. */
export type Way = {
  id: string;
  displayName: string;
  description?: string | undefined;
  guide?: { url: string; steps: readonly string[] } | undefined;
  fields: readonly MaterialField[];
  /** Names that belong together; one group must be complete. */
  groups: readonly (readonly string[])[];
};

/** Sign-in methods of a recipe that this server supports and that a form can show. */
export const waysOf = (recipe: Recipe): Way[] =>
  Object.entries(recipe.authModes).flatMap(([id, mode]) =>
    mode.presentation?.showInConnectionSetup === false || unservedPart(mode) !== undefined
      ? []
      : [wayOf(recipe, id, mode)],
  );

/** Reports whether the recipe accepts variables and files with names that the user chooses. */
export const takesOwnNames = ({ declaredEnv }: Recipe): boolean => declaredEnv !== undefined;

export const isForEvery = ({ terraformSource }: Recipe): boolean => terraformSource === '*';

/** Recipes that can be used for a provider, the specific ones first; without a provider all of them. */
export function recipesFor(recipes: readonly Recipe[], provider: string | undefined): Recipe[] {
  const shown = recipes.filter((recipe) => waysOf(recipe).length > 0);
  const fitting = provider === undefined ? shown : shown.filter((recipe) => recipeFits(recipe, provider));
  return [...fitting.filter((recipe) => !isForEvery(recipe)), ...fitting.filter(isForEvery)];
}

/** Reports whether a search matches a recipe by name, id, provider or variable name. */
export function isRecipeMeant({ id, displayName, terraformSource, envNames = [] }: Recipe, search: string): boolean {
  const wanted = search.trim().toLocaleLowerCase();
  const texts = [id, displayName, ...(terraformSource === '*' ? [] : terraformSource), ...envNames];
  return texts.some((text) => text.toLocaleLowerCase().includes(wanted));
}

function wayOf(recipe: Recipe, id: string, mode: AuthMode): Way {
  const known = new Set(envNamesOf(mode));
  const groups = (recipe.requiredEnvGroups ?? []).filter((group) => group.every((name) => known.has(name)));
  const { displayName = id, description, setupGuide } = mode.presentation ?? {};
  return {
    id,
    displayName,
    description,
    guide: setupGuide && { url: setupGuide.url, steps: setupGuide.steps ?? [] },
    fields: [...valueFields(mode, groups), ...fileFields(mode, groups)],
    groups,
  };
}

type Groups = Way['groups'];

/** Reports whether a field is optional: the recipe says so, or no required group contains it. */
function isOptional(envNames: readonly string[], groups: Groups, required: boolean | undefined): boolean {
  if (required !== undefined) return !required;
  return !groups.some((group) => group.some((name) => envNames.includes(name)));
}

const longNames = /CERT|_PEM|_KEY_DATA|KNOWN_HOSTS/;

function valueFields({ env = {}, inputHints = {} }: AuthMode, groups: Groups): MaterialField[] {
  const uses = new Map<string, string[]>();
  for (const [envName, { from, name = envName }] of Object.entries(env))
    if (from !== 'literal') uses.set(name, [...(uses.get(name) ?? []), envName]);
  return [...uses].flatMap(([name, envNames]): MaterialField[] => {
    const hint = envNames.map((envName) => inputHints[envName]).find((one) => one !== undefined) ?? {};
    if (hint.hidden) return [];
    return [
      {
        kind: 'value',
        name,
        label: hint.label ?? name,
        ...(hint.placeholder !== undefined && { placeholder: hint.placeholder }),
        isSecret: hint.secret ?? envNames.some((envName) => env[envName]?.from !== 'value'),
        isOptional: isOptional(envNames, groups, hint.required),
        isLong: longNames.test(name),
        envNames,
      },
    ];
  });
}

const fileFields = ({ files = {}, inputHints = {} }: AuthMode, groups: Groups): MaterialField[] =>
  Object.entries(files).flatMap(([path, { from, envName }]): MaterialField[] => {
    const hint = inputHints[path] ?? {};
    if (from === 'literal' || hint.hidden) return [];
    const envNames = envName === undefined ? [] : [envName];
    return [
      {
        kind: 'file',
        name: path,
        label: hint.label ?? path,
        ...(hint.placeholder !== undefined && { placeholder: hint.placeholder }),
        isSecret: hint.secret ?? from !== 'value',
        isOptional: isOptional(envNames, groups, hint.required),
        isLong: true,
        envNames,
      },
    ];
  });
