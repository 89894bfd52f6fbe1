import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { NewConnection } from '#server/domains/connections/index';
import { AppError } from '#server/kernel/errors';
import { writeServiceFiles } from '../../../test/credential-service.ts';
import { heldClock } from '../../../test/harness.ts';
import { acme, mintedRuns, waitFor } from '../../../test/minted-runs.ts';
import { openScheduleFixture, type ScheduleFixture } from '../../../test/schedule-fixture.ts';
import { planOutcome } from '../../../test/scripted-runner.ts';
import { accessCanary, startTokenEndpoint, type TokenEndpoint } from '../../../test/token-endpoint.ts';

const generated = { from: 'generated', name: 'access_token' };
const shared = { token_url: { from: 'value' }, client_id: { from: 'value' } };
const recipe = {
  id: 'acme',
  displayName: 'Acme',
  terraformSource: ['acme/cloud'],
  requiredEnvGroups: [['ACME_TOKEN']],
  authModes: {
    client: {
      env: { ACME_TOKEN: generated },
      preRun: {
        type: 'oauth_client_credentials',
        inputs: {
          ...shared,
          client_secret: { from: 'secret' },
          audience: { from: 'value' },
          scope: { from: 'literal', value: 'a b' },
        },
      },
    },
    refresh: {
      files: { 'acme/token': { ...generated, envName: 'ACME_TOKEN' } },
      preRun: { type: 'oauth_refresh_token', inputs: { ...shared, refresh_token: { from: 'secret', name: 'login' } } },
    },
  },
};
const secret = 'canary-client:5+ 7d1';
let fixture: ScheduleFixture;
let endpoint: TokenEndpoint;
let clock: ReturnType<typeof heldClock>;
const runs = mintedRuns(() => fixture);
const { plan, planned, failed, specOf, isHandedOver, stored, countRows, bound } = runs;

async function open(credentialAnswerMs = 30_000, allowLoopbackGit = true): Promise<void> {
  await fixture?.close();
  clock = heldClock(Date.now());
  fixture = await openScheduleFixture(clock, { providers: [acme], credentialAnswerMs, allowLoopbackGit });
  writeServiceFiles(fixture.dataDir, { recipe });
}
beforeEach(async () => {
  endpoint = await startTokenEndpoint();
  await open();
});
afterEach(async () => {
  await fixture.close();
  await endpoint.close();
  (fixture as unknown) = undefined;
});

const connect = (authMode: 'client' | 'refresh', more: Partial<NewConnection> = {}): string => {
  const workspaceId = fixture.workspaceId;
  const own = authMode === 'client' ? { client_secret: secret } : { login: endpoint.refreshToken };
  const values = { token_url: endpoint.url, ...own };
  const scopeHints = { providerSettings: { client_id: 'app' } };
  const body = {
    workspaceId,
    provider: 'acme/cloud',
    credentialRecipe: { id: 'acme', authMode },
    values,
    scopeHints,
    ...more,
  };
  return fixture.domains.connections.create(body, fixture.owner).id;
};
const refusal = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    if (error instanceof AppError) return error.details;
    throw error;
  }
  return undefined;
};

describe('a Connection that requests a token', () => {
  test('gets one for each Run, which only the tool receives', async () => {
    const providerSettings = { client_id: 'app id', audience: 'https://acme.example' };
    const run = await planned(bound(connect('client', { scopeHints: { providerSettings } })));
    expect(endpoint.calls).toEqual([
      {
        form: { grant_type: 'client_credentials', scope: 'a b', audience: 'https://acme.example' },
        authorization: `Basic ${Buffer.from('app+id:canary-client%3A5%2B+7d1').toString('base64')}`,
      },
    ]);
    expect((await specOf(run)).credentials).toEqual({
      env: { ACME_TOKEN: accessCanary(1) },
      files: [],
      providers: [],
      secrets: [accessCanary(1), secret],
    });
    await planned(bound(connect('client')));
    expect(endpoint.calls).toHaveLength(2);
    expect(countRows('run_credentials')).toBe(0);
    expect(stored()).not.toContain('canary-');
  });

  test('replaces its refresh token before the tool starts, and uses the new one in the next Run', async () => {
    const connectionId = connect('refresh');
    const capsuleId = bound(connectionId);
    const run = await planned(capsuleId);
    const { credentials } = await specOf(run);
    expect(endpoint.calls[0]).toEqual({
      form: { grant_type: 'refresh_token', refresh_token: 'canary-refresh-first-77c2d9', client_id: 'app' },
      authorization: undefined,
    });
    expect(credentials?.files).toEqual([
      {
        path: 'acme/token',
        envName: 'ACME_TOKEN',
        mode: 0o600,
        content: Buffer.from(accessCanary(1)).toString('base64'),
      },
    ]);
    expect(credentials?.secrets.toSorted()).toEqual([
      accessCanary(1),
      'canary-refresh-1-77c2d9',
      'canary-refresh-first-77c2d9',
    ]);
    await fixture.restart();
    await planned(capsuleId);
    expect(endpoint.calls[1]?.form['refresh_token']).toBe('canary-refresh-1-77c2d9');
    expect(stored()).not.toContain('canary-');
  });

  test('is used by one Run at a time, so that no refresh token is used twice', async () => {
    const connectionId = connect('refresh');
    const started = [plan(bound(connectionId)), plan(bound(connectionId))];
    for (const run of started) fixture.runner.end(run.id, planOutcome(await specOf(run)));
    await waitFor(() => started.map((run) => runs.runOf(run).status)).toEqual(['succeeded', 'succeeded']);
    expect(endpoint.calls.map(({ form }) => form['refresh_token'])).toEqual([
      'canary-refresh-first-77c2d9',
      'canary-refresh-1-77c2d9',
    ]);
  });
});

describe('a refresh token that is replaced', () => {
  /** A Run whose request for a token has arrived, and the function that answers it. */
  async function waiting(connectionId: string) {
    const held = new Promise<() => void>((resolve) => {
      endpoint.answer = (response) => {
        endpoint.refreshToken = 'canary-refresh-late-77c2d9';
        const body = { access_token: accessCanary(1), refresh_token: endpoint.refreshToken };
        resolve(() => response.writeHead(200).end(JSON.stringify(body)));
      };
    });
    const capsuleId = bound(connectionId);
    const run = plan(capsuleId);
    const answer = await held;
    endpoint.answer = undefined;
    return { run, capsuleId, answer };
  }

  test('is saved although a person cancels the Run', async () => {
    const { run, capsuleId, answer } = await waiting(connect('refresh'));
    fixture.domains.cancel(run.id, { principal: { kind: 'operator' } } as never, { interrupt: false } as never);
    answer();
    await waitFor(() => runs.runOf(run).status).toBe('cancelled');
    expect(isHandedOver(run)).toBe(false);
    await planned(capsuleId);
    expect(endpoint.calls[1]?.form['refresh_token']).toBe('canary-refresh-late-77c2d9');
  });

  test('is saved although the server stops', async () => {
    const { run, answer } = await waiting(connect('refresh'));
    const restarted = fixture.restart();
    answer();
    await restarted;
    fixture.runner.end(run.id, planOutcome(await specOf(run)));
    await waitFor(() => runs.runOf(run).status).toBe('succeeded');
    expect(endpoint.calls[1]?.form['refresh_token']).toBe('canary-refresh-late-77c2d9');
  });
});

test('a Run that waits for its turn is refused when the Connection is revoked before it', async () => {
  const connectionId = connect('refresh');
  const held = new Promise<() => void>((resolve) => {
    endpoint.answer = (response) => resolve(() => response.writeHead(200).end('{"access_token":"late"}'));
  });
  const first = plan(bound(connectionId));
  const answer = await held;
  const second = plan(bound(connectionId));
  await waitFor(() => runs.runOf(second).status).toBe('running');
  fixture.domains.connections.revoke(connectionId, fixture.owner);
  answer();
  expect((await failed(first)).code).toMatch(/^provider_connection_/);
  expect(await failed(second)).toEqual({
    code: 'credential_mint_failed',
    message: expect.stringMatching(/bound to cloud .*is revoked/),
  });
  expect(endpoint.calls).toHaveLength(1);
});

describe('a token address that', () => {
  test.each([
    ['refuses with a code', 400, { error: 'invalid_client' }, 'credential_mint_failed', /\(invalid_client\)/],
    ['refuses with a secret', 401, { error: secret }, 'credential_mint_failed', /\(status 401\)/],
    ['redirects', 302, {}, 'credential_mint_failed', /\(status 302\)/],
    ['has an error', 502, {}, 'credential_service_unavailable', /status 502/],
    ['answers without a token', 200, { token_type: 'bearer' }, 'credential_mint_failed', /it has none/],
    ['answers with a list', 200, ['x'], 'credential_mint_failed', /it has none/],
    ['answers with a token of several lines', 200, { access_token: 'a\nb' }, 'credential_mint_failed', /it has none/],
    ['answers too much', 200, { access_token: 'x', pad: 'x'.repeat(400_000) }, 'credential_mint_failed', /too large/],
  ])('%s ends the Run before anything starts', async (_, status, body, code, message) => {
    endpoint.answer = (response) =>
      void response.writeHead(status, { location: endpoint.url }).end(JSON.stringify(body));
    const run = plan(bound(connect('client')));
    const end = await failed(run);
    expect(end).toEqual({ code, message: expect.stringMatching(message) });
    expect(end.message).not.toContain('canary');
    expect([isHandedOver(run), endpoint.calls.length, countRows('run_credentials')]).toEqual([false, 1, 0]);
    expect(stored()).not.toContain('canary-');
  });

  test('answers with a token for a foreign audience ends the Run', async () => {
    const payload = Buffer.from(JSON.stringify({ aud: ['https://evil.example'] })).toString('base64url');
    endpoint.answerMembers = { access_token: `eyJhbGciOiJub25lIn0.${payload}.` };
    const providerSettings = { client_id: 'app', audience: 'https://acme.example' };
    const run = plan(bound(connect('client', { scopeHints: { providerSettings } })));
    expect(await failed(run)).toEqual({
      code: 'credential_mint_failed',
      message: expect.stringMatching(/another audience/),
    });
  });

  test('hangs ends the Run when the time is over', async () => {
    await open(300);
    endpoint.answer = () => undefined;
    expect((await failed(plan(bound(connect('client'))))).code).toBe('credential_service_unavailable');
  });
});

test.each([
  [{ requireTtlEnforced: true }, 86_400, undefined],
  [{ requireTtlEnforced: true }, 86_401, 'credential_policy_failed'],
  [{ requireTtlEnforced: true }, undefined, 'credential_policy_failed'],
  [{ requireTemporary: true }, 1_000_000, undefined],
  [{ requireTemporary: true }, undefined, 'credential_policy_failed'],
])(
  'under the policy %o a token that lives %s seconds ends a Run with %s',
  async (providerCredentials, expiresIn, code) => {
    endpoint.answerMembers = { expires_in: expiresIn };
    const capsuleId = bound(connect('client'));
    fixture.domains.workspaces.updateWorkspace(fixture.workspaceId, { policy: { providerCredentials } }, fixture.owner);
    if (code === undefined) await planned(capsuleId);
    else expect((await failed(plan(capsuleId))).code).toBe(code);
  },
);

describe('a request for such a Connection is refused when', () => {
  test.each([
    [
      'a secret is missing',
      { values: { token_url: 'https://a.example/t' } },
      'connection_material_missing',
      '/values/client_secret',
    ],
    [
      'an input is missing',
      { values: { token_url: 'https://a.example/t', client_secret: secret }, scopeHints: {} },
      'connection_material_missing',
      '/values/client_id',
    ],
    [
      'the token address is plain http',
      { values: { token_url: 'http://a.example/t', client_secret: secret } },
      'git_http_not_allowed',
      '/values/token_url',
    ],
    [
      'the token address is a file',
      { values: { token_url: 'file:///etc/passwd', client_secret: secret } },
      'git_file_not_allowed',
      '/values/token_url',
    ],
    [
      'the token address is a metadata service',
      { values: { token_url: 'https://169.254.169.254/t', client_secret: secret } },
      'git_host_not_allowed',
      '/values/token_url',
    ],
    [
      'a value has an unknown name',
      { values: { token_url: 'https://a.example/t', client_secret: secret, extra: 'x' } },
      'env_name_undeclared',
      '/values/extra',
    ],
    [
      'the generated value is submitted',
      { values: { token_url: 'https://a.example/t', client_secret: secret, ACME_TOKEN: 'x' } },
      'env_name_undeclared',
      '/values/ACME_TOKEN',
    ],
  ])('%s', (_, more, reason, field) => {
    expect(refusal(() => connect('client', more as never))).toMatchObject({ reason, field });
  });

  test('the token address is this machine, and the operator does not allow it', async () => {
    await open(30_000, false);
    expect(refusal(() => connect('client'))).toMatchObject({
      reason: 'git_http_not_allowed',
      field: '/values/token_url',
    });
  });
});
