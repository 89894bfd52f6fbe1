import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GitHost, startGitHost } from '../../../test/git-fixture.ts';
import { startTestServer, type TestServer } from '../../../test/harness.ts';

/* Installations that end without a plan: a person cancels them, or they are abandoned. */

const dayMs = 24 * 3_600_000;
let server: TestServer;
let git: GitHost;
beforeAll(async () => {
  [server, git] = await Promise.all([startTestServer(), startGitHost()]);
  git.repository('plain', { 'main.tf': 'variable "name" { type = string }\n' });
});
afterAll(() => Promise.all([server.close(), git.close()]));

let count = 0;
async function startInstall(): Promise<string> {
  count += 1;
  const body = {
    source: { name: 'Modules', url: git.url('plain'), ref: 'main', path: '.' },
    capsule: { name: `Capsule ${count}`, environment: 'test' },
    variables: { name: 'x' },
  };
  const params = { workspaceId: server.workspaceId };
  return (await server.api.createInstallPlan({ params, body }, { 'idempotency-key': `key ${count}` })).body.installPlan
    .id;
}
const cancel = async (installPlanId: string) =>
  (await server.api.cancelInstallPlan({ params: { installPlanId } })).body;
const read = async (installPlanId: string) => (await server.api.getInstallPlan({ params: { installPlanId } })).body;
const reconcile = async (installPlanId: string) =>
  (await server.api.reconcileInstallPlan({ params: { installPlanId } })).body;
const variablesOf = (id: string) =>
  server.ledger((db) => db.sqlite.prepare('SELECT variables FROM install_plans WHERE id = ?').pluck().get(id));
const entriesOf = async (id: string) => {
  const { body } = await server.api.listActivity({ params: { workspaceId: server.workspaceId }, query: {} });
  return body.events.filter(({ targetId }) => targetId === id).map(({ metadata }) => metadata);
};

describe('a cancelled installation', () => {
  test('has failed, keeps no variables and does not accept further steps', async () => {
    const id = await startInstall();
    await reconcile(id);
    const answer = await cancel(id);
    expect(answer).toMatchObject({
      installPlan: { phase: 'failed', generation: 2, diagnostic: { code: 'install_plan_cancelled' } },
      nextAction: 'none',
    });
    expect(answer.installPlan.completedAt).toBeDefined();
    expect(variablesOf(id)).toBeNull();
    expect(await cancel(id)).toEqual(answer);
    expect(await reconcile(id)).toEqual(answer);
  });

  test('records nothing for a second cancellation', async () => {
    const id = await startInstall();
    await cancel(id);
    await cancel(id);
    const ended = (await entriesOf(id)).filter(({ diagnosticCode }) => diagnosticCode === 'install_plan_cancelled');
    expect(ended).toHaveLength(1);
  });
});

describe('an abandoned installation', () => {
  const age = (id: string, ms: number) =>
    server.ledger((db) =>
      db.sqlite.prepare('UPDATE install_plans SET updated_at = ? WHERE id = ?').run(Date.now() - ms, id),
    );

  test('is ended after seven days, and not before', async () => {
    const [young, old] = [await startInstall(), await startInstall()];
    age(young, 7 * dayMs - 60_000);
    age(old, 7 * dayMs + 1_000);
    await server.restart();
    expect((await read(old)).installPlan).toMatchObject({
      phase: 'failed',
      diagnostic: { code: 'install_plan_expired' },
    });
    expect(variablesOf(old)).toBeNull();
    expect((await read(young)).installPlan.phase).toBe('syncing_source');
  });
});
