import fs from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { NewConnection } from '#server/domains/connections/index';
import type { Run } from '#shared/runs/contract';
import {
  issuedRecipe,
  issueSilently,
  mintedCanary,
  serviceToken,
  startCredentialService,
  type TestCredentialService,
  writeServiceFiles,
  wrongAnswers,
} from '../../../test/credential-service.ts';
import { heldClock } from '../../../test/harness.ts';
import { acme, mintedRuns, waitFor } from '../../../test/minted-runs.ts';
import { openScheduleFixture, type ScheduleFixture, scheduleTool } from '../../../test/schedule-fixture.ts';
import { applyOutcome, planOutcome } from '../../../test/scripted-runner.ts';

const recipe = issuedRecipe('acme', 'ACME_TOKEN', ['acme/cloud']);
/** Longer than any answer takes; a test of a service that hangs opens a fixture of its own. */
const patientMs = 30_000;
let fixture: ScheduleFixture;
let service: TestCredentialService;
let clock: ReturnType<typeof heldClock>;

async function open(credentialAnswerMs = patientMs): Promise<void> {
  await fixture?.close();
  clock = heldClock(Date.now());
  fixture = await openScheduleFixture(clock, { providers: [acme], credentialAnswerMs });
  writeServiceFiles(fixture.dataDir, { recipe, service });
}
beforeEach(async () => {
  service = await startCredentialService();
  await open();
});
afterEach(async () => {
  await fixture.close();
  await service.close();
  (fixture as unknown) = undefined;
});

const connect = (more: Partial<NewConnection> = {}): string => {
  const body = { provider: 'acme/cloud', credentialRecipe: { id: 'acme', authMode: 'issued' }, values: {}, ...more };
  return fixture.domains.connections.create(body, 'operator').id;
};
const runs = mintedRuns(() => fixture);
const { plan, runOf, isHandedOver, specOf, planned, failed, countRows, stored } = runs;
const bound = (connectionId = connect()): string => runs.bound(connectionId);
const apply = (runId: string): Run =>
  fixture.domains.applies.apply(runId, { actorId: fixture.owner, tool: scheduleTool }).run;
const forbid = (providerCredentials: object) =>
  fixture.domains.workspaces.updateWorkspace(fixture.workspaceId, { policy: { providerCredentials } }, fixture.owner);
const nothingPending = () => waitFor(() => countRows('credential_issuances')).toBe(0);
const tries = () => fixture.db.sqlite.prepare('SELECT tries FROM credential_issuances').pluck().get();
/** Waits for the end of the first attempt to revoke, and attempts it again an hour later. */
async function nothingPendingLater(): Promise<void> {
  await waitFor(() => tries() === 0).toBe(false);
  clock.advance(3_600_000);
  fixture.domains.connections.revocations.start();
  await nothingPending();
}
const countDeletes = () => service.requests.filter(({ method }) => method === 'DELETE').length;
describe('credentials of a credential service', () => {
  test('are requested for each Run, given to its tool, and revoked once after it', async () => {
    const capsuleId = bound();
    const run = await planned(capsuleId);
    await nothingPending();
    const planKey = `${run.id}:plan`;
    expect((await specOf(run)).credentials).toEqual({
      env: { ACME_TOKEN: mintedCanary(planKey) },
      files: [],
      providers: [],
      secrets: [mintedCanary(planKey)],
    });
    const [request] = service.requests;
    expect(request).toMatchObject({
      method: 'POST',
      path: '/credentials',
      headers: { 'idempotency-key': planKey, authorization: `Bearer ${serviceToken}` },
    });
    expect(JSON.parse(request?.body ?? '')).toEqual({
      kind: 'svc.run-credential-request@v1',
      context: 'capsule-run.v1',
      workspaceId: fixture.workspaceId,
      capsuleId,
      runId: run.id,
      phase: 'plan',
      audience: 'https://cloud.example',
      scopes: ['deploy'],
    });
    const applyRun = apply(run.id);
    const spec = await specOf(applyRun);
    // The reviewed plan contains what its own Run got.
    expect(spec.credentials?.secrets).toEqual([mintedCanary(`${applyRun.id}:apply`), mintedCanary(planKey)]);
    expect(service.revoked).toEqual(['lease/1']);
    const leak = { type: 'string', value: mintedCanary(`${applyRun.id}:apply`) };
    fixture.runner.say(applyRun.id, {
      t: 'spawned',
      at: 0,
      command: 'apply',
      identity: { pid: 2, startTime: '', bootId: '' },
    });
    fixture.runner.end(applyRun.id, applyOutcome(spec, true, { leak }));
    await waitFor(() => runOf(applyRun).status).toBe('succeeded');
    await nothingPending();
    expect(service.revoked).toEqual(['lease/1', 'lease/2']);
    expect(countDeletes()).toBe(2);
    expect(service.requests.at(-1)?.path).toBe('/credentials/lease%2F2');
    expect(countRows('run_credentials')).toBe(0);
    expect(stored()).not.toContain('canary-');
  });

  test('are deleted when their Capsule is destroyed', async () => {
    const capsuleId = bound();
    const applied = async (planRun: Run) => {
      const run = apply(planRun.id);
      const spec = await specOf(run);
      const identity = { pid: 2, startTime: '', bootId: '' };
      fixture.runner.say(run.id, { t: 'spawned', at: 0, command: 'apply', identity });
      fixture.runner.end(run.id, applyOutcome(spec, true, {}));
      await waitFor(() => runOf(run).status).toBe('succeeded');
      return run;
    };
    await applied(await planned(capsuleId));
    expect(countRows('minted_secrets')).toBe(2);
    const input = { actorId: fixture.owner, tool: scheduleTool, type: 'destroy_plan' as const };
    const destroyPlan = fixture.domains.plans.createPlan(capsuleId, input);
    fixture.runner.end(destroyPlan.id, planOutcome(await specOf(destroyPlan)));
    await waitFor(() => runOf(destroyPlan).status).toBe('waiting_approval');
    fixture.domains.plans.approve(destroyPlan.id, { actorId: fixture.owner });
    const destroy = await applied(destroyPlan);
    expect([...service.issued.keys()].slice(-2)).toEqual([`${destroyPlan.id}:plan`, `${destroy.id}:destroy`]);
    expect(countRows('minted_secrets')).toBe(0);
    const types = fixture.domains.runs.feed
      .listKind(destroy.id, 'audit', { after: 0, limit: 100 })
      .map(({ payload }) => String(payload['type']));
    expect(types.filter((type) => type.startsWith('runtime_secret.'))).toEqual([
      'runtime_secret.retirement.pending',
      'runtime_secret.retirement.completed',
    ]);
    await nothingPending();
  });

  test('are recorded as a use of the Connection, by name', async () => {
    const connectionId = connect();
    const run = await planned(bound(connectionId));
    expect(fixture.domains.connections.listUses(connectionId, {}).uses).toMatchObject([
      { runId: run.id, names: ['ACME_TOKEN'] },
    ]);
  });

  test('have the audience and scopes of the Connection, when it names some', async () => {
    const providerSettings = { audience: 'https://other.example', scopes: ['read', 'write'] };
    await planned(bound(connect({ scopeHints: { providerSettings } })));
    expect(JSON.parse(service.requests[0]?.body ?? '')).toMatchObject(providerSettings);
  });

  test('of two Connections with different settings in one Run have different keys', async () => {
    const west = { ...acme, childAlias: 'west' };
    await fixture.close();
    fixture = await openScheduleFixture(clock, { providers: [acme, west], credentialAnswerMs: patientMs });
    const twice = issuedRecipe('acme', 'ACME_TOKEN', ['acme/cloud']);
    const arguments_ = { token: { from: 'generated', name: 'ACME_TOKEN' } };
    Object.assign(twice.authModes.issued, { providerArguments: arguments_ });
    writeServiceFiles(fixture.dataDir, { recipe: twice, service });
    const { id } = fixture.makeCapsule();
    const bind = (connectionId: string, childAlias?: string) => ({
      provider: 'acme/cloud',
      moduleLocalName: 'cloud',
      ...(childAlias && { childAlias }),
      connectionId,
    });
    const second = connect({ scopeHints: { providerSettings: { audience: 'https://b.example' } } });
    fixture.domains.bindings.replace(fixture.domains.capsules.getRow(id), [bind(connect()), bind(second, 'west')]);
    const run = plan(id);
    const { credentials } = await specOf(run);
    expect([...service.issued.keys()]).toEqual([`${run.id}:plan`, `${run.id}:plan:2`]);
    expect(credentials?.env).toEqual({});
    expect(credentials?.providers.map((one) => one.arguments)).toEqual(
      [...service.issued.keys()].map((key) => ({ token: mintedCanary(key) })),
    );
    fixture.runner.end(run.id, planOutcome(await specOf(run)));
    await nothingPending();
    expect(service.revoked).toEqual(['lease/1', 'lease/2']);
  });
});

describe('a credential service that', () => {
  test.each([
    ['refuses', 'credential_mint_failed', /refused to issue credentials for this Run \(status 403\)/],
    ['is busy', 'credential_service_unavailable', /answered with status 503/],
    ['hangs up', 'credential_service_unavailable', /did not answer/],
    ['redirects', 'credential_mint_failed', /status 307/],
    ['answers without JSON', 'credential_mint_failed', /has no id/],
    ['repeats a member', 'credential_mint_failed', /has no id/],
    ['answers with an empty body', 'credential_mint_failed', /has no id/],
    ['answers too much', 'credential_mint_failed', /too large/],
    ['speaks another protocol', 'credential_service_unavailable', /did not answer/],
  ] as const)('%s ends the Run before anything starts', async (how, code, message) => {
    service.post = wrongAnswers[how];
    const run = plan(bound());
    const end = await failed(run);
    expect(end).toEqual({ code, message: expect.stringMatching(message) });
    expect(end.message).toMatch(/bound to cloud .*[.]$/);
    expect(end.message).not.toContain('canary');
    expect([isHandedOver(run), countRows('run_credentials')]).toEqual([false, 0]);
    service.post = undefined;
    await nothingPendingLater();
    // What the service may have issued was found out and revoked; nothing else was.
    expect(service.revoked).toEqual([...service.issued.values()]);
    expect(stored()).not.toContain('canary-');
  });

  const past = new Date(0).toISOString();
  const jwt = (aud: unknown) => `eyJhbGciOiJub25lIn0.${Buffer.from(JSON.stringify({ aud })).toString('base64url')}.`;
  test.each([
    ['has no id', { id: undefined }, /has no id/, false],
    ['has an id that leads elsewhere', { id: '..' }, /has no id/, false],
    ['has no values', { values: {} }, /no valid values/, true],
    ['has values of another type', { values: { token: 5 } }, /no valid values/, true],
    ['has a list of values', { values: ['x'] }, /no valid values/, true],
    ['has a value that is too long', { values: { token: 'x'.repeat(70_000) } }, /no valid values/, true],
    ['has no expiry', { expiresAt: undefined }, /no valid expiry/, true],
    ['has an expiry that is not a time', { expiresAt: 'tomorrow' }, /no valid expiry/, true],
    ['has expired', { expiresAt: past }, /expired already/, true],
    ['names a foreign audience', { audience: 'https://evil.example' }, /another audience/, true],
    [
      'has a token for a foreign audience',
      { values: { token: jwt('https://evil.example') } },
      /another audience/,
      true,
    ],
    ['lacks the value of the recipe', { values: { other: 'canary-other' } }, /lack a value/, true],
  ])(
    'answers with a credential that %s ends the Run, and the credential is revoked',
    async (_, members, message, isNamed) => {
      service.answerMembers = members;
      const run = plan(bound());
      expect(await failed(run)).toEqual({
        code: 'credential_mint_failed',
        message: expect.stringMatching(message),
      });
      expect(isHandedOver(run)).toBe(false);
      if (isNamed) await nothingPending();
      expect(service.revoked).toEqual(isNamed ? ['lease/1'] : []);
      // A credential without a name is revoked once the service names it.
      service.answerMembers = {};
      await nothingPendingLater();
      expect(service.revoked).toEqual(['lease/1']);
      expect(stored()).not.toContain('canary-');
    },
  );

  test.each([
    ['names the audience', { audience: ['https://cloud.example'] }],
    ['has a token for the audience', { values: { token: jwt(['x', 'https://cloud.example']) } }],
    ['has a token without an audience', { values: { token: jwt(undefined) } }],
  ])('answers with a credential that %s is used', async (_, members) => {
    service.answerMembers = members;
    await planned(bound());
  });

  test('hangs ends the Run when the time is over, and a late credential is revoked', async () => {
    await open(300);
    service.post = () => undefined;
    const run = plan(bound());
    expect((await failed(run)).code).toBe('credential_service_unavailable');
    expect(isHandedOver(run)).toBe(false);
    service.post = undefined;
    await nothingPendingLater();
    expect([[...service.issued.keys()], service.revoked]).toEqual([[`${run.id}:plan`], ['lease/1']]);
  });

  test('answers late ends the Run, and its credential is revoked', async () => {
    await open(300);
    service.post = issueSilently(service);
    const run = plan(bound());
    expect((await failed(run)).code).toBe('credential_service_unavailable');
    service.post = undefined;
    await nothingPendingLater();
    expect(service.revoked).toEqual(['lease/1']);
  });

  test('is not reachable ends the Run, and nothing is left to revoke', async () => {
    await service.close();
    const run = plan(bound());
    expect((await failed(run)).code).toBe('credential_service_unavailable');
    expect(countRows('credential_issuances')).toBe(0);
  });

  test.each(['acme.json', 'token'])('lost its file %s ends the Run', async (name) => {
    const capsuleId = bound();
    fs.rmSync(path.join(fixture.dataDir, 'credential-services', name));
    expect((await failed(plan(capsuleId))).code).toBe('credential_service_unavailable');
    expect(countRows('credential_issuances')).toBe(0);
  });
});

describe('a policy', () => {
  const inHours = (hours: number) => ({ expiresAt: new Date(clock.now() + hours * 3_600_000).toISOString() });
  test.each([
    ['temporary credentials', { requireTemporary: true }, 48, undefined],
    ['an enforced lifetime', { requireTtlEnforced: true }, 23, undefined],
    ['an enforced lifetime', { requireTtlEnforced: true }, 25, 'credential_policy_failed'],
  ])('that asks for %s (%o) judges credentials that live %i hours', async (_, policy, hours, code) => {
    service.answerMembers = inHours(hours);
    const capsuleId = bound();
    forbid(policy);
    if (code === undefined) return void (await planned(capsuleId));
    expect(await failed(plan(capsuleId))).toEqual({ code, message: expect.stringMatching(/live longer/) });
    await nothingPending();
    expect(service.revoked).toEqual(['lease/1']);
  });
});

describe('the revocation', () => {
  const revocations = () => fixture.domains.connections.revocations;
  async function retryAfter(ms: number, deletes: number): Promise<void> {
    clock.advance(ms);
    revocations().start();
    await waitFor(countDeletes).toBe(deletes);
    await waitFor(() => [deletes, undefined].includes(tries() as number | undefined)).toBe(true);
  }

  test('is repeated until the service has done it', async () => {
    service.delete = (response) => void response.writeHead(500).end();
    await planned(bound());
    await waitFor(countDeletes).toBe(1);
    await waitFor(tries).toBe(1);
    revocations().start();
    await fixture.settle();
    expect(countDeletes()).toBe(1);
    await retryAfter(2_000, 2);
    service.delete = undefined;
    await retryAfter(10_000, 3);
    await nothingPending();
    expect(service.revoked).toEqual(['lease/1']);
  });

  test('counts a credential that the service no longer knows as revoked', async () => {
    service.delete = (response) => void response.writeHead(404).end();
    await planned(bound());
    await nothingPending();
    expect(countDeletes()).toBe(1);
  });

  test('is given up after a day', async () => {
    service.delete = (response) => void response.writeHead(403).end();
    await planned(bound());
    await waitFor(countDeletes).toBe(1);
    await waitFor(tries).toBe(1);
    await retryAfter(24 * 3_600_000, 2);
    await nothingPending();
  });

  test('happens after a cancellation, also of a Run that waits for the service', async () => {
    service.post = issueSilently(service);
    const run = plan(bound());
    await service.arrived('POST', 1);
    // Only the request that has arrived stays unanswered: the revocation may follow before the Run is seen to end.
    service.post = undefined;
    const caller = { principal: { kind: 'operator' } } as never;
    fixture.domains.cancel(run.id, caller, { interrupt: false } as never);
    await waitFor(() => runOf(run).status).toBe('cancelled');
    expect(isHandedOver(run)).toBe(false);
    await nothingPending();
    expect(service.revoked).toEqual(['lease/1']);
  });

  test('waits while the Run is started again, which uses the same credentials', async () => {
    const capsuleId = bound();
    const run = plan(capsuleId);
    await specOf(run);
    fixture.runner.lose(run.id);
    await waitFor(() => service.requests.length).toBe(2);
    await waitFor(() => fixture.runner.startedRuns.get(run.id)?.isAlive).toBe(true);
    expect(countDeletes()).toBe(0);
    fixture.runner.end(run.id, planOutcome(await specOf(run)));
    await nothingPending();
    expect([service.issued.size, service.revoked, countDeletes()]).toEqual([1, ['lease/1'], 1]);
  });

  test('survives a stop of the server, in a request and after it', async () => {
    service.post = issueSilently(service);
    const run = plan(bound());
    await service.arrived('POST', 1);
    await fixture.restart();
    service.post = undefined;
    fixture.runner.end(run.id, planOutcome(await specOf(run)));
    service.delete = () => undefined;
    await waitFor(countDeletes).toBe(1);
    await fixture.restart();
    service.delete = undefined;
    await nothingPending();
    expect([service.issued.size, service.revoked]).toEqual([1, ['lease/1']]);
  });

  test('follows a Connection that was revoked while the service answered', async () => {
    const connectionId = connect();
    const run = plan(bound(connectionId));
    fixture.domains.connections.revoke(connectionId, 'operator');
    expect(await failed(run)).toMatchObject({ code: expect.stringMatching(/^provider_connection_/) });
    await nothingPending();
    expect(service.revoked).toEqual([...service.issued.values()]);
  });
});
