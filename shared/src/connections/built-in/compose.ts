import type { AuthMode, InputHint, Material } from '../auth-mode.ts';
import type { Recipe } from '../recipe.ts';

/** One value that a provider accepts, named as in its documentation. */
type Field = {
  env: string;
  label: string;
  /** Equivalent argument of the provider block, so that two aliases can use two accounts. */
  argument?: string;
  placeholder?: string;
  /** True for a value that is in no required group; the form says so. */
  optional?: true;
  /** True for a value that is neither a credential nor redacted in logs, such as an address. */
  plain?: true;
};

type Guide = { url: string; steps: string[] };
type Way = { name: string; displayName: string; description?: string; guide: Guide; fields: Field[] };

/** A file that a provider accepts, by the variable that names it. */
type FileField = { path: string; envName: string; label: string; argument?: string; optional?: true };

type Head = { id: string; displayName: string; terraformSource: string[] };

const record = <T>(entries: [string, T | undefined][]): Record<string, T> =>
  Object.fromEntries(entries.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));

const originOf = ({ plain }: Field): Material['from'] => (plain ? 'value' : 'secret');

const hintOf = ({ label, placeholder, optional, plain }: Omit<Field, 'env'>): InputHint => ({
  label,
  ...(placeholder && { placeholder }),
  required: !optional,
  secret: !plain,
});

const presentationOf = ({ displayName, description, guide }: Pick<Way, 'displayName' | 'description' | 'guide'>) => ({
  showInConnectionSetup: true,
  displayName,
  ...(description && { description }),
  setupGuide: guide,
});

/** Creates a mode that signs in with environment variables. */
export function byValues(way: Way): AuthMode {
  const { fields } = way;
  const inArguments = fields.filter(({ argument }) => argument !== undefined);
  return {
    env: record(fields.map((field) => [field.env, { from: originOf(field) }])),
    ...(inArguments.length > 0 && {
      providerArguments: record(
        inArguments.map((field) => [field.argument ?? '', { from: originOf(field), name: field.env }]),
      ),
    }),
    inputHints: record(fields.map((field) => [field.env, hintOf(field)])),
    presentation: presentationOf(way),
  };
}

/** Creates a mode that signs in with files. */
export function byFiles(way: Omit<Way, 'fields' | 'name'> & { files: FileField[] }): AuthMode {
  const { files } = way;
  const inArguments = files.filter(({ argument }) => argument !== undefined);
  return {
    files: record(files.map(({ path, envName }) => [path, { from: 'secret' as const, envName }])),
    ...(inArguments.length > 0 && {
      providerArguments: record(
        inArguments.map(({ argument, envName }) => [argument ?? '', { from: 'secret' as const, name: envName }]),
      ),
    }),
    inputHints: record(
      files.map(({ path, label, optional }) => [path, hintOf({ label, ...(optional && { optional }) })]),
    ),
    presentation: presentationOf(way),
  };
}

/** Creates a recipe whose modes all take values. The required fields of each mode form one required group. */
export function recipeOf(head: Head, ways: Way[]): Recipe {
  return {
    ...head,
    envNames: [...new Set(ways.flatMap(({ fields }) => fields.map(({ env }) => env)))],
    requiredEnvGroups: ways.map(({ fields }) => fields.filter(({ optional }) => !optional).map(({ env }) => env)),
    authModes: Object.fromEntries(ways.map((way) => [way.name, byValues(way)])),
  };
}

/** Creates the most frequent recipe: one token. */
export const tokenRecipe = (
  head: Head & { env: string; argument: string; label?: string; guide: Guide; more?: Field[] },
): Recipe => {
  const { env, argument, label = 'API token', guide, more = [], ...rest } = head;
  return recipeOf(rest, [{ name: 'token', displayName: label, guide, fields: [{ env, label, argument }, ...more] }]);
};
