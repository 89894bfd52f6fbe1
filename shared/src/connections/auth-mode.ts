import { z } from 'zod';
import { isCredentialEnvName, isCredentialFilePath } from './names.ts';
import { preRunTypes } from './pre-run.ts';

/**
 * Source of a value. `secret` and `user_defined` are redacted in every log, `value` is not; `literal` is part of the
 * recipe, and `generated` comes from what `preRun` or `runIssuance` gets for a Run.
 */
const materialOrigins = ['secret', 'value', 'generated', 'literal', 'user_defined'] as const;

export const EnvName = z
  .string()
  .refine(isCredentialEnvName, 'Must be the name of an environment variable that steers nothing else.');
const FilePath = z.string().refine(isCredentialFilePath, 'Must be a relative path of plain names.');
const Text = z.string().min(1).max(1_024);
export const ShortText = z.string().min(1).max(120);
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
  label: ShortText.optional(),
  placeholder: z.string().max(240).optional(),
  required: z.boolean().optional(),
  secret: z.boolean().optional(),
  hidden: z.boolean().optional(),
});
export type InputHint = z.infer<typeof InputHint>;

const SetupGuide = z.strictObject({ url: z.url({ protocol: /^https$/ }), steps: z.array(Text).max(20).optional() });

export const AuthMode = z.strictObject({
  env: z.record(EnvName, Material).optional(),
  files: z.record(FilePath, FileMaterial).optional(),
  /** A token request before the first command of each Run. */
  preRun: z
    .strictObject({
      type: z.enum(preRunTypes, `Must be one of ${preRunTypes.join(', ')}.`),
      inputs: z.record(z.string(), Material).optional(),
    })
    .optional(),
  /**
   * Arguments of the provider block, each by the name of a variable. For a variable that names a file, the argument
   * gets the file's content.
   */
  providerArguments: z.record(z.string().regex(/^[a-z_][a-z0-9_]{0,63}$/), Material).optional(),
  /** Credentials of the operator's credential service for each Run. */
  runIssuance: z
    .strictObject({
      context: z.literal('capsule-run.v1'),
      operatorConnection: z.literal('workspace-bindable'),
      storedMaterial: z.literal('none'),
      audience: z.string().max(1_024),
      scopes: z.array(z.string().max(256)).max(64),
    })
    .optional(),
  inputHints: z.record(z.string(), InputHint).optional(),
  presentation: z
    .strictObject({
      showInConnectionSetup: z.boolean().optional(),
      displayName: ShortText.optional(),
      description: Text.optional(),
      setupGuide: SetupGuide.optional(),
    })
    .optional(),
});
export type AuthMode = z.infer<typeof AuthMode>;

/** Names of a mode's values: variables, and variables that hold the path of a file. */
export const envNamesOf = ({ env = {}, files = {} }: Pick<AuthMode, 'env' | 'files'>): string[] => [
  ...Object.keys(env),
  ...fileEnvNamesOf({ files }),
];
export const fileEnvNamesOf = ({ files = {} }: Pick<AuthMode, 'files'>): string[] =>
  Object.values(files).flatMap(({ envName }) => (envName === undefined ? [] : [envName]));

/** Returns the part of a mode that gets credentials for each Run, if it has one. */
export const actionOf = ({ preRun, runIssuance }: AuthMode): 'preRun' | 'runIssuance' | undefined => {
  if (preRun) return 'preRun';
  return runIssuance && 'runIssuance';
};
