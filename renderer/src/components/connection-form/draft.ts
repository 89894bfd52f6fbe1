import type { connectionsApi } from '#shared/connections/api';
import type { ScopeHints } from '#shared/connections/contract';
import { isCredentialEnvName } from '#shared/connections/names';
import type { Recipe } from '#shared/connections/recipe';
import type { BodyInputOf } from '#shared/kernel/endpoint';
import { canonicalSource } from '#shared/kernel/provider-source';
import { connectionLimits } from '#shared/limits';
import type { TextId, Values } from '../../i18n/text.ts';
import { endOfDay } from '../../ui/end-of-day.ts';
import { takesOwnNames, type Way } from './fields.ts';

/** A file that was read in the browser; only its name and size are shown. */
export type PickedFile = { name: string; size: number; content: string };
/** A pair named by the user; `id` identifies the row. */
export type Row = { id: number; name: string; value: string };
export type FileRow = { id: number; name: string; file?: PickedFile | undefined };

/** Content of the form. It is held in memory only and never written to browser storage. */
export type Draft = {
  provider: string;
  values: Readonly<Record<string, string>>;
  files: Readonly<Record<string, PickedFile>>;
  variables: readonly Row[];
  fileRows: readonly FileRow[];
  settings: readonly Row[];
  name: string;
  endsOn: string;
};

export const emptyDraft: Draft = {
  provider: '',
  values: {},
  files: {},
  variables: [],
  fileRows: [],
  settings: [],
  name: '',
  endsOn: '',
};

/** Problem of a field, as a text of the page. */
export type FieldProblem = { text: TextId; values?: Values };
/** Problems by field key; `all` holds those of no field. */
export type Problems = Readonly<Record<string, FieldProblem>>;

export const keyOf = {
  value: (name: string) => `value:${name}`,
  file: (path: string) => `file:${path}`,
  row: (list: 'variables' | 'fileRows' | 'settings', id: number, part: 'name' | 'value') => `${list}:${id}:${part}`,
};

/** Selected recipe and sign-in method. */
export type Choice = { recipe: Recipe; way: Way };

/** Returns the problems that prevent the draft from being sent. */
export function findProblems(draft: Draft, choice: Choice, now: number): Problems {
  return {
    ...providerProblem(draft),
    ...materialProblems(draft, choice.way),
    ...(takesOwnNames(choice.recipe) && ownProblems(draft, choice.way)),
    ...settingProblems(draft),
    ...plainProblems(draft, now),
  };
}

function providerProblem({ provider }: Draft): Problems {
  if (provider.trim() === '') return { provider: { text: 'form.provider.missing' } };
  return canonicalSource(provider.trim()) === undefined ? { provider: { text: 'form.provider.wrong' } } : {};
}

const isFilled = (draft: Draft, { kind, name }: Way['fields'][number]): boolean =>
  kind === 'file' ? draft.files[name] !== undefined : (draft.values[name] ?? '').trim() !== '';

/**
 * Required fields that are empty. When one of several groups suffices, those of the group with the fewest missing
 * fields.
 */
function materialProblems(draft: Draft, { fields, groups }: Way): Problems {
  const problems: Record<string, FieldProblem> = {};
  const addProblem = (field: Way['fields'][number]) => {
    problems[field.kind === 'file' ? keyOf.file(field.name) : keyOf.value(field.name)] = {
      text: field.kind === 'file' ? 'form.file.missing' : 'form.value.missing',
    };
  };
  for (const field of fields) if (!field.isOptional && !isFilled(draft, field)) addProblem(field);
  if (Object.keys(problems).length > 0 || groups.length === 0) return problems;
  const providedNames = new Set(fields.filter((field) => isFilled(draft, field)).flatMap(({ envNames }) => envNames));
  const lacking = groups.map((group) => group.filter((name) => !providedNames.has(name)));
  const missing = lacking.reduce((fewest, names) => (names.length < fewest.length ? names : fewest));
  for (const field of fields) if (field.envNames.some((name) => missing.includes(name))) addProblem(field);
  return problems;
}

function ownProblems(draft: Draft, { fields }: Way): Problems {
  const { variables, fileRows } = draft;
  if (variables.length + fileRows.length === 0)
    return fields.some((field) => isFilled(draft, field)) ? {} : { all: { text: 'form.own.none' } };
  const names = [...variables, ...fileRows].map(({ name }) => name.trim());
  const nameProblem = (name: string): FieldProblem | undefined => {
    if (name === '') return { text: 'form.name.missing' };
    if (!isCredentialEnvName(name)) return { text: 'form.name.wrong' };
    return names.filter((one) => one === name).length > 1 ? { text: 'form.name.twice' } : undefined;
  };
  const problems: [string, FieldProblem | undefined | false][] = [
    ...variables.flatMap(({ id, name, value }): [string, FieldProblem | undefined | false][] => [
      [keyOf.row('variables', id, 'name'), nameProblem(name.trim())],
      [keyOf.row('variables', id, 'value'), value === '' && { text: 'form.value.missing' }],
    ]),
    ...fileRows.flatMap(({ id, name, file }): [string, FieldProblem | undefined | false][] => [
      [keyOf.row('fileRows', id, 'name'), nameProblem(name.trim())],
      [keyOf.row('fileRows', id, 'value'), !file && { text: 'form.file.missing' }],
    ]),
  ];
  return collectProblems(problems);
}

const collectProblems = (problems: readonly [string, FieldProblem | undefined | false][]): Problems =>
  Object.fromEntries(problems.filter((entry): entry is [string, FieldProblem] => Boolean(entry[1])));

const argumentName = /^[a-z_][a-z0-9_]{0,63}$/;

const settingProblems = ({ settings }: Draft): Problems =>
  collectProblems(
    settings.flatMap(({ id, name, value }): [string, FieldProblem | false][] => [
      [keyOf.row('settings', id, 'name'), !argumentName.test(name.trim()) && { text: 'form.setting.wrong' }],
      [keyOf.row('settings', id, 'value'), value.trim() === '' && { text: 'form.value.missing' }],
    ]),
  );

function plainProblems({ name, endsOn }: Draft, now: number): Problems {
  const end = endsOn === '' ? undefined : endOfDay(endsOn);
  return collectProblems([
    ['name', name.trim().length > 120 && { text: 'token.name.wrong' }],
    ['endsOn', endsOn !== '' && (!end || end.getTime() <= now) && { text: 'token.ends.wrong' }],
  ]);
}

/** A request, with the field that each file of it came from. */
export type Sent = { body: BodyInputOf<typeof connectionsApi.createConnection>; fileKeys: readonly string[] };

/** Returns the request for the form. */
export function requestOf(draft: Draft, { recipe, way }: Choice, workspaceId: string): Sent {
  const own = takesOwnNames(recipe) ? draft : { variables: [], fileRows: [] };
  const files = [...recipeFiles(draft, way), ...ownFiles(own.fileRows)];
  const end = draft.endsOn === '' ? undefined : endOfDay(draft.endsOn);
  const name = draft.name.trim();
  const scopeHints = hintsOf(draft, way);
  return {
    fileKeys: files.map(({ key }) => key),
    body: {
      workspaceId,
      provider: draft.provider.trim(),
      credentialRecipe: { id: recipe.id, authMode: wayId(way, files.length > 0, recipe) },
      values: {
        ...Object.fromEntries(
          way.fields
            .filter((field) => field.kind === 'value' && !field.isSetting && isFilled(draft, field))
            .map((field) => [field.name, draft.values[field.name] ?? '']),
        ),
        ...Object.fromEntries(own.variables.map((row) => [row.name.trim(), row.value])),
      },
      ...(files.length > 0 && { files: files.map(({ file }) => file) }),
      ...(name !== '' && { displayName: name }),
      ...(Object.keys(scopeHints).length > 0 && { scopeHints }),
      ...(end && { expiresAt: end.toISOString() }),
    },
  };
}

/** Returns the readable settings: arguments of the provider block, and inputs of the token request. */
function hintsOf(draft: Draft, way: Way): Pick<ScopeHints, 'providerConfig' | 'providerSettings'> {
  const providerConfig = Object.fromEntries(draft.settings.map((row) => [row.name.trim(), row.value.trim()]));
  const inputs = way.fields.filter((field) => field.isSetting && isFilled(draft, field));
  const providerSettings = Object.fromEntries(inputs.map(({ name }) => [name, (draft.values[name] ?? '').trim()]));
  return {
    ...(draft.settings.length > 0 && { providerConfig }),
    ...(inputs.length > 0 && { providerSettings }),
  };
}

/** Returns the auth mode id. When the user names everything, the presence of files decides it. */
function wayId({ id, fields }: Way, hasFiles: boolean, { authModes }: Recipe): string {
  if (fields.length > 0) return id;
  const wanted = hasFiles ? 'file' : 'env';
  return Object.hasOwn(authModes, wanted) ? wanted : id;
}

type KeyedFile = { key: string; file: { path: string; content: string; envName?: string } };

const recipeFiles = ({ files }: Draft, way: Way): KeyedFile[] =>
  way.fields.flatMap(({ kind, name }) => {
    const picked = kind === 'file' ? files[name] : undefined;
    return picked ? [{ key: keyOf.file(name), file: { path: name, content: picked.content } }] : [];
  });

function ownFiles(rows: readonly FileRow[]): KeyedFile[] {
  const taken = new Set<string>();
  return rows.flatMap(({ id, name, file }, at) => {
    if (!file) return [];
    const plain = plainFileName(file.name);
    const isTaken = taken.has(plain.toLowerCase());
    taken.add(plain.toLowerCase());
    const path = isTaken ? `${at + 1}/${plain}` : plain;
    return [{ key: keyOf.row('fileRows', id, 'value'), file: { path, content: file.content, envName: name.trim() } }];
  });
}

/** Returns a file name that is a valid path on every system. */
const plainFileName = (name: string): string =>
  name
    .replace(/[^A-Za-z0-9._@+-]+/g, '-')
    .replace(/^\.+/, '')
    .slice(-80) || 'file';

export const maxFileBytes = connectionLimits.fileBytes;
