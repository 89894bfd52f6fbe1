import { AppError, invalidArgument } from '#server/kernel/errors';
import type { connectionsApi } from '#shared/connections/api';
import { type AuthMode, actionOf } from '#shared/connections/auth-mode';
import { isCredentialEnvName, isCredentialFilePath } from '#shared/connections/names';
import type { BodyInputOf } from '#shared/kernel/endpoint';
import { escapePointer } from '#shared/kernel/json';
import { connectionLimits } from '#shared/limits';
import { isSecretLike } from '#shared/secret-like';
import { submittedName } from './inputs.ts';
import type { FileName } from './schema.ts';

export type MaterialInput = Pick<BodyInputOf<typeof connectionsApi.createConnection>, 'values' | 'files'>;
type MaterialFileInput = NonNullable<MaterialInput['files']>[number];
/** A value or a file, by the name under which it was entered; `isPlain` when it is not secret. */
export type NewMaterial = { kind: 'env' | 'file'; name: string; text: string; isPlain: boolean };
export type NamedMaterial = {
  envNames: string[];
  files: FileName[];
  materials: NewMaterial[];
  declaredEnv: string[];
};

/** Rules of a recipe for entered material: its mode, and whether a person may declare additional names. */
export type Taking = { mode: AuthMode; modeName: string; declares: boolean };

const defaultMode = '0600';

const undeclared = (field: string, why: string) => invalidArgument('env_name_undeclared', why, { field });
const badPath = (field: string, why: string) => invalidArgument('file_path_invalid', why, { field });
/** JSON Pointer (RFC 6901). */
export const pointer = (...parts: readonly (string | number)[]): string =>
  parts.map((part) => `/${escapePointer(String(part))}`).join('');

/** Validates entered material against the mode. Throws 400 `invalid_argument` by the rules of material. */
export function nameMaterial(input: MaterialInput, taking: Taking): NamedMaterial {
  checkSize(input);
  const values = takeValues(input, taking);
  const files = [
    ...(input.files ?? []).map((file, at) => takeFile(file, at, taking)),
    ...Object.entries(taking.mode.files ?? {}).flatMap(([path, { from, envName, mode }]) =>
      from === 'generated' ? [fileName(path, envName, mode)] : [],
    ),
  ];
  checkApart(files);
  checkPresent(input, taking);
  const ownNames = Object.entries(taking.mode.env ?? {}).flatMap(([name, { from }]) =>
    from === 'literal' || from === 'generated' ? [name] : [],
  );
  const envNames = [...new Set([...values.set, ...ownNames])];
  const fileNames = files.flatMap(({ envName }, at) => (envName === undefined ? [] : [[envName, at] as const]));
  const taken = new Set(envNames);
  for (const [name, at] of fileNames) {
    if (taken.has(name))
      throw undeclared(
        pointer('files', at, 'envName'),
        `The name ${name} is used twice. Use it for one value or one file.`,
      );
    taken.add(name);
  }
  return {
    envNames,
    files,
    materials: [
      ...Object.entries(input.values).map(([name, text]) => ({
        kind: 'env' as const,
        name,
        text,
        isPlain: isPlain(taking.mode, name),
      })),
      ...(input.files ?? []).map(({ path, content }) => ({
        kind: 'file' as const,
        name: path,
        text: content,
        isPlain: taking.mode.files?.[path]?.from === 'value',
      })),
    ],
    declaredEnv: [...values.declared, ...(taking.declares ? fileNames.map(([name]) => name) : [])],
  };
}

/** Variables and inputs of `preRun`, whose values are submitted. */
const submittedIn = ({ env = {}, preRun }: AuthMode) =>
  [...Object.entries(env), ...Object.entries(preRun?.inputs ?? {})].filter(
    ([, { from }]) => from !== 'literal' && from !== 'generated',
  );

/** True when nothing that a value is for is secret. */
function isPlain(mode: AuthMode, inputName: string): boolean {
  const uses = submittedIn(mode).filter(([name, material]) => submittedName(name, material) === inputName);
  return uses.length > 0 && uses.every(([, { from }]) => from === 'value');
}

function checkSize({ values, files = [] }: MaterialInput): void {
  const total = [...Object.values(values), ...files.map(({ content }) => content)]
    .map((text) => Buffer.byteLength(text))
    .reduce((sum, bytes) => sum + bytes, 0);
  if (total <= connectionLimits.totalBytes) return;
  throw new AppError('invalid_request', `A connection holds at most ${connectionLimits.totalBytes} bytes in total.`, {
    details: { field: files.length > 0 ? '/files' : '/values' },
  });
}

/** Variables that the values set, and those of them that no recipe names. */
function takeValues({ values }: MaterialInput, { mode, declares }: Taking): { set: string[]; declared: string[] } {
  const expected = submittedIn(mode);
  const set: string[] = [];
  const declared: string[] = [];
  for (const [name, text] of Object.entries(values)) {
    // The message does not repeat the name, because a secret may have been entered as a name.
    const field = isSecretLike(name) ? '/values' : pointer('values', name);
    if (text === '')
      throw invalidArgument('connection_material_missing', 'The value is empty. Fill it in, or leave it out.', {
        field,
      });
    const uses = expected.filter(([use, material]) => submittedName(use, material) === name).map(([use]) => use);
    set.push(...uses.filter((use) => mode.env?.[use] !== undefined));
    if (uses.length > 0) continue;
    if (!declares)
      throw undeclared(
        field,
        'The recipe does not accept a value of this name. Use one that it lists, or the recipe for any provider.',
      );
    if (!isCredentialEnvName(name))
      throw undeclared(
        field,
        'A variable of this name would change how the tool or the system runs, or is not a valid variable name.',
      );
    set.push(name);
    declared.push(name);
  }
  return { set, declared };
}

function takeFile(file: MaterialFileInput, at: number, { mode, declares }: Taking): FileName {
  const field = pointer('files', at, 'path');
  if (!isCredentialFilePath(file.path))
    throw badPath(
      field,
      'The path accepts up to four names of letters, digits and . _ @ + - joined by /, without “..”.',
    );
  const expectedFile = mode.files?.[file.path];
  if (expectedFile && expectedFile.from !== 'literal' && expectedFile.from !== 'generated') {
    if (file.envName !== undefined && expectedFile.envName !== undefined && file.envName !== expectedFile.envName)
      throw undeclared(
        pointer('files', at, 'envName'),
        `The recipe names this file by ${expectedFile.envName}. Leave the name out.`,
      );
    const envName = expectedFile.envName ?? file.envName;
    return fileName(file.path, requireName(envName, at), file.mode ?? expectedFile.mode);
  }
  if (expectedFile || !declares) {
    const allowed = Object.keys(mode.files ?? {});
    throw badPath(
      field,
      allowed.length > 0
        ? `The recipe accepts these files: ${allowed.join(', ')}.`
        : 'The recipe does not accept files.',
    );
  }
  return fileName(file.path, requireName(file.envName, at), file.mode);
}

const fileName = (path: string, envName: string | undefined, mode = defaultMode): FileName => ({
  path,
  ...(envName !== undefined && { envName }),
  mode,
});

function requireName(name: string | undefined, at: number): string | undefined {
  if (name === undefined || isCredentialEnvName(name)) return name;
  throw undeclared(
    pointer('files', at, 'envName'),
    'A variable of this name would change how the tool or the system runs, or is not a valid variable name.',
  );
}

/** Requires that no file is the folder of another or, on a case-insensitive file system, the same file. */
function checkApart(files: readonly FileName[]): void {
  const paths = files.map(({ path }) => path.toLowerCase());
  for (const [at, path] of paths.entries()) {
    const clash = paths.findIndex(
      (other, index) => index < at && (other === path || isBelow(other, path) || isBelow(path, other)),
    );
    if (clash >= 0) throw badPath(pointer('files', at, 'path'), 'Two files would have the same path. Rename one.');
  }
}

const isBelow = (path: string, folder: string): boolean => path.startsWith(`${folder}/`);

function checkPresent({ values, files = [] }: MaterialInput, { mode, declares, modeName }: Taking): void {
  if (actionOf(mode) !== undefined) return;
  const count = Object.keys(values).length;
  if (count + files.length === 0)
    throw invalidArgument('connection_material_missing', 'A connection needs at least one value or file.', {
      field: '/values',
    });
  if (declares && modeName === 'file' && files.length === 0)
    throw invalidArgument('connection_material_missing', 'This way to sign in needs at least one file.', {
      field: '/files',
    });
}

/** Requires that at least one of the groups that a mode can fill is complete. */
export function checkGroups(groups: readonly (readonly string[])[], named: NamedMaterial): void {
  const present = new Set([...named.envNames, ...named.files.flatMap(({ envName }) => envName ?? [])]);
  const lacking = groups.map((group) => group.filter((name) => !present.has(name)));
  if (groups.length === 0 || lacking.some((names) => names.length === 0)) return;
  const missing = lacking.reduce((fewest, names) => (names.length < fewest.length ? names : fewest));
  throw invalidArgument('env_group_incomplete', `These belong together and are missing: ${missing.join(', ')}.`, {
    field: pointer('values', missing[0] ?? ''),
    missing,
  });
}
