import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { groundctl } from '../../../test/command-line.ts';
import { startTestServer, type TestServer, testKeyFile } from '../../../test/harness.ts';
import { seedCapsule, seedPlan, seedRun } from '../../../test/ledger-rows.ts';
import { markRestored, restartRestored, signInAgain } from '../../../test/restored-fixture.ts';
import { makeToken } from '../../../test/tokens.ts';

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer();
  vi.stubEnv('GROUNDCTL_KEY_FILE', testKeyFile(server.dataDir));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server.close();
});

const count = (query: string) => server.ledger(({ sqlite }) => sqlite.prepare(query).pluck().get());
const statusOf = async (work: Promise<unknown>) =>
  work.then(
    () => 200,
    (error: { status: number }) => error.status,
  );

describe('the first start of a restored installation', () => {
  it('cancels queued Runs and fails running ones', async () => {
    const capsule = await seedCapsule(server);
    const queued = seedRun(server, { capsuleId: capsule.id });
    const running = seedRun(server, { type: 'drift_check', capsuleId: capsule.id, moves: ['claim'] });
    const sync = seedRun(server, { type: 'source_sync', sourceId: capsule.sourceId, moves: ['claim'] });
    const api = await restartRestored(server);
    const statusOfRun = async (runId: string) => (await api.getRun({ params: { runId } })).body.run;
    expect(await statusOfRun(queued.id)).toMatchObject({ status: 'cancelled' });
    expect(await statusOfRun(running.id)).toMatchObject({ status: 'failed', errorCode: 'plan_failed' });
    expect(await statusOfRun(sync.id)).toMatchObject({ status: 'failed', errorCode: 'source_sync_failed' });
    const { diagnostics } = (await api.getRunLogs({ params: { runId: running.id } })).body;
    expect(diagnostics[0]?.message).toContain('running at the moment of the backup');
    expect(await listActions()).toEqual(
      expect.arrayContaining(['run.cancelled', 'run.failed', 'installation.restored']),
    );
  });

  it('ends a running apply as after a crash, even when the ledger does not know that it started its tool', async () => {
    const capsule = await seedCapsule(server, { status: 'active', runtimeSafety: 'safe' });
    const plan = seedPlan(server, capsule);
    const apply = seedRun(server, {
      type: 'apply',
      capsuleId: capsule.id,
      planRunId: plan.id,
      executionAuthorityEpoch: 1,
      baseStateGeneration: 0,
      input: { installConfigId: capsule.installConfigId },
      moves: ['claim'],
    });
    const api = await restartRestored(server);
    const { run } = (await api.getRun({ params: { runId: apply.id } })).body;
    expect(run).toMatchObject({ status: 'failed', errorCode: 'run_execution_lease_lost' });
    const { diagnostics, auditEvents } = (await api.getRunLogs({ params: { runId: apply.id } })).body;
    expect(diagnostics.map(({ message }) => message).join()).toContain('after that moment are not in the state');
    expect(auditEvents.at(-1)).toMatchObject({ type: 'apply.failed', data: { providerDispatched: true } });
    expect((await api.getCapsule({ params: { capsuleId: capsule.id } })).body.capsule).toMatchObject({
      status: 'error',
      runtimeSafety: 'unknown',
      executionAuthorityEpoch: 2,
    });
  });

  it('supersedes open plans, which can then neither be approved nor applied', async () => {
    const capsule = await seedCapsule(server);
    const waiting = seedPlan(server, capsule, { moves: ['claim', 'requestApproval'] });
    const other = await seedCapsule(server);
    const ready = seedPlan(server, other);
    const gone = await seedCapsule(server, { status: 'destroyed' });
    const api = await restartRestored(server);
    for (const { id } of [waiting, ready]) {
      const { run } = (await api.getRun({ params: { runId: id } })).body;
      expect(run.superseded).toMatchObject({ reason: 'authority_epoch' });
    }
    await expect(api.approveRun({ params: { runId: waiting.id }, body: {} })).rejects.toMatchObject({
      details: { reason: 'plan_superseded' },
    });
    const epochs = 'SELECT group_concat(execution_authority_epoch) FROM capsules WHERE status';
    expect(count(`${epochs} = 'pending'`)).toBe('2,2');
    expect((await api.getCapsule({ params: { capsuleId: gone.id } })).body.capsule.executionAuthorityEpoch).toBe(1);
    expect((await api.getInstallation({})).body.installation.ended).toMatchObject({ supersededPlans: 2 });
  });

  it('ends sessions, links, invitations and tokens of every account', async () => {
    const other = await server.join('admin');
    const { token } = await makeToken(server, { scopes: ['read'] });
    const operator = server.as(server.operatorToken);
    const { url } = (await operator.issueSignInLink({ body: {} })).body;
    const params = { workspaceId: server.workspaceId };
    const { invitation } = (await server.api.addMember({ params, body: { email: 'ada@example.com', role: 'viewer' } }))
      .body;
    const api = await restartRestored(server);
    expect(await statusOf(other.api.listWorkspaces({}))).toBe(401);
    expect(await statusOf(server.api.listWorkspaces({}))).toBe(401);
    expect(await statusOf(server.as(token).listWorkspaces({}))).toBe(401);
    const secretOf = (link = '') => link.split('#')[1] ?? '';
    expect(await statusOf(server.api.linkSession({ body: { token: secretOf(url) } }))).toBe(401);
    expect(await statusOf(server.api.inspectInvitation({ body: { token: secretOf(invitation?.url) } }))).toBe(404);
    const { ended } = (await api.getInstallation({})).body.installation;
    expect(ended).toMatchObject({ sessions: 2, signInLinks: 1, invitations: 1, tokens: 1 });
    expect(count('SELECT count(*) FROM oidc_grants')).toBe(0);
  });

  it('is recorded and not repeated by the next starts', async () => {
    const capsule = await seedCapsule(server);
    seedPlan(server, capsule);
    await restartRestored(server);
    const epoch = 'SELECT execution_authority_epoch FROM capsules';
    expect(count(epoch)).toBe(2);
    await server.restart();
    await server.restart();
    expect(count(epoch)).toBe(2);
    const actions = await listActions();
    expect(actions.filter((action) => action === 'installation.restored')).toHaveLength(1);
    const { out } = await groundctl('audit', 'verify', '--data-dir', server.dataDir);
    expect(out).toContain('rows checked');
    expect(out).not.toContain('BROKEN');
  });

  it('happens again after another restore, also of a backup that was made during the pause', async () => {
    await restartRestored(server);
    markRestored(server, '2030-02-01T00:00:00.000Z');
    await server.restart();
    const { installation } = (await (await signInAgain(server)).getInstallation({})).body;
    expect(installation).toMatchObject({ paused: true, restored: { restoredAt: '2030-02-01T00:00:00.000Z' } });
    const actions = await listActions();
    expect(actions.filter((action) => action === 'installation.restored')).toHaveLength(2);
  });

  it('does not happen in an installation that was never restored', async () => {
    await server.restart();
    const { installation } = (await server.api.getInstallation({})).body;
    expect(installation).toMatchObject({ paused: false, off: [], review: { members: 1, connections: 0 } });
    expect(installation.restored).toBeUndefined();
  });
});

/** Actions of the trail, oldest first. */
async function listActions() {
  const { events } = (await server.as(server.operatorToken).listAudit({ query: {} })).body;
  return events.map(({ action }) => action).reverse();
}
