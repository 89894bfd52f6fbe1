import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { InstallConfig } from '#shared/install-configs/contract';
import { type FeedEvent, readFeed, settled } from './fixtures/feed.ts';
import { type Harness, type HarnessRepository, startHarness } from './fixtures/harness.ts';
import {
  applyPlan,
  errorsOf,
  getCapsule,
  getRun,
  install,
  installPlanned,
  logsOf,
  outputsOf,
  planAgain,
  reconcile,
  startApply,
  startInstall,
  startPlan,
  takeNewest,
} from './fixtures/journey.ts';

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness?.stop());

/** A page that is rendered by a script of the repository, and a module that shows it. */
const main = `
resource "terraform_data" "page" {
  input = filesha256("\${path.module}/dist/page.html")
}
output "page" {
  value = file("\${path.module}/dist/page.html")
}
`;
const render = `set -eu
mkdir -p dist
title=$(cat title.txt)
printf '<h1>%s</h1>' "$title" >dist/page.html
echo "rendered $title"
`;
const files = { 'main.tf': main, 'render.sh': render, 'title.txt': 'Hello' };
const sourceBuild = { commands: [{ argv: ['sh', 'render.sh'] }], outputs: ['dist/page.html'] };

/** The same build, which waits until a file exists in its copy of the snapshot. */
const waiting = 'while [ ! -e go ]; do sleep 0.05; done';
const held = { ...sourceBuild, commands: [{ argv: ['sh', '-c', waiting] }, ...sourceBuild.commands] };
const openGate = (capsuleId: string): void =>
  writeFileSync(path.join(harness.server.dataDir, 'capsules', capsuleId, 'build/tree/go'), '');

const phasesOf = async (runId: string): Promise<string[]> => {
  const events: FeedEvent[] = [];
  for await (const event of readFeed(harness.server, runId)) events.push(event);
  return events.filter(({ event }) => event === 'phase').map(({ data }) => `${data['phase']} ${data['state']}`);
};
const buildLines = async (runId: string): Promise<string[]> =>
  (await logsOf(harness, runId)).entries.filter(({ phase }) => phase === 'build').map(({ text }) => text);

/** Resolves when the first command of a held build waits; the server may be a new one. */
async function waitForBuildStart(runId: string, capsuleId: string): Promise<void> {
  const tree = path.join(harness.server.dataDir, 'capsules', capsuleId, 'build/tree');
  for (;;) {
    const lines = await buildLines(runId).catch(() => []);
    if (lines.some((line) => line.startsWith('Command 1 of 2')) && existsSync(tree)) return;
    await delay(50);
  }
}

/** The folder of a plan's Run, and the one archive in it. */
const builtArchive = (runId: string): string => {
  const folder = path.join(harness.server.dataDir, 'runs', runId, 'built');
  const [name = ''] = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((each) =>
    each.endsWith('.tar'),
  );
  return path.join(folder, name);
};

describe('a module whose artifact is built', () => {
  let repository: HarnessRepository;
  let capsuleId = '';
  let sourceId = '';
  beforeAll(() => {
    repository = harness.repository('page', files);
  });

  it('is installed from its address to its Outputs, and its Run shows what was built', async () => {
    const planned = await installPlanned(harness, { url: repository.url, name: 'page', sourceBuild });
    ({ capsuleId, sourceId } = planned);
    const { installConfigId } = await getCapsule(harness, capsuleId);
    const { body } = await harness.http.get<{ installConfig: InstallConfig }>(
      `/api/v1/capsule-configs/${installConfigId}`,
    );
    expect(body.installConfig.sourceBuild).toEqual(sourceBuild);
    const phases = await phasesOf(planned.plan.id);
    expect(phases.slice(0, 3)).toEqual(['build started', 'build finished', 'init started']);
    expect(await buildLines(planned.plan.id)).toEqual([
      'Command 1 of 1: sh render.sh',
      'rendered Hello',
      'Built: dist/page.html, 14 bytes.',
    ]);
    const applied = await applyPlan(harness, planned.plan);
    expect(applied.status).toBe('succeeded');
    expect(await phasesOf(applied.id)).not.toContain('build started');
    expect(await outputsOf(harness, capsuleId)).toMatchObject({ page: '<h1>Hello</h1>' });
  });

  it('is built again by each plan, and another commit produces another artifact', async () => {
    const same = await planAgain(harness, capsuleId);
    expect([same.status, same.summary]).toMatchObject(['succeeded', { add: 0, change: 0, destroy: 0 }]);
    repository.commit({ ...files, 'title.txt': 'Good day' });
    await takeNewest(harness, sourceId);
    const next = await planAgain(harness, capsuleId);
    expect([next.status, next.summary]).toMatchObject(['succeeded', { change: 1 }]);
    expect(next.planDigest).not.toBe(same.planDigest);
    await applyPlan(harness, next);
    expect(await outputsOf(harness, capsuleId)).toMatchObject({ page: '<h1>Good day</h1>' });
  });

  it('is not applied when its artifact was changed or removed, and a new plan works', async () => {
    const changed = await planAgain(harness, capsuleId);
    const archive = builtArchive(changed.id);
    writeFileSync(archive, readFileSync(archive, 'latin1').replace('Good day', 'Evil day'), 'latin1');
    const apply = await applyPlan(harness, changed);
    expect([apply.status, apply.errorCode]).toEqual(['failed', 'plan_seal_mismatch']);
    expect((await getCapsule(harness, capsuleId)).status).toBe('active');
    const gone = await planAgain(harness, capsuleId);
    rmSync(builtArchive(gone.id));
    await expect(startApply(harness, gone)).rejects.toThrow(/409.*plan_artifact_missing/s);
    const next = await planAgain(harness, capsuleId);
    expect((await applyPlan(harness, next)).status).toBe('succeeded');
    expect(await outputsOf(harness, capsuleId)).toMatchObject({ page: '<h1>Good day</h1>' });
  });
});

describe('a running build', () => {
  let capsuleId = '';
  let planRunId = '';
  beforeAll(async () => {
    const repository = harness.repository('held', files);
    const { body } = await startInstall(harness, { url: repository.url, name: 'held', sourceBuild: held });
    for (let plan = body.installPlan; ; ) {
      const answer = await harness.http.post<typeof body>(`/api/v1/install-plans/${plan.id}/reconcile`);
      plan = answer.body.installPlan;
      if (plan.planRunId === undefined) continue;
      [capsuleId, planRunId] = [plan.capsuleId ?? '', plan.planRunId];
      break;
    }
  });

  it('outlives the server; the next server receives its end, and the plan is applied after another restart', async () => {
    await waitForBuildStart(planRunId, capsuleId);
    await harness.server.kill9();
    openGate(capsuleId);
    await harness.server.restart();
    const plan = await settled(harness.server, planRunId);
    expect([plan.status, await buildLines(planRunId)]).toEqual([
      'succeeded',
      expect.arrayContaining(['rendered Hello', 'Built: dist/page.html, 14 bytes.']),
    ]);
    await harness.server.restart();
    expect((await applyPlan(harness, plan)).status).toBe('succeeded');
    expect(await outputsOf(harness, capsuleId)).toMatchObject({ page: '<h1>Hello</h1>' });
  });

  it('whose supervisor is killed is restarted', async () => {
    const { id } = await startPlan(harness, capsuleId);
    await waitForBuildStart(id, capsuleId);
    process.kill(supervisorOf(id), 'SIGKILL');
    const starts = async () => (await buildLines(id)).filter((line) => line.startsWith('Command 1')).length;
    await expect.poll(starts, { timeout: 60_000 }).toBe(2);
    await waitForBuildStart(id, capsuleId);
    openGate(capsuleId);
    expect((await settled(harness.server, id)).status).toBe('succeeded');
  });

  it('ends when a person cancels it', async () => {
    const { id } = await startPlan(harness, capsuleId);
    await waitForBuildStart(id, capsuleId);
    await harness.http.post(`/api/v1/runs/${id}/cancel`);
    expect((await settled(harness.server, id)).status).toBe('cancelled');
  });
});

/** Returns the supervisor of a Run, as its folder names it. */
function supervisorOf(runId: string): number {
  const file = path.join(harness.server.dataDir, 'runs', runId, 'supervisor.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { pid: number }).pid;
}

it('a failed build ends the installation, and its Run has the reason', async () => {
  const { url } = harness.repository('broken', { ...files, 'render.sh': 'echo no ink left >&2; exit 3' });
  const installed = await install(harness, { url, name: 'broken', sourceBuild });
  expect(installed).toMatchObject({
    phase: 'failed',
    diagnostic: { code: 'plan_run_failed', controllerCode: 'source_build_failed' },
  });
  const run = await getRun(harness, installed.planRunId ?? '');
  expect([run.status, run.errorCode]).toEqual(['failed', 'source_build_failed']);
  expect(await errorsOf(harness, run.id)).toMatchObject([
    { message: 'The build failed. Command 1 of 1 ended with exit code 3. Its lines are in the log.' },
  ]);
  expect(await buildLines(run.id)).toContain('no ink left');
});

it('a build that leaves configuration is refused by the name of the file alone', async () => {
  const secret = 'private-build-value';
  const { url } = harness.repository('wicked', {
    ...files,
    'render.sh': `mkdir dist; echo '# ${secret}' >dist/evil.tf`,
  });
  const input = { url, name: 'wicked', sourceBuild: { ...sourceBuild, outputs: ['dist'] } };
  const { body } = await startInstall(harness, input);
  const { planRunId = '' } = await reconcile(harness, body.installPlan.id);
  const [error] = await errorsOf(harness, planRunId);
  expect(error).toMatchObject({ code: 'source_build_failed' });
  expect(error?.message).toContain('"dist/evil.tf" is a name that the tool loads');
  expect(JSON.stringify(await logsOf(harness, planRunId))).not.toContain(secret);
});
