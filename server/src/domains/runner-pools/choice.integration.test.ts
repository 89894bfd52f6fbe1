import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { writeFakeTool } from '../../../test/fake-tool.ts';
import { type GitHost, startGitHost } from '../../../test/git-fixture.ts';
import { startTestServer, type TestServer, tempDir } from '../../../test/harness.ts';
import { seedPlan } from '../../../test/ledger-rows.ts';
import { requestInstallation } from '../../../test/requests/installations.ts';
import { requestSources } from '../../../test/requests/sources.ts';
import { runnerPoolsOn } from '../../../test/runner-machines.ts';
import { systemClock } from '../../kernel/clock.ts';
import { createCapsulesStore } from '../capsules/store.ts';

let server: TestServer;
let git: GitHost;
let capsuleId: string;
let office: string;
let site: string;
const toolDir = tempDir();
beforeAll(async () => {
  const env = { GROUNDCTL_TOOL_PATH: writeFakeTool(toolDir), GROUNDCTL_NATS_URL: 'nats://127.0.0.1:1' };
  [server, git] = await Promise.all([startTestServer({ env }), startGitHost()]);
  git.repository('plain', { 'main.tf': 'output "a" { value = 1 }\n' }).git('tag', 'v1.0.0');
  await requestSources(server, git.url('plain'));
  capsuleId = await requestInstallation(server, git.url('plain'));
  const create = async (name: string) => (await server.api.createRunnerPool({ body: { name } })).body.runnerPool.id;
  [office, site] = [await create('Office'), await create('Site')];
});
afterAll(async () => {
  await Promise.all([server.close(), git.close()]);
  fs.rmSync(toolDir, { recursive: true });
});

const allow = (poolIds: string[], defaultPoolId = 'local') =>
  server.api.setWorkspaceRunnerPools({
    params: { workspaceId: server.workspaceId },
    body: { poolIds, defaultPoolId },
  });
const choose = (runnerPoolId: string | null) =>
  server.api.updateCapsule({ params: { capsuleId }, body: { runnerPoolId } });
const plan = async (body: { runnerId?: string } = {}) =>
  (await server.api.planCapsule({ params: { capsuleId }, body })).body.run;
const reasonOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    ({ details }: { details?: { reason?: string } }) => details?.reason,
  );

beforeEach(async () => {
  await choose(null);
  await allow([office, site]);
});

describe('a plan', () => {
  it('goes to the pool of the request, else of the Capsule, else of the Workspace, else to `local`', async () => {
    expect((await plan()).runnerPoolId).toBe('local');
    await allow([office, site], office);
    expect((await plan()).runnerPoolId).toBe(office);
    await choose(site);
    expect((await plan()).runnerPoolId).toBe(site);
    expect((await plan({ runnerId: office })).runnerPoolId).toBe(office);
    expect((await plan({ runnerId: 'local' })).runnerPoolId).toBe('local');
    await choose('local');
    expect((await plan()).runnerPoolId).toBe('local');
  });

  it('waits in a pool without a live machine', async () => {
    const { id: runId } = await plan({ runnerId: site });
    const local = await plan();
    await server.ended(local.id);
    expect((await server.api.getRun({ params: { runId } })).body.run).toMatchObject({
      status: 'queued',
      runnerPoolId: site,
    });
  });

  it('is refused for a pool that the Workspace may not use, and for other texts as before', async () => {
    await choose(site);
    await allow([office]);
    expect(await reasonOf(plan())).toBe('runner_pool_not_allowed');
    expect(await reasonOf(plan({ runnerId: site }))).toBe('runner_pool_not_allowed');
    expect((await plan({ runnerId: office })).runnerPoolId).toBe(office);
    const { status, json } = await server.request('POST', `/api/v1/capsules/${capsuleId}/plan`, { runnerId: 'remote' });
    expect([status, json]).toMatchObject([400, { error: { code: 'invalid_request' } }]);
  });

  it('is refused in a pool while its Capsule may write to folders of the machine of the server', async () => {
    const setPaths = (paths: string | null) =>
      server.ledger((db) => db.sqlite.prepare('UPDATE capsules SET writable_paths = ?').run(paths));
    setPaths(JSON.stringify(['/srv/media']));
    expect(await reasonOf(plan({ runnerId: office }))).toBe('runner_pool_without_folders');
    expect((await plan()).runnerPoolId).toBe('local');
    setPaths(null);
    expect((await plan({ runnerId: office })).runnerPoolId).toBe(office);
  });
});

describe('an apply', () => {
  const seed = () => {
    const capsule = server.ledger((db) => createCapsulesStore(db).findCapsule(capsuleId));
    if (!capsule) throw new Error('the Capsule is missing');
    return seedPlan(server, capsule, { runnerPool: office });
  };
  const apply = (runId: string) => server.api.applyRun({ params: { runId }, body: {} });

  it('takes the pool of its plan, whatever the Capsule has chosen since', async () => {
    const { id } = seed();
    await choose(site);
    expect((await apply(id)).body.run).toMatchObject({ type: 'apply', status: 'queued', runnerPoolId: office });
  });

  it('is refused when the pool was withdrawn after its plan', async () => {
    const { id } = seed();
    await allow([site]);
    expect(await reasonOf(apply(id))).toBe('runner_pool_not_allowed');
  });
});

it('refuses a pool while no NATS server is configured, and not `local`', () => {
  server.ledger((db) => {
    const { poolOf } = runnerPoolsOn(db, systemClock, { isConfigured: false });
    const capsule = { workspaceId: server.workspaceId, runnerPoolId: office };
    const refused = { details: { reason: 'runners_not_configured' } };
    expect(() => poolOf(capsule, undefined)).toThrow(expect.objectContaining(refused));
    expect(poolOf(capsule, 'local')).toBe('local');
  });
});

it('plans and applies in a pool when the server has no tool, and refuses only `local`', async () => {
  fs.rmSync(path.join(toolDir, 'tofu'));
  await server.restart();
  const { runner } = (await server.api.getCapabilities({})).body;
  expect(runner).toMatchObject({ available: false, unavailableReason: expect.stringContaining('in the pool `local`') });
  await expect(plan()).rejects.toMatchObject({ status: 503, code: 'runner_unavailable' });
  expect(await plan({ runnerId: office })).toMatchObject({ status: 'queued', runnerPoolId: office });
});
