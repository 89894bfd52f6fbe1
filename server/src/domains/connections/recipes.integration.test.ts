import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isCredentialName } from '#server/runner/index';
import { builtInRecipes } from '#shared/connections/built-in/index';
import { isCredentialEnvName } from '#shared/connections/names';
import { Recipe } from '#shared/connections/recipe';
import { issuedRecipe, writeServiceFiles } from '../../../test/credential-service.ts';
import { startTestServer, tempDir } from '../../../test/harness.ts';
import { createCredentialServices } from './minting/credential-services.ts';
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

test("a way to sign in with a credential service is the operator's, and needs the service", async () => {
  const server = await startTestServer();
  const { authModes } = issuedRecipe('acme', 'ACME_TOKEN', ['acme/cloud']);
  const document = recipe('acme', { authModes: { ...authModes, token: { env: { ACME_TOKEN: { from: 'secret' } } } } });
  writeServiceFiles(server.dataDir, { recipe: document });
  const credentialRecipe = { id: 'acme', authMode: 'issued' };
  const body = { provider: 'acme/cloud', credentialRecipe, values: {} };
  const refusalOf = async (request: object, path = '/api/v1/connections', token = server.token) => {
    const { status, json } = await server.request('POST', path, request, { authorization: `Bearer ${token}` });
    const { message, details } = (json as { error?: { message: string; details: object } }).error ?? {};
    return { status, message, details };
  };
  const details = { reason: 'auth_mode_unknown', field: '/credentialRecipe/authMode', allowed: ['token'] };
  const modes = async () =>
    Object.keys((await server.api.listRecipes({})).body.recipes.find(({ id }) => id === 'acme')?.authModes ?? {});
  const operate = (request: object) => refusalOf(request, '/internal/v1/connections', server.operatorToken);
  try {
    expect(await modes()).toEqual(['token']);
    expect(await operate(body)).toEqual({
      status: 400,
      message: expect.stringMatching(/needs a credential service/),
      details,
    });
    writeServiceFiles(server.dataDir, { recipe: document, service: { url: 'http://127.0.0.1:1/' } });
    expect(await modes()).toEqual(['issued', 'token']);
    const message = expect.stringMatching(/^Only the operator creates Connections/);
    expect(await refusalOf({ ...body, workspaceId: server.workspaceId })).toEqual({ status: 400, message, details });
    expect(await operate({ ...body, values: { ACME_TOKEN: 'x' } })).toMatchObject({
      status: 400,
      details: { reason: 'env_name_undeclared' },
    });
    expect(await operate(body)).toMatchObject({ status: 201 });
    const [listed] = (await server.api.listProviderConnections({ query: { workspaceId: server.workspaceId } })).body
      .providerConnections;
    expect(listed).toMatchObject({ scope: 'operator', envNames: ['ACME_TOKEN'], credentialRecipe });
    const path = `/internal/v1/connections/${listed?.id}/test`;
    const { json } = await server.request('POST', path, undefined, {
      authorization: `Bearer ${server.operatorToken}`,
    });
    expect(json).toEqual({
      status: 'pending',
      detail: expect.stringMatching(/^Nothing is stored that could be tested/),
    });
  } finally {
    await server.close();
  }
});

test('a file of a credential service that cannot be used is logged and left out', () => {
  const services = path.join(dataDir, 'credential-services');
  fs.mkdirSync(services);
  const put = (name: string, content: object) => fs.writeFileSync(path.join(services, name), JSON.stringify(content));
  put('good.json', { url: 'https://a.example/x', tokenFile: 'token', caFile: 'ca.pem' });
  put('plain.json', { url: 'http://a.example/x', tokenFile: 'token' });
  put('secret.json', { url: 'https://user:pw@a.example/x', tokenFile: 'token' });
  put('none.json', { url: 'https://a.example/x' });
  put('Not an id.json', { url: 'https://a.example/x', tokenFile: 'token' });
  const registry = createCredentialServices({ dataDir, log });
  expect(registry.find('good')).toEqual({
    recipeId: 'good',
    url: 'https://a.example/x',
    tokenFile: path.join(services, 'token'),
    caFile: path.join(services, 'ca.pem'),
  });
  for (const id of ['plain', 'secret', 'none', 'Not an id']) expect(registry.find(id)).toBeUndefined();
  expect(warnings).toHaveLength(4);
  expect(warnings.join()).not.toContain('user:pw');
});

test('the test of a Connection that requests a token sends nothing, and says so', async () => {
  const server = await startTestServer();
  const inputs = {
    token_url: { from: 'value' },
    client_id: { from: 'value' },
    client_secret: { from: 'secret' },
  };
  const login = {
    env: { ACME_TOKEN: { from: 'generated', name: 'access_token' } },
    preRun: { type: 'oauth_client_credentials', inputs },
  };
  writeServiceFiles(server.dataDir, { recipe: recipe('acme', { authModes: { login } }) });
  try {
    const values = { token_url: 'https://nowhere.invalid/token', client_id: 'app', client_secret: 'canary-secret' };
    const credentialRecipe = { id: 'acme', authMode: 'login' };
    const body = { workspaceId: server.workspaceId, provider: 'acme/cloud', credentialRecipe, values };
    const { id } = (await server.api.createConnection({ body })).body.connection;
    const { body: result } = await server.api.testConnection({ params: { connectionId: id } });
    expect(result).toEqual({ status: 'verified', detail: expect.stringMatching(/A test requests no token/) });
  } finally {
    await server.close();
  }
});

test('every recipe of the documentation is valid', () => {
  const text = fs.readFileSync(path.join(import.meta.dirname, '../../../../docs/connections.md'), 'utf8');
  const blocks = [...text.matchAll(/^( *)```json\n([\s\S]*?)^\1```/gm)].map(([, , json = '']) => JSON.parse(json));
  const documents = blocks.filter((block) => 'authModes' in block);
  expect(documents.map(({ id }) => id)).toEqual(['acme', 'acme-oauth', 'acme-issued']);
  for (const document of documents) expect(Recipe.safeParse(document).error?.issues ?? []).toEqual([]);
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
