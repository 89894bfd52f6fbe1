import { lookup } from 'node:dns';
import fs from 'node:fs';
import type { LookupFunction } from 'node:net';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { awsBody, canary, genericBody, gitBody, githubBody } from '../../../test/connection-bodies.ts';
import { openTestLedger } from '../../../test/empty-ledger.ts';
import { heldClock, tempDir } from '../../../test/harness.ts';
import { createLooseVault } from '../../../test/loose-vault.ts';
import type { Db } from '../../kernel/db.ts';
import { createLog } from '../../kernel/log.ts';
import { createOutbox, type OutboxEvent } from '../../kernel/outbox.ts';
import { createCursors } from '../../kernel/page.ts';
import { Secret } from '../../kernel/secret.ts';
import { openGate } from '../../kernel/work-gate.ts';
import type { ActivityRecord } from '../activity/index.ts';
import type { Verdict } from './check/run-check.ts';
import type { NewConnection } from './checked-connection.ts';
import { createRecipeRegistry } from './recipes.ts';
import { createIssuanceStore } from './run-store.ts';
import { type ConnectionsService, createConnectionsService } from './service.ts';
import { createConnectionsStore } from './store.ts';

const dataDir = tempDir();
const clock = heldClock();
const records: ActivityRecord[] = [];
const events: OutboxEvent[] = [];
const running = new Set<string>();
let verdict: Verdict = { outcome: 'pass' };
let db: Db;
let connections: ConnectionsService;
beforeAll(() => {
  db = openTestLedger(dataDir);
  db.sqlite.pragma('foreign_keys = OFF');
  const outbox = createOutbox(db, clock);
  outbox.listen((one) => void events.push(one));
  connections = createConnectionsService({
    db,
    clock,
    unattendedGate: openGate,
    outbox,
    cursors: createCursors('test'),
    store: createConnectionsStore(db),
    vault: createLooseVault(),
    activity: { record: (entry) => void records.push(entry) },
    workspaces: { requireLive: () => {}, getWorkspace: () => ({}) as never },
    recipes: createRecipeRegistry({ dataDir, log: createLog('silent') }),
    log: createLog('silent'),
    services: { find: () => undefined },
    issuances: createIssuanceStore(db),
    outgoing: { caFile: undefined, httpsProxy: undefined },
    lookup: lookup as LookupFunction,
    host: { timeoutMs: 1_000, maxBytes: 1_000 },
    gitRules: { allowLoopback: true, allowLocal: true },
    erase: (work) => db.write(work),
    isRunLive: (id) => running.has(id),
    nameOfCapsule: (id) => `name of ${id}`,
    receivedProfiles: new Set(['cloud.example/v1', 'other']),
    findDependents: () => ({ queuedRuns: [], capsules: [] }),
    checkMaterial: async () => verdict,
    testGit: async () => verdict,
    testRegistry: async () => verdict,
    testStorage: async () => verdict,
  });
});
afterAll(() => {
  db.close();
  fs.rmSync(dataDir, { recursive: true });
});

const make = (body: NewConnection) => connections.create(body, 'sub_a').id;
const testIt = async (id: string, nextVerdict: Verdict) => {
  verdict = nextVerdict;
  return (await connections.test(id, 'sub_a'))();
};
/** The revealed values, so that they can be compared. */
const shown = (values: Record<string, Secret | string>) =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, value instanceof Secret ? ['secret', value.reveal()] : value]),
  );

describe('the material of a Connection', () => {
  test('follows its recipe: secrets, plain values, arguments of the block', () => {
    const id = make({
      workspaceId: 'ws_a',
      provider: 'azurerm',
      credentialRecipe: { id: 'azure', authMode: 'client_secret' },
      values: {
        ARM_CLIENT_ID: 'client',
        ARM_CLIENT_SECRET: canary('azure'),
        ARM_TENANT_ID: 'tenant',
        ARM_SUBSCRIPTION_ID: 'subscription',
      },
      scopeHints: { providerConfig: { environment: 'public' }, moduleInputDefaults: { location: 'westeurope' } },
    });
    const materials = connections.materialize(id);
    expect(shown(materials.env)).toEqual({
      ARM_CLIENT_ID: 'client',
      ARM_CLIENT_SECRET: ['secret', canary('azure')],
      ARM_TENANT_ID: 'tenant',
      ARM_SUBSCRIPTION_ID: 'subscription',
    });
    expect(shown(materials.providerArguments)).toEqual({
      client_id: 'client',
      client_secret: ['secret', canary('azure')],
      tenant_id: 'tenant',
      subscription_id: 'subscription',
    });
    expect(materials).toMatchObject({
      files: [],
      providerConfig: { environment: 'public' },
      moduleInputDefaults: { location: 'westeurope' },
    });
    const azuread = connections.materialize(id, 'registry.terraform.io/hashicorp/azuread');
    expect(Object.keys(azuread.providerArguments)).toEqual(['client_id', 'client_secret', 'tenant_id']);
    expect(inspect(materials, { depth: 9 }) + JSON.stringify(materials)).not.toContain('canary');
  });

  test('contains files with their modes, and their content where an argument accepts it', () => {
    const id = make({
      workspaceId: 'ws_a',
      provider: 'google-beta',
      credentialRecipe: { id: 'google', authMode: 'service_account' },
      values: {},
      files: [{ path: 'google/key.json', content: canary('google') }],
    });
    const { env, files, providerArguments } = connections.materialize(id);
    expect(env).toEqual({});
    expect(files.map(({ content, ...file }) => ({ ...file, content: content.reveal() }))).toEqual([
      { path: 'google/key.json', envName: 'GOOGLE_APPLICATION_CREDENTIALS', mode: 0o600, content: canary('google') },
    ]);
    expect(shown(providerArguments)).toEqual({ credentials: ['secret', canary('google')] });
  });

  test('leaves out values that were not entered, and keeps declared names secret', () => {
    expect(shown(connections.materialize(make(awsBody('ws_a'))).providerArguments)).toEqual({
      access_key: ['secret', canary('id')],
      secret_key: ['secret', canary('key')],
    });
    const generic = connections.materialize(make(genericBody('ws_a')));
    expect(shown(generic.env)).toEqual({ ACME_TOKEN: ['secret', canary('acme')] });
    expect(generic.providerArguments).toEqual({});
  });

  test('does not open under another name or another Connection', () => {
    const [first, second] = [make(awsBody('ws_a')), make(awsBody('ws_a'))];
    const move = db.sqlite.prepare(
      'UPDATE connection_materials SET sealed = (SELECT sealed FROM connection_materials WHERE id = ?) WHERE id = ?',
    );
    move.run(`${first}/env/AWS_ACCESS_KEY_ID`, `${first}/env/AWS_SECRET_ACCESS_KEY`);
    expect(() => connections.materialize(first)).toThrow();
    move.run(`${first}/env/AWS_ACCESS_KEY_ID`, `${second}/env/AWS_ACCESS_KEY_ID`);
    expect(() => connections.materialize(second)).toThrow();
  });
});

describe('use of a Connection', () => {
  const why = (id: string) => connections.findUnusable(id, 'ws_a');

  test('is decided by its Workspace, kind, state and time', async () => {
    const id = make(githubBody('ws_a'));
    expect(why(id)).toBeUndefined();
    expect(connections.requireUsable(id, 'ws_a')).toMatchObject({ id, recipeId: 'github', status: 'pending' });
    expect(connections.findUnusable(id, 'ws_b')).toBe('foreign');
    expect(why('conn_nothing')).toBe('missing');
    expect(why(make(gitBody('ws_a')))).toBe('git');
    expect(why(make(githubBody('ws_a', { scopeHints: { managedProviderProfile: 'p' } })))).toBe('managed');
    const { workspaceId: _, ...shared } = githubBody('');
    expect(connections.findUnusable(make(shared), 'ws_b')).toBeUndefined();
    const ending = make(githubBody('ws_a', { expiresAt: new Date(clock.now() + 10).toISOString() }));
    expect(why(ending)).toBeUndefined();
    clock.advance(10);
    expect(why(ending)).toBe('expired');
    expect(await testIt(id, { outcome: 'fail', detail: 'No.' })).toEqual({ status: 'error', detail: 'No.' });
    expect(why(id)).toBe('error');
    expect(await testIt(id, { outcome: 'pass' })).toEqual({ status: 'verified' });
    expect(why(id)).toBeUndefined();
  });

  test.each([
    ['cloud.example/v1', undefined],
    ['Cloud.example/v1', 'managed'],
    ['cloud.example/v1 ', 'managed'],
    ['cloud.example', 'managed'],
    ['cloud.example/v1,other', 'managed'],
  ])('with the managed profile %j requires a platform that declares exactly that profile', (profile, expected) => {
    const id = make(githubBody('ws_a', { scopeHints: { managedProviderProfile: profile } }));
    expect(why(id)).toBe(expected);
    if (expected === undefined) expect(connections.materialize(id).env['GITHUB_TOKEN']).toBeInstanceOf(Secret);
    else
      expect(() => connections.materialize(id)).toThrow(
        expect.objectContaining({
          details: { reason: 'provider_connection_not_ready', connectionId: id, why: 'managed' },
        }),
      );
    expect(connections.listForProviders('ws_a').map((one) => one.id)).toContain(id);
  });

  test('with a managed profile is not enabled by any setting of the Connection itself', () => {
    const scopeHints = {
      managedProviderProfile: 'unknown',
      providerConfig: { managedProviderProfile: 'other', profile: 'other' },
      providerSettings: { managedProviderProfile: 'other' },
    };
    expect(why(make(githubBody('ws_a', { scopeHints })))).toBe('managed');
  });

  test('names a domain for hostnames only as a Connection of the operator', () => {
    const scopeHints = { managedPublicBaseDomain: 'cloud.example.com' };
    const { workspaceId: _workspaceId, ...ofOperator } = githubBody('ws_a', { scopeHints });
    expect(connections.findBaseDomain(make(ofOperator))).toBe('cloud.example.com');
    expect(connections.findBaseDomain(make(githubBody('ws_a')))).toBeUndefined();
    expect(connections.findBaseDomain('conn_nothing')).toBeUndefined();
    expect(() => make(githubBody('ws_a', { scopeHints }))).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        details: { field: '/scopeHints/managedPublicBaseDomain' },
      }),
    );
  });

  test('is refused with a reason, and with 404 outside of its Workspace', () => {
    const id = make(githubBody('ws_a'));
    expect(() => connections.requireUsable(id, 'ws_b')).toThrow(
      expect.objectContaining({ code: 'connection_not_found' }),
    );
    connections.revoke(id, 'sub_a');
    const refused = expect.objectContaining({
      code: 'failed_precondition',
      details: { reason: 'provider_connection_not_ready', connectionId: id, why: 'revoked' },
    });
    expect(() => connections.requireUsable(id, 'ws_a')).toThrow(refused);
    expect(() => connections.materialize(id)).toThrow(refused);
    expect(connections.describe(id)).toMatchObject({ status: 'revoked' });
    expect(connections.describe('conn_nothing')).toBeUndefined();
  });
});

describe('a description', () => {
  test('contains every name and no value', () => {
    const id = make(awsBody('ws_a', { displayName: 'Prod', scopeHints: { providerConfig: { region: 'eu' } } }));
    const description = connections.describe(id);
    expect(description).toEqual({
      id,
      workspaceId: 'ws_a',
      scope: 'workspace',
      displayName: 'Prod',
      providerSource: 'hashicorp/aws',
      recipeId: 'aws',
      terraformSource: ['hashicorp/aws'],
      authMode: 'static',
      status: 'pending',
      expiresAt: undefined,
      envNames: ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
      files: [],
      providerArguments: ['access_key', 'secret_key', 'token'],
      moduleInputNames: [],
      providerConfigNames: ['region'],
      managedProviderProfile: undefined,
      digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
    });
  });

  test('has a digest that no test and no revoke changes', async () => {
    const id = make(githubBody('ws_a'));
    const digest = connections.describe(id)?.digest;
    await testIt(id, { outcome: 'pass', endsAt: clock.now() + 1_000 });
    expect(connections.describe(id)).toMatchObject({ digest, expiresAt: clock.now() + 1_000 });
    connections.revoke(id, 'sub_a');
    expect(connections.describe(id)?.digest).toBe(digest);
    expect(connections.describe(make(githubBody('ws_a')))?.digest).not.toBe(digest);
  });
});

describe('a test', () => {
  test('sets the status to its result, and is recorded in the outbox and the history', async () => {
    const id = make(githubBody('ws_a'));
    for (const [nextVerdict, status] of [
      [{ outcome: 'pass' }, 'verified'],
      [{ outcome: 'unknown' }, 'pending'],
      [{ outcome: 'expire' }, 'expired'],
      [{ outcome: 'pass' }, 'verified'],
      [{ outcome: 'fail' }, 'error'],
      [{ outcome: 'expire' }, 'error'],
    ] as [Verdict, string][])
      expect((await testIt(id, nextVerdict)).status).toBe(status);
    const tested = records.filter(({ action, targetId }) => action === 'connection.tested' && targetId === id);
    expect(tested.map(({ metadata }) => metadata?.['status'])).toEqual([
      'verified',
      'verified',
      'expired',
      'verified',
      'error',
      'error',
    ]);
    expect(events.filter(({ recordId }) => recordId === id).at(-1)).toMatchObject({
      kind: 'connection',
      status: 'error',
    });
  });

  test('that ends after a revoke changes nothing', async () => {
    const id = make(githubBody('ws_a'));
    verdict = { outcome: 'pass' };
    const settle = await connections.test(id, 'sub_a');
    connections.revoke(id, 'sub_a');
    expect(settle).toThrow(expect.objectContaining({ details: { reason: 'connection_revoked' } }));
    expect(connections.get(id).status).toBe('revoked');
  });
});

describe('uses', () => {
  test('are recorded by Run with every name, newest first, and a revoke names the Runs that still hold values', () => {
    const id = make(awsBody('ws_a'));
    connections.noteUse({ connectionId: id, runId: 'plan_1', capsuleId: 'cap_a', names: ['B'] });
    clock.advance(1);
    connections.noteUse({ connectionId: id, runId: 'apply_1', capsuleId: 'cap_a', names: ['A'] });
    clock.advance(1);
    connections.noteUse({ connectionId: id, runId: 'plan_1', capsuleId: 'cap_a', names: ['A'] });
    const { uses, nextCursor } = connections.listUses(id, { limit: 1 });
    expect(uses).toMatchObject([
      { runId: 'plan_1', capsuleId: 'cap_a', capsuleName: 'name of cap_a', names: ['A', 'B'] },
    ]);
    expect(connections.listUses(id, { cursor: nextCursor }).uses).toMatchObject([{ runId: 'apply_1', names: ['A'] }]);
    running.add('apply_1');
    connections.revoke(id, 'sub_a');
    expect(records.at(-1)).toMatchObject({
      action: 'connection.revoked',
      metadata: { erased: 2, heldByRuns: ['apply_1'] },
    });
  });
});
