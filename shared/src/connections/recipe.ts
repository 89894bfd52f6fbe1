import { z } from 'zod';
import { isCredentialEnvName, isCredentialFilePath } from './names.ts';

/**
 * Source of a value. `secret` and `user_defined` are redacted in every log, `value` is not; `literal` is part of the
 * recipe.
 */
const materialOrigins = ['secret', 'value', 'generated', 'literal', 'user_defined'] as const;

const EnvName = z
  .string()
  .refine(isCredentialEnvName, 'Must be the name of an environment variable that steers nothing else.');
const FilePath = z.string().refine(isCredentialFilePath, 'Must be a relative path of plain names.');
const Text = z.string().min(1).max(1_024);
const short = z.string().min(1).max(120);
const FileMode = z
  .string()
  .regex(/^0[4-7][0-5][0-5]$/, 'Must be an octal mode such as 0600 that others cannot write by.');

const material = {
  from: z.enum(materialOrigins),
  /** Name under which the value is submitted, when it differs from the name under which it is used. */
  name: z.string().max(128).optional(),
  value: z.string().max(4_096).optional(),
};
export const Material = z.strictObject(material);
export type Material = z.infer<typeof Material>;
const FileMaterial = z.strictObject({ ...material, envName: EnvName.optional(), mode: FileMode.optional() });

/** Help text of a form field, keyed by the name of the variable or the path of the file. */
const InputHint = z.strictObject({
  label: short.optional(),
  placeholder: z.string().max(240).optional(),
  required: z.boolean().optional(),
  secret: z.boolean().optional(),
  hidden: z.boolean().optional(),
});
export type InputHint = z.infer<typeof InputHint>;

const SetupGuide = z.strictObject({ url: z.url({ protocol: /^https$/ }), steps: z.array(Text).max(20).optional() });

const AuthMode = z.strictObject({
  env: z.record(EnvName, Material).optional(),
  files: z.record(FilePath, FileMaterial).optional(),
  preRun: z.strictObject({ type: short, inputs: z.record(z.string(), Material).optional() }).optional(),
  /**
   * Arguments of the provider block, each by the name of a variable. For a variable that names a file, the argument
   * gets the file's content.
   */
  providerArguments: z.record(z.string().regex(/^[a-z_][a-z0-9_]{0,63}$/), Material).optional(),
  runIssuance: z
    .strictObject({
      context: z.literal('capsule-run.v1'),
      operatorConnection: z.literal('workspace-bindable'),
      storedMaterial: z.literal('none'),
      audience: z.string(),
      scopes: z.array(z.string()),
    })
    .optional(),
  inputHints: z.record(z.string(), InputHint).optional(),
  presentation: z
    .strictObject({
      showInConnectionSetup: z.boolean().optional(),
      displayName: short.optional(),
      description: Text.optional(),
      setupGuide: SetupGuide.optional(),
    })
    .optional(),
});
export type AuthMode = z.infer<typeof AuthMode>;

export const RecipeId = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/);
export const AuthModeName = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/);

/**
 * Rules that turn the values of a Connection into environment variables, files and provider arguments. A recipe is
 * data, also when an operator wrote it.
 */
export const Recipe = z
  .strictObject({
    id: RecipeId,
    displayName: short,
    secretPartition: short.optional(),
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
    for (const [mode, { path, message }] of problemsOf(recipe))
      context.addIssue({ code: 'custom', path: ['authModes', mode, ...path], message });
  });
export type Recipe = z.infer<typeof Recipe>;

type Problem = { path: string[]; message: string };

/** Returns the references from one part of a recipe to a part that is missing. */
function problemsOf(recipe: { authModes: Record<string, AuthMode> }): [string, Problem][] {
  return Object.entries(recipe.authModes).flatMap(([name, mode]) =>
    [...argumentProblems(mode), ...hintProblems(mode), ...literalProblems(mode)].map((problem): [string, Problem] => [
      name,
      problem,
    ]),
  );
}

/** Names of a mode's values: variables, and variables that hold the path of a file. */
export const envNamesOf = ({ env = {}, files = {} }: Pick<AuthMode, 'env' | 'files'>): string[] => [
  ...Object.keys(env),
  ...fileEnvNamesOf({ files }),
];
export const fileEnvNamesOf = ({ files = {} }: Pick<AuthMode, 'files'>): string[] =>
  Object.values(files).flatMap(({ envName }) => (envName === undefined ? [] : [envName]));

function argumentProblems(mode: AuthMode): Problem[] {
  const known = new Set(envNamesOf(mode));
  return Object.entries(mode.providerArguments ?? {}).flatMap(([argument, { from, name }]) =>
    from === 'literal' || (name !== undefined && known.has(name))
      ? []
      : [{ path: ['providerArguments', argument], message: 'Must name a variable of the same mode.' }],
  );
}

function hintProblems(mode: AuthMode): Problem[] {
  const known = new Set([...Object.keys(mode.env ?? {}), ...Object.keys(mode.files ?? {})]);
  return Object.keys(mode.inputHints ?? {}).flatMap((name) =>
    known.has(name)
      ? []
      : [{ path: ['inputHints', name], message: 'Must name a variable or a file of the same mode.' }],
  );
}

function literalProblems(mode: AuthMode): Problem[] {
  const all: [string, string, Material][] = [
    ...Object.entries(mode.env ?? {}).map(([name, one]): [string, string, Material] => ['env', name, one]),
    ...Object.entries(mode.files ?? {}).map(([name, one]): [string, string, Material] => ['files', name, one]),
    ...Object.entries(mode.providerArguments ?? {}).map(([name, one]): [string, string, Material] => [
      'providerArguments',
      name,
      one,
    ]),
  ];
  return all.flatMap(([part, name, { from, value }]) =>
    (from === 'literal') === (value !== undefined)
      ? []
      : [{ path: [part, name], message: 'A literal has a value, and nothing else has one.' }],
  );
}

/** Features that this server does not support for a Run; a mode that needs one cannot be chosen. */
export const unservedPart = (mode: AuthMode): string | undefined => {
  if (mode.preRun) return 'preRun';
  if (mode.runIssuance) return 'runIssuance';
  const all = [
    ...Object.values(mode.env ?? {}),
    ...Object.values(mode.files ?? {}),
    ...Object.values(mode.providerArguments ?? {}),
  ];
  return all.some(({ from }) => from === 'generated') ? 'generated' : undefined;
};

/** Returns recipes with the modes that a Connection can be created with. A recipe without such a mode is left out. */
export const availableRecipes = (recipes: readonly Recipe[]): Recipe[] =>
  recipes.flatMap((recipe) => {
    const modes = Object.entries(recipe.authModes).filter(([, mode]) => unservedPart(mode) === undefined);
    return modes.length === 0 ? [] : [{ ...recipe, authModes: Object.fromEntries(modes) }];
  });
