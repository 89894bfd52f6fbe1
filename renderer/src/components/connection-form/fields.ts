import { type AuthMode, envNamesOf } from '#shared/connections/auth-mode';
import { requiredInputs } from '#shared/connections/pre-run';
import { recipeFits } from '#shared/connections/provider-source';
import type { Recipe } from '#shared/connections/recipe';
import { isSecretLikeKey } from '#shared/secret-like';

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
  /** The value is kept as a readable setting of the Connection. */
  isSetting?: true;
};

/** One sign-in method, prepared for display. */
export type Way = {
  id: string;
  displayName: string;
  description?: string | undefined;
  guide?: { url: string; steps: readonly string[] } | undefined;
  fields: readonly MaterialField[];
  /** Each Run requests a token with the values, and gets only that. */
  requestsToken: boolean;
  /** Names that belong together; one group must be complete. */
  groups: readonly (readonly string[])[];
};

const shownModes = ({ authModes }: Recipe): [string, AuthMode][] =>
  Object.entries(authModes).filter(([, { presentation }]) => presentation?.showInConnectionSetup !== false);

/** Sign-in methods of a recipe that a form can show. */
export const waysOf = (recipe: Recipe): Way[] =>
  shownModes(recipe).flatMap(([id, mode]) => (mode.runIssuance ? [] : [wayOf(recipe, id, mode)]));

/** Names of the sign-in methods for which the operator creates the Connections. */
export const operatorWaysOf = (recipe: Recipe): string[] =>
  shownModes(recipe).flatMap(([id, { runIssuance, presentation }]) =>
    runIssuance ? [presentation?.displayName ?? id] : [],
  );

/** Reports whether the recipe accepts variables and files with names that the user chooses. */
export const takesOwnNames = ({ declaredEnv }: Recipe): boolean => declaredEnv !== undefined;

export const isForEvery = ({ terraformSource }: Recipe): boolean => terraformSource === '*';

/** Recipes that can be used for a provider, the specific ones first; without a provider all of them. */
export function recipesFor(recipes: readonly Recipe[], provider: string | undefined): Recipe[] {
  const shown = recipes.filter((recipe) => waysOf(recipe).length + operatorWaysOf(recipe).length > 0);
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
  const groups = groupsOf(recipe, mode);
  const { displayName = id, description, setupGuide } = mode.presentation ?? {};
  return {
    id,
    displayName,
    description,
    guide: setupGuide && { url: setupGuide.url, steps: setupGuide.steps ?? [] },
    fields: [...inputFields(mode), ...valueFields(mode, groups), ...fileFields(mode, groups)],
    requestsToken: mode.preRun !== undefined,
    groups,
  };
}

/** Returns the names that a person has to fill: generated ones are always present. None when a group needs no more. */
function groupsOf({ requiredEnvGroups = [] }: Recipe, mode: AuthMode): string[][] {
  const known = new Set(envNamesOf(mode));
  const { env = {}, files = {} } = mode;
  const generated = [
    ...Object.entries(env).flatMap(([name, { from }]) => (from === 'generated' ? [name] : [])),
    ...Object.values(files).flatMap(({ from, envName }) => (from === 'generated' ? [envName] : [])),
  ];
  const groups = requiredEnvGroups
    .filter((group) => group.every((name) => known.has(name)))
    .map((group) => group.filter((name) => !generated.includes(name)));
  return groups.some((group) => group.length === 0) ? [] : groups;
}

type Groups = Way['groups'];

/** Reports whether a field is optional: the recipe says so, or no required group contains it. */
function isOptional(envNames: readonly string[], groups: Groups, required: boolean | undefined): boolean {
  if (required !== undefined) return !required;
  return !groups.some((group) => group.some((name) => envNames.includes(name)));
}

/** Labels of inputs without a hint, in the words of RFC 6749. */
const inputLabels: Readonly<Record<string, string>> = {
  token_url: 'Token address',
  client_id: 'Client ID',
  client_secret: 'Client secret',
  refresh_token: 'Refresh token',
  scope: 'Scope',
  audience: 'Audience',
};

/** Inputs of the token request. A plain one is a setting, unless its name could be that of a secret. */
function inputFields({ env = {}, preRun, inputHints = {} }: AuthMode): MaterialField[] {
  if (!preRun) return [];
  const isShared = (key: string) => Object.entries(env).some(([use, { name = use }]) => name === key);
  return Object.entries(preRun.inputs ?? {}).flatMap(([input, { from, name = input }]): MaterialField[] => {
    const hint = inputHints[input] ?? {};
    if (from === 'literal' || hint.hidden || isShared(name)) return [];
    return [
      {
        kind: 'value',
        name,
        label: hint.label ?? inputLabels[input] ?? input,
        ...(hint.placeholder !== undefined && { placeholder: hint.placeholder }),
        isSecret: hint.secret ?? from !== 'value',
        isOptional: !(hint.required ?? requiredInputs(preRun.type).includes(input)),
        isLong: false,
        envNames: [],
        ...(from === 'value' && !isSecretLikeKey(name) && { isSetting: true as const }),
      },
    ];
  });
}

const longNames = /CERT|_PEM|_KEY_DATA|KNOWN_HOSTS/;

function valueFields({ env = {}, inputHints = {} }: AuthMode, groups: Groups): MaterialField[] {
  const uses = new Map<string, string[]>();
  for (const [envName, { from, name = envName }] of Object.entries(env))
    if (from !== 'literal' && from !== 'generated') uses.set(name, [...(uses.get(name) ?? []), envName]);
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
    if (from === 'literal' || from === 'generated' || hint.hidden) return [];
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
