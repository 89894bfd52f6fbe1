import { describe, expect, it } from 'vitest';
import { connectionsApi } from '#shared/connections/api';
import { builtInRecipes } from '#shared/connections/built-in/index';
import { ApiError } from '../../api/client.ts';
import { type Choice, type Draft, emptyDraft, findProblems, type PickedFile, requestOf } from './draft.ts';
import { waysOf } from './fields.ts';
import { pastedFile, readPickedFile } from './read-file.ts';
import { refusedField } from './refusal.ts';

const workspaceId = 'ws_01J00000000000000000000000';
const now = Date.parse('2026-11-21T12:00:00Z');
const key: PickedFile = { name: 'My key (1).json', size: 2, content: '{}' };

function choose(id: string, wayId?: string): Choice {
  const recipe = builtInRecipes.find((one) => one.id === id);
  const ways = recipe ? waysOf(recipe) : [];
  const way = wayId === undefined ? ways[0] : ways.find((one) => one.id === wayId);
  if (!recipe || !way) throw new Error(`Recipe ${id} has no auth mode ${wayId}.`);
  return { recipe, way };
}
const draft = (part: Partial<Draft>): Draft => ({ ...emptyDraft, provider: 'hashicorp/aws', ...part });
const wrongKeys = (part: Partial<Draft>, choice: Choice) => Object.keys(findProblems(draft(part), choice, now));

describe('what is filled in', () => {
  it('misses each required value of the recipe, and no optional one', () => {
    expect(wrongKeys({ values: { AWS_ACCESS_KEY_ID: ' ' } }, choose('aws'))).toEqual([
      'value:AWS_ACCESS_KEY_ID',
      'value:AWS_SECRET_ACCESS_KEY',
    ]);
    expect(wrongKeys({}, choose('google'))).toEqual(['file:google/key.json']);
    expect(wrongKeys({ files: { 'google/key.json': key } }, choose('google'))).toEqual([]);
  });

  it('names variables and files that may be given, each once', () => {
    const any = choose('generic-env');
    expect(wrongKeys({}, any)).toEqual(['all']);
    const variables = [
      { id: 1, name: 'PATH', value: 'x' },
      { id: 2, name: 'ACME_TOKEN', value: '' },
      { id: 3, name: '', value: 'x' },
    ];
    expect(wrongKeys({ variables, fileRows: [{ id: 4, name: 'ACME_TOKEN' }] }, any)).toEqual([
      'variables:1:name',
      'variables:2:name',
      'variables:2:value',
      'variables:3:name',
      'fileRows:4:name',
      'fileRows:4:value',
    ]);
  });

  it('requires a provider, a future date and valid argument names', () => {
    const values = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
    const settings = [{ id: 1, name: 'Region!', value: ' ' }];
    expect(wrongKeys({ values, provider: 'not a provider', endsOn: '2026-11-20', settings }, choose('aws'))).toEqual([
      'provider',
      'settings:1:name',
      'settings:1:value',
      'endsOn',
    ]);
  });
});

describe('the request', () => {
  it('contains what was filled in and nothing that was left out', () => {
    const values = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: ' b ', AWS_SESSION_TOKEN: '' };
    const settings = [{ id: 1, name: 'region', value: 'eu-west-1 ' }];
    const { body } = requestOf(draft({ values, settings, name: ' Shop ' }), choose('aws'), workspaceId);
    expect(body).toEqual({
      workspaceId,
      provider: 'hashicorp/aws',
      credentialRecipe: { id: 'aws', authMode: 'static' },
      values: { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: ' b ' },
      displayName: 'Shop',
      scopeHints: { providerConfig: { region: 'eu-west-1' } },
    });
    expect(connectionsApi.createConnection.body.safeParse(body).success).toBe(true);
  });

  it('keeps plain inputs of a token request as settings, and sends the others as values', () => {
    const field = { kind: 'value' as const, label: 'x', isOptional: true, isLong: false, envNames: [] };
    const fields = [
      { ...field, name: 'client_id', isSecret: false, isSetting: true as const },
      { ...field, name: 'audience', isSecret: false, isSetting: true as const },
      { ...field, name: 'client_secret', isSecret: true },
    ];
    const { recipe, way } = choose('aws');
    const values = { client_id: ' app ', client_secret: 'b', audience: '' };
    const { body } = requestOf(draft({ values }), { recipe, way: { ...way, fields } }, workspaceId);
    expect(body).toMatchObject({
      values: { client_secret: 'b' },
      scopeHints: { providerSettings: { client_id: 'app' } },
    });
    expect(body.values).not.toHaveProperty('client_id');
    expect(body.scopeHints?.providerConfig).toBeUndefined();
  });

  it('gives files of the user plain, distinct names and selects the auth mode by them', () => {
    const fileRows = [
      { id: 1, name: 'ACME_KEY', file: key },
      { id: 2, name: 'ACME_OTHER', file: { ...key, name: 'my-key-1-.json' } },
    ];
    const { body, fileKeys } = requestOf(draft({ fileRows }), choose('generic-env'), workspaceId);
    expect(body.credentialRecipe).toEqual({ id: 'generic-env', authMode: 'file' });
    expect(body.files).toEqual([
      { path: 'My-key-1-.json', content: '{}', envName: 'ACME_KEY' },
      { path: '2/my-key-1-.json', content: '{}', envName: 'ACME_OTHER' },
    ]);
    expect(fileKeys).toEqual(['fileRows:1:value', 'fileRows:2:value']);
  });
});

describe('a refusal of the server', () => {
  const refusal = (field: string, reason: string, more = {}) =>
    new ApiError(400, { code: 'invalid_argument', message: 'No.', details: { field, reason, ...more } });
  const choice = choose('generic-env');
  const shown = draft({
    variables: [{ id: 7, name: 'ACME/TOKEN', value: 'x' }],
    fileRows: [{ id: 8, name: 'ACME_KEY', file: key }],
    settings: [{ id: 9, name: 'region', value: 'x' }],
  });
  const sent = requestOf(shown, choice, workspaceId);

  it.each([
    ['/values/ACME~1TOKEN', 'env_name_undeclared', 'variables:7:name'],
    ['/files/0/path', 'file_path_invalid', 'fileRows:8:value'],
    ['/files/0/envName', 'env_name_undeclared', 'fileRows:8:name'],
    ['/scopeHints/providerConfig/region', 'secret_like_value', 'settings:9:value'],
    ['/displayName', 'secret_like_value', 'name'],
    ['/provider', 'recipe_unknown', 'provider'],
  ])('stands at the field that it names: %s', (field, reason, at) => {
    expect(refusedField(refusal(field, reason), { draft: shown, choice, sent })).toEqual({
      key: at,
      problem: { text: `refusal.${reason}` },
    });
  });

  it('names the missing values of a group, at the file field', () => {
    const google = choose('google');
    const error = refusal('/values/GOOGLE_APPLICATION_CREDENTIALS', 'env_group_incomplete', { missing: ['A', 'B'] });
    expect(refusedField(error, { draft: emptyDraft, choice: google, sent: undefined })).toEqual({
      key: 'file:google/key.json',
      problem: { text: 'form.group', values: { names: 'A, B' } },
    });
  });

  it('belongs to no field when it names none', () => {
    expect(
      refusedField(refusal('/credentialRecipe', 'recipe_unknown'), { draft: shown, choice, sent }),
    ).toBeUndefined();
    expect(refusedField(new Error('away'), { draft: shown, choice, sent })).toBeUndefined();
  });
});

describe('a file', () => {
  const file = (content: string | Uint8Array<ArrayBuffer>) => new File([content], 'key.json');
  it('is read as text, with its size in bytes', async () => {
    expect(await readPickedFile(file('{"a":"é"}'))).toEqual({
      ok: true,
      file: { name: 'key.json', size: 10, content: '{"a":"é"}' },
    });
  });
  it.each([
    ['empty', file(''), 'form.file.empty'],
    ['no text', file(new Uint8Array([0xff, 0xfe, 0x00])), 'form.file.binary'],
    ['a text with a NUL', file('a\0b'), 'form.file.binary'],
    ['too large', file('x'.repeat(262_145)), 'form.file.large'],
  ])('is refused when it is %s', async (_what, input, text) => {
    expect(await readPickedFile(input)).toMatchObject({ ok: false, problem: { text } });
  });
  it('that is pasted has the same limits', () => {
    expect(pastedFile('key', 'é'.repeat(131_073))).toMatchObject({ ok: false });
    expect(pastedFile('key', 'é')).toMatchObject({ ok: true, file: { name: 'key', size: 2 } });
  });
});
