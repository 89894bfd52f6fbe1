import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { NewConnection } from '#server/domains/connections/index';
import type { ProviderBinding } from '#shared/provider-bindings/contract';
import type { Run } from '#shared/runs/contract';
import type { PolicyConfig } from '#shared/workspaces/contract';
import { awsBody, canary } from '../../../test/connection-bodies.ts';
import { heldClock } from '../../../test/harness.ts';
import { openScheduleFixture, type ScheduleFixture, scheduleTool } from '../../../test/schedule-fixture.ts';
import { applyOutcome, planOutcome } from '../../../test/scripted-runner.ts';

const aws = { source: 'registry.opentofu.org/hashicorp/aws', moduleLocalName: 'aws' };
let fixture: ScheduleFixture;
let clock: ReturnType<typeof heldClock>;
beforeEach(async () => {
  clock = heldClock();
  fixture = await openScheduleFixture(clock, { providers: [aws, { ...aws, childAlias: 'west' }] });
});
afterEach(() => fixture.close());

const connect = (more: Partial<NewConnection> = {}): string =>
  fixture.domains.connections.create({ ...awsBody(fixture.workspaceId), ...more }, fixture.owner).id;
const other = { AWS_ACCESS_KEY_ID: canary('other-id'), AWS_SECRET_ACCESS_KEY: canary('other-key') };
const bind = (connectionId: string, childAlias?: string): ProviderBinding => ({
  provider: 'hashicorp/aws',
  moduleLocalName: 'aws',
  ...(childAlias && { childAlias }),
  connectionId,
});
/** Creates a Capsule with these bindings. */
function bound(...bindings: ProviderBinding[]): string {
  const { id } = fixture.makeCapsule();
  fixture.domains.bindings.replace(fixture.domains.capsules.getRow(id), bindings);
  return id;
}
const plan = (capsuleId: string): Run =>
  fixture.domains.plans.createPlan(capsuleId, { actorId: fixture.owner, tool: scheduleTool });
const apply = (runId: string): Run =>
  fixture.domains.applies.apply(runId, { actorId: fixture.owner, tool: scheduleTool }).run;
const runOf = ({ id }: { id: string }): Run => fixture.domains.runs.getRun(id);
const findScripted = ({ id }: { id: string }) => fixture.runner.startedRuns.get(id);
function specOf(run: { id: string }) {
  const taken = findScripted(run);
  if (!taken) throw new Error('the Run was not started');
  return taken.spec;
}
async function startPlan(capsuleId: string): Promise<Run> {
  const run = plan(capsuleId);
  await fixture.settle();
  return run;
}
async function planned(capsuleId: string, more: object = {}): Promise<Run> {
  const run = await startPlan(capsuleId);
  fixture.runner.end(run.id, { ...planOutcome(specOf(run)), ...more });
  await fixture.settle();
  return runOf(run);
}
async function applied(run: Run, outputs: object = {}): Promise<Run> {
  const applyRun = apply(run.id);
  await fixture.settle();
  const identity = { pid: 2, startTime: '', bootId: '' };
  fixture.runner.say(applyRun.id, { t: 'spawned', at: 0, command: 'apply', identity });
  fixture.runner.end(applyRun.id, applyOutcome(specOf(applyRun), true, outputs));
  await fixture.settle();
  return runOf(applyRun);
}
function refusal(work: () => unknown): [string | undefined, Record<string, unknown>] {
  try {
    work();
  } catch (error) {
    const { reason, ...details } = (error as { details: Record<string, unknown> }).details;
    return [reason as string, details];
  }
  return [undefined, {}];
}
const noticesOf = (run: { id: string }) =>
  fixture.domains.runs.feed
    .listKind(run.id, 'diagnostic', { after: 0, limit: 100 })
    .map(({ payload }) => [payload['severity'], payload['code'], payload['message']]);
const countStoredRows = () => fixture.db.sqlite.prepare('SELECT count(*) FROM run_credentials').pluck().get();
const secrets = [canary('id'), canary('key')];

describe('a plan', () => {
  test('receives its bindings, records the issued names, and keeps nothing when it has ended', async () => {
    const connectionId = connect();
    const run = await startPlan(bound(bind(connectionId)));
    expect(specOf(run).credentials).toEqual({
      env: { AWS_ACCESS_KEY_ID: canary('id'), AWS_SECRET_ACCESS_KEY: canary('key') },
      files: [],
      providers: [],
      secrets,
    });
    expect(runOf(run).providerResolutions).toMatchObject([
      { status: 'resolved_provider_connection', connectionId, requirement: { providerName: 'aws' } },
    ]);
    expect(runOf(run)).toMatchObject({
      runEnvironmentEvidenceDigest: expect.stringMatching(/^sha256:/),
      redactionProfileId: 'svc.redaction/v1',
    });
    expect(countStoredRows()).toBe(1);
    const sealed = fixture.db.sqlite.prepare('SELECT sealed FROM run_credentials').pluck().get() as Buffer;
    for (const secret of secrets) expect(sealed.includes(secret)).toBe(false);
    const { uses } = fixture.domains.connections.listUses(connectionId, {});
    const names = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'];
    expect(uses).toMatchObject([{ runId: run.id, capsuleId: run.capsuleId, names }]);
    fixture.runner.end(run.id, planOutcome(specOf(run)));
    await fixture.settle();
    expect(runOf(run)).toMatchObject({
      status: 'succeeded',
      applyExpected: { resolvedProviderBindingsDigest: expect.stringMatching(/^sha256:/) },
    });
    expect(countStoredRows()).toBe(0);
  });

  test('configures two accounts in the blocks of their aliases', async () => {
    const run = await startPlan(bound(bind(connect()), bind(connect({ values: other }), 'west')));
    expect(specOf(run).credentials?.env).toEqual({});
    expect(specOf(run).credentials?.providers).toEqual([
      { localName: 'aws', arguments: { access_key: canary('id'), secret_key: canary('key') }, config: {} },
      {
        localName: 'aws',
        alias: 'west',
        arguments: { access_key: canary('other-id'), secret_key: canary('other-key') },
        config: {},
      },
    ]);
  });

  test('uses a default of a Connection only where the variable is not set', async () => {
    const scopeHints = { moduleInputDefaults: { title: 'theirs', size: 3 } };
    const run = await startPlan(bound(bind(connect({ scopeHints }))));
    // The test module declares only a title, and the installer has set it.
    expect(specOf(run).variables).toEqual({ title: 'one' });
  });

  test('is refused before it is created, with the tuple and the reason', async () => {
    const needy = fixture.makeCapsule().id;
    const tuple = { provider: aws.source, moduleLocalName: 'aws' };
    expect(refusal(() => plan(needy))).toEqual(['provider_connection_setup_required', { ...tuple, why: 'required' }]);
    const connectionId = connect({ expiresAt: new Date(clock.now() + 1_000).toISOString() });
    const west = bound(bind(connectionId, 'west'));
    clock.advance(1_000);
    const details = { ...tuple, childAlias: 'west', connectionId, why: 'expired' };
    expect(refusal(() => plan(west))).toEqual(['provider_connection_not_ready', details]);
    fixture.domains.connections.revoke(connectionId, fixture.owner);
    expect(refusal(() => plan(west))).toEqual(['provider_connection_not_ready', { ...details, why: 'revoked' }]);
  });

  test('with a managed Connection is created where the operator declares exactly its profile, and nowhere else', async () => {
    const scopeHints = { managedProviderProfile: 'cloud.example/v1' };
    const providers = [aws, { ...aws, childAlias: 'west' }];
    expect(refusal(() => plan(bound(bind(connect({ scopeHints })))))).toMatchObject([
      'provider_connection_not_ready',
      { why: 'managed' },
    ]);
    for (const [declared, expected] of [
      ['cloud.example/v2', { why: 'managed' }],
      ['cloud.example/v1', {}],
    ] as const) {
      await fixture.close();
      fixture = await openScheduleFixture(clock, { providers, providerProfiles: [declared] });
      const capsuleId = bound(bind(connect({ scopeHints })));
      expect(refusal(() => plan(capsuleId))[1]).toMatchObject(expected);
    }
    await fixture.settle();
    expect([...fixture.runner.startedRuns.values()].map(({ spec }) => spec.credentials?.secrets)).toEqual([secrets]);
  });

  test('that is queued ends when its Connection is revoked, and nothing starts', async () => {
    const connectionId = connect();
    const capsuleId = bound(bind(connectionId));
    const first = await startPlan(capsuleId);
    const second = plan(capsuleId);
    fixture.domains.connections.revoke(connectionId, fixture.owner);
    const revoked = fixture.domains.activity
      .list(fixture.workspaceId, {})
      .events.find(({ action }) => action === 'connection.revoked');
    expect(revoked?.metadata).toMatchObject({
      heldByRuns: [first.id],
      queuedRuns: [second.id],
      boundCapsules: [capsuleId],
    });
    // The running one continues with its values.
    fixture.runner.end(first.id, planOutcome(specOf(first)));
    await fixture.settle();
    expect(runOf(first).status).toBe('succeeded');
    expect(findScripted(second)).toBeUndefined();
    expect(runOf(second)).toMatchObject({ status: 'failed', errorCode: 'provider_connection_not_ready' });
    const message = 'The Connection bound to aws was revoked. Create a new one and bind that, then plan.';
    expect(noticesOf(second)).toEqual([['error', 'provider_connection_not_ready', message]]);
    expect(countStoredRows()).toBe(0);
  });

  test('that starts again after its supervisor was lost receives the bindings of that time', async () => {
    const connectionId = connect();
    const run = await startPlan(bound(bind(connectionId)));
    fixture.runner.lose(run.id);
    await fixture.settle();
    expect([runOf(run).status, specOf(run).credentials?.secrets, countStoredRows()]).toEqual(['running', secrets, 1]);
    fixture.domains.connections.revoke(connectionId, fixture.owner);
    fixture.runner.lose(run.id);
    await fixture.settle();
    expect(runOf(run)).toMatchObject({ status: 'failed', errorCode: 'provider_connection_not_ready' });
    expect(countStoredRows()).toBe(0);
  });

  test('that a policy blocks is created, reports it, and ends before anything starts', async () => {
    const connectionId = connect();
    const capsuleId = bound(bind(connectionId));
    fixture.db.sqlite
      .prepare('UPDATE workspaces SET policy = ?')
      .run(JSON.stringify({ providerCredentials: { forbiddenConnectionIds: [connectionId] } }));
    const run = await startPlan(capsuleId);
    expect(runOf(run)).toMatchObject({
      status: 'failed',
      errorCode: 'credential_policy_failed',
      providerResolutions: [{ status: 'blocked_policy', blockedReason: 'connection_not_allowed' }],
    });
    expect([findScripted(run), countStoredRows()]).toEqual([undefined, 0]);
  });

  test('of a module that a policy forbids since its check ends before anything is fetched or started', async () => {
    const capsuleId = bound(bind(connect()));
    const policy = { allowedProviders: ['hashicorp/google'] };
    fixture.domains.workspaces.updateWorkspace(fixture.workspaceId, { policy }, fixture.owner);
    const run = await startPlan(capsuleId);
    expect(runOf(run)).toMatchObject({ status: 'failed', errorCode: 'policy_denied', policyStatus: 'deny' });
    const message = `A policy does not allow the provider ${aws.source} here.`;
    expect(noticesOf(run)).toEqual([['error', 'policy_denied', message]]);
    expect([findScripted(run), countStoredRows()]).toEqual([undefined, 0]);
  });

  test('of a module that a policy forbids while it is planned is denied', async () => {
    const run = await startPlan(bound(bind(connect())));
    const policy = { providerInstallation: { requireMirror: true } };
    fixture.domains.workspaces.updateWorkspace(fixture.workspaceId, { policy }, fixture.owner);
    fixture.runner.end(run.id, planOutcome(specOf(run)));
    await fixture.settle();
    expect(runOf(run)).toMatchObject({ status: 'failed', errorCode: 'policy_denied', policyStatus: 'deny' });
  });

  test('with other providers than those last approved requires approval', async () => {
    const capsuleId = bound(bind(connect()));
    expect(await planned(capsuleId)).toMatchObject({ status: 'succeeded', policyStatus: 'pass' });
    for (let turn = 0; turn < 2; turn += 1) {
      // Planned again it is as new as before, because no person has reviewed it.
      const changed = await planned(capsuleId, { lock: 'other', lockDigest: `sha256:${'1'.repeat(64)}` });
      expect(changed).toMatchObject({ status: 'waiting_approval', policyStatus: 'warn', requiresApproval: true });
      expect(noticesOf(changed)).toEqual([
        ['warning', 'provider_lock_changed', expect.stringMatching(/lock file, then approve/)],
      ]);
      if (turn === 1) fixture.domains.plans.approve(changed.id, { actorId: fixture.owner });
    }
    expect(await planned(capsuleId, { lockDigest: `sha256:${'1'.repeat(64)}` })).toMatchObject({
      policyStatus: 'pass',
    });
  });

  test('that providers could alter while it was read requires approval', async () => {
    const shown = await planned(bound(bind(connect())), { isShownByProviders: true });
    expect(shown).toMatchObject({ status: 'waiting_approval', policyStatus: 'warn', requiresApproval: true });
    expect(noticesOf(shown)).toEqual([['warning', 'plan_read_by_providers', expect.stringMatching(/then approve/)]]);
  });

  test('with a name that can be mistaken for another requires approval', async () => {
    const shown = await planned(bound(bind(connect())), {
      addresses: ['terraform_data.\u0441oco', 'terraform_data.coco'],
    });
    expect(shown).toMatchObject({ status: 'waiting_approval', policyStatus: 'warn', requiresApproval: true });
    expect(noticesOf(shown)).toEqual([['warning', 'plan_names_look_alike', expect.stringContaining('\\u{441}')]]);
  });
});

describe('an apply', () => {
  test('receives the values of its plan, and redacts them in Outputs', async () => {
    const run = await planned(bound(bind(connect())));
    expect(run.providerResolutions).toHaveLength(1);
    const leak = { type: 'string', value: canary('key') };
    const applyRun = await applied(run, { leak, plain: { type: 'string', value: 'x' } });
    expect(specOf(applyRun).credentials?.secrets).toEqual(secrets);
    expect(applyRun).toMatchObject({
      status: 'succeeded',
      providerResolutions: run.providerResolutions,
      runEnvironmentEvidenceDigest: run.runEnvironmentEvidenceDigest,
    });
    const rows = fixture.db.sqlite.prepare('SELECT public_outputs || workspace_outputs FROM outputs').pluck().all();
    expect(rows.join()).not.toContain(canary('key'));
    expect(rows.join()).toContain('plain');
    expect(countStoredRows()).toBe(0);
  });

  const forbid = (policy: PolicyConfig) =>
    fixture.domains.workspaces.updateWorkspace(fixture.workspaceId, { policy }, fixture.owner);
  async function plannedWith(type: string): Promise<Run> {
    const run = await startPlan(bound(bind(connect())));
    const resources = [{ address: `${type}.x`, type, mode: 'managed', providerName: aws.source, actions: ['create'] }];
    fixture.runner.end(run.id, planOutcome(specOf(run), { resources }));
    await fixture.settle();
    return runOf(run);
  }

  test.each<[string, PolicyConfig]>([
    ['its module', { allowedProviders: ['hashicorp/google'] }],
    ['its planned resources', { allowedResourceTypes: ['aws_y'] }],
  ])('is refused when a policy forbids %s since it was planned', async (_what, policy) => {
    const run = await plannedWith('aws_x');
    forbid(policy);
    expect(refusal(() => apply(run.id))[0]).toBe('policy_denied');
    forbid({ allowedResourceTypes: ['aws_x'], allowedProviders: ['aws'] });
    await fixture.settle();
    expect(apply(run.id).status).toBe('queued');
  });

  test('that is queued ends when a policy forbids it, and nothing starts; its Capsule is unchanged', async () => {
    const run = await plannedWith('aws_x');
    const before = fixture.domains.capsules.getRow(run.capsuleId ?? '');
    const applyRun = apply(run.id);
    forbid({ allowedResourceTypes: ['aws_y'] });
    await fixture.settle();
    expect(runOf(applyRun)).toMatchObject({ status: 'failed', errorCode: 'policy_denied' });
    expect(noticesOf(applyRun)).toEqual([['error', 'policy_denied', 'The resource type aws_x is not allowed here.']]);
    expect(findScripted(applyRun)).toBeUndefined();
    expect(fixture.domains.capsules.getRow(before.id).status).toBe(before.status);
  });

  test.each(['revoked', 'expired', 'rebound', 'unbound'])('is refused when a Connection was %s', async (how) => {
    const connectionId = connect({ expiresAt: new Date(clock.now() + 5_000).toISOString() });
    const capsuleId = bound(bind(connectionId));
    const run = await planned(capsuleId);
    const capsule = fixture.domains.capsules.getRow(capsuleId);
    if (how === 'revoked') fixture.domains.connections.revoke(connectionId, fixture.owner);
    else if (how === 'expired') clock.advance(5_000);
    else fixture.domains.bindings.replace(capsule, how === 'rebound' ? [bind(connect())] : []);
    expect(refusal(() => apply(run.id))[0]).toBe('provider_connection_changed');
  });

  test('that is queued ends when its Connection is revoked, and the Capsule is unchanged', async () => {
    const connectionId = connect();
    const run = await planned(bound(bind(connectionId)));
    const applyRun = apply(run.id);
    fixture.domains.connections.revoke(connectionId, fixture.owner);
    await fixture.settle();
    expect(findScripted(applyRun)).toBeUndefined();
    expect(runOf(applyRun)).toMatchObject({ status: 'failed', errorCode: 'provider_connection_changed' });
    expect(fixture.domains.capsules.getRow(run.capsuleId ?? '').status).toBe('pending');
  });

  test('keeps its values over a revoke, a restart and another supervisor, until it has ended', async () => {
    const connectionId = connect();
    const run = await planned(bound(bind(connectionId)));
    const applyRun = apply(run.id);
    await fixture.settle();
    const identity = { pid: 2, startTime: '', bootId: '' };
    fixture.runner.say(applyRun.id, { t: 'spawned', at: 0, command: 'apply', identity });
    await fixture.settle();
    fixture.domains.connections.revoke(connectionId, fixture.owner);
    await fixture.restart();
    fixture.runner.lose(applyRun.id);
    await fixture.settle();
    expect(specOf(applyRun)).toMatchObject({ mode: 'adopt', credentials: { secrets } });
    fixture.runner.end(
      applyRun.id,
      applyOutcome(specOf(applyRun), true, { leak: { type: 'string', value: canary('key') } }),
    );
    await fixture.settle();
    expect(runOf(applyRun).status).toBe('succeeded');
    const rows = fixture.db.sqlite.prepare('SELECT public_outputs || workspace_outputs FROM outputs').pluck().all();
    expect(rows.join()).not.toContain(canary('key'));
    expect(countStoredRows()).toBe(0);
  });

  test('of a plan without Connections is refused when one was bound since', async () => {
    const capsuleId = bound(bind(connect()));
    const run = await planned(capsuleId);
    fixture.db.sqlite.prepare("UPDATE runs SET input = json_remove(input, '$.bound') WHERE id = ?").run(run.id);
    expect(refusal(() => apply(run.id))[0]).toBe('provider_connection_changed');
  });
});
