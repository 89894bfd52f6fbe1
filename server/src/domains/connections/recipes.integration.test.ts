import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isCredentialName } from '#server/runner/index';
import { builtInRecipes } from '#shared/connections/built-in/index';
import { isCredentialEnvName } from '#shared/connections/names';
import { startTestServer, tempDir } from '../../../test/harness.ts';
import { createRecipeRegistry } from './recipes.ts';

let dataDir: string;
let folder: string;
const warnings: string[] = [];
const log = { warn: (fields: object, text: string) => void warnings.push(`${JSON.stringify(fields)} ${text}`) };
beforeEach(() => {
  dataDir = tempDir();
  folder = path.join(dataDir, 'recipes');
  warnings.length = 0;
});
afterEach(() => fs.rmSync(dataDir, { recursive: true }));

const recipe = (id: string, more: Record<string, unknown> = {}) => ({
  id,
  displayName: id,
  terraformSource: ['acme/cloud'],
  authModes: { token: { env: { ACME_TOKEN: { from: 'secret' } } } },
  ...more,
});
const write = (name: string, content: unknown) => {
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
};
const own = (registry: ReturnType<typeof createRecipeRegistry>) =>
  registry
    .list()
    .slice(builtInRecipes.length)
    .map(({ id }) => id);

test('recipes of the operator are listed after those of the product, as the files are now', () => {
  const registry = createRecipeRegistry({ dataDir, log });
  expect(own(registry)).toEqual([]);
  write('b.json', recipe('second'));
  write('a.json', recipe('first'));
  write('notes.txt', 'not a recipe');
  expect(own(registry)).toEqual(['first', 'second']);
  expect(registry.find('first')).toMatchObject({ displayName: 'first' });
  write('a.json', recipe('first', { displayName: 'Renamed' }));
  expect(registry.find('first')).toMatchObject({ displayName: 'Renamed' });
  fs.rmSync(path.join(folder, 'b.json'));
  expect(own(registry)).toEqual(['first']);
  expect(warnings).toEqual([]);
});

test('a way to sign in that this server does not support names the missing part, and the others still work', async () => {
  const server = await startTestServer();
  const env = { ACME_TOKEN: { from: 'secret' } };
  const scoped = { context: 'capsule-run.v1', audience: 'a', scopes: [] };
  const runIssuance = { ...scoped, operatorConnection: 'workspace-bindable', storedMaterial: 'none' };
  const authModes = { login: { env, preRun: { type: 'login' } }, issued: { env, runIssuance }, token: { env } };
  fs.mkdirSync(path.join(server.dataDir, 'recipes'), { recursive: true });
  fs.writeFileSync(
    path.join(server.dataDir, 'recipes', 'acme.json'),
    JSON.stringify({ id: 'acme', displayName: 'Acme', terraformSource: ['acme/cloud'], authModes }),
  );
  const createBy = async (authMode: string) => {
    const credentialRecipe = { id: 'acme', authMode };
    const values = { ACME_TOKEN: 'a-token-of-acme' };
    const body = { workspaceId: server.workspaceId, provider: 'acme/cloud', credentialRecipe, values };
    const { status, json } = await server.request('POST', '/api/v1/connections', body);
    const { message, details } = (json as { error?: { message: string; details: object } }).error ?? {};
    return { status, message, details };
  };
  try {
    const details = { reason: 'auth_mode_unknown', field: '/credentialRecipe/authMode', allowed: ['token'] };
    for (const [mode, part] of [
      ['login', 'preRun'],
      ['issued', 'runIssuance'],
    ] as const) {
      const message = `This way to sign in needs ${part}, which this server does not support.`;
      expect(await createBy(mode)).toEqual({ status: 400, message, details });
    }
    const { recipes } = (await server.api.listRecipes({})).body;
    expect(Object.keys(recipes.find(({ id }) => id === 'acme')?.authModes ?? {})).toEqual(['token']);
    expect(await createBy('token')).toMatchObject({ status: 201 });
  } finally {
    await server.close();
  }
});

test('an invalid file is logged once and left out, and the others stay', () => {
  write('good.json', recipe('good'));
  write('half.json', '{"id":');
  write('twice.json', '{"id":"a","id":"b"}');
  write('form.json', recipe('form', { color: 'red' }));
  write('product.json', recipe('aws'));
  write('same.json', recipe('good'));
  write('large.json', ' '.repeat(262_145));
  fs.mkdirSync(path.join(folder, 'folder.json'));
  fs.symlinkSync(path.join(folder, 'good.json'), path.join(folder, 'link.json'));
  const registry = createRecipeRegistry({ dataDir, log });
  expect(own(registry)).toEqual(['good']);
  const named = warnings.map((line) => /([a-z]+)\.json"/.exec(line)?.[1]).sort();
  expect(named).toEqual(['folder', 'form', 'half', 'large', 'link', 'product', 'same', 'twice']);
  registry.list();
  expect(warnings).toHaveLength(named.length);
});

test('every name that a Connection may set is passed on by the runner', () => {
  const starts = [
    '',
    'A',
    'TF',
    'TFE_',
    'GO',
    'GOOGLE_',
    'NODE',
    'LD',
    'HOME_',
    'PATHS',
    'PS4_',
    'ENVOY',
    'TMPDIRS',
    'AWS_',
    'PLUGINS',
  ];
  const names = starts.flatMap((start) => ['X', '_', 'x9', 'GC'].map((end) => start + end));
  for (const name of names.filter(isCredentialEnvName)) expect([name, isCredentialName(name)]).toEqual([name, true]);
});

test('every account can read the recipes', async () => {
  const server = await startTestServer();
  fs.mkdirSync(path.join(server.dataDir, 'recipes'));
  fs.writeFileSync(path.join(server.dataDir, 'recipes', 'acme.json'), JSON.stringify(recipe('acme')));
  const { recipes } = (await server.api.listRecipes({})).body;
  expect(recipes.map(({ id }) => id)).toEqual([...builtInRecipes.map(({ id }) => id), 'acme']);
  const outsider = await server.join(undefined);
  expect((await outsider.api.listRecipes({})).body.recipes).toHaveLength(recipes.length);
  const body = {
    workspaceId: server.workspaceId,
    provider: 'acme/cloud',
    credentialRecipe: { id: 'acme', authMode: 'token' },
    values: { ACME_TOKEN: 'x' },
  };
  expect((await server.api.createConnection({ body })).status).toBe(201);
  // A recipe that was removed still works for the Connections created with it.
  fs.rmSync(path.join(server.dataDir, 'recipes', 'acme.json'));
  await expect(server.api.createConnection({ body })).rejects.toMatchObject({ status: 400 });
  const { connections } = (await server.api.listConnections({ query: { workspaceId: server.workspaceId } })).body;
  expect(connections[0]?.credentialRecipe).toMatchObject({ id: 'acme', envNames: ['ACME_TOKEN'] });
  await server.close();
});
