import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { digestOf } from '#server/kernel/digest';
import { builtArchive, type ExecutionSpec } from '#server/runner/index';
import type { SourceBuild } from '#shared/install-configs/source-build';
import { limits } from '#shared/limits';
import { heldClock } from '../../../test/harness.ts';
import { openScheduleFixture, type ScheduleFixture, scheduleTool } from '../../../test/schedule-fixture.ts';
import { planOutcome } from '../../../test/scripted-runner.ts';

const sourceBuild: SourceBuild = {
  commands: [{ argv: ['make', 'dist'], workingDirectory: 'app' }],
  outputs: ['app/dist'],
};
let fixture: ScheduleFixture;
afterEach(() => fixture.close());

const open = async (more: object = {}): Promise<void> => {
  fixture = await openScheduleFixture(heldClock(), { sourceBuild, buildsWithoutSandbox: true, ...more });
};
const plan = (capsuleId: string) =>
  fixture.domains.plans.createPlan(capsuleId, { actorId: fixture.owner, tool: scheduleTool });
const apply = (runId: string) =>
  fixture.domains.applies.apply(runId, { actorId: fixture.owner, tool: scheduleTool }).run;

function specOf({ id }: { id: string }): ExecutionSpec {
  const spec = fixture.runner.startedRuns.get(id)?.spec;
  if (!spec) throw new Error('the Run was not started');
  return spec;
}

/** Creates a plan whose supervisor reports that these bytes were built. */
async function planned(built?: string) {
  const run = plan(fixture.makeCapsule().id);
  await fixture.settle();
  const spec = specOf(run);
  const builtDigest = built === undefined ? undefined : digestOf(built);
  if (built !== undefined && builtDigest !== undefined) {
    const archive = builtArchive(spec.runDir, builtDigest);
    mkdirSync(path.dirname(archive), { recursive: true });
    writeFileSync(archive, built);
  }
  fixture.runner.end(run.id, { ...planOutcome(spec), ...(builtDigest && { builtDigest }) } as ReturnType<
    typeof planOutcome
  >);
  await fixture.settle();
  return { spec, run: fixture.domains.runs.getRun(run.id), builtDigest };
}

const refusalOf = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    const { code, details, message } = error as { code: string; details?: { reason?: string }; message: string };
    return [details?.reason ?? code, message];
  }
  return undefined;
};

test('a plan receives its build, and its apply the build result', async () => {
  await open();
  const { spec, run, builtDigest } = await planned('bytes');
  expect(spec.build).toEqual({ ...sourceBuild, commandSeconds: limits.buildCommandSeconds, withoutSandbox: true });
  const applyRun = apply(run.id);
  await fixture.settle();
  expect(specOf(applyRun).plan).toMatchObject({ runDir: spec.runDir, builtDigest });
  expect(specOf(applyRun)).not.toHaveProperty('build');
});

test('the same after a restart of the server', async () => {
  await open();
  const { run, builtDigest } = await planned('bytes');
  await fixture.restart();
  const applyRun = apply(run.id);
  await fixture.settle();
  expect(specOf(applyRun).plan).toMatchObject({ builtDigest });
});

test('an approval is bound to the build result', async () => {
  await open();
  const digests = await Promise.all(['one', 'other'].map((built) => planned(built)));
  const [one, other] = digests.map(({ run }) => run.planDigest);
  expect(one).toMatch(/^sha256:/);
  expect(one).not.toBe(other);
});

test('a seal with another build result ends the apply before it starts', async () => {
  await open();
  const { run } = await planned('bytes');
  fixture.runner.isToolAlive = false;
  const applyRun = apply(run.id);
  fixture.db.sqlite
    .prepare('UPDATE plan_artifacts SET built_digest = ? WHERE run_id = ?')
    .run(digestOf('other'), run.id);
  await fixture.settle();
  expect(fixture.domains.runs.getRun(applyRun.id)).toMatchObject({ status: 'failed', errorCode: 'plan_seal_mismatch' });
  expect(fixture.runner.startedRuns.has(applyRun.id)).toBe(false);
});

test('a plan whose built files are missing cannot be applied', async () => {
  await open();
  const { spec, run, builtDigest } = await planned('bytes');
  rmSync(builtArchive(spec.runDir, builtDigest ?? ''));
  expect(refusalOf(() => apply(run.id))).toMatchObject(['plan_artifact_missing', expect.any(String)]);
});

test('without a sandbox a module with a build is not planned, and the message names the setting that allows it', async () => {
  await open({ buildsWithoutSandbox: false });
  const { id } = fixture.makeCapsule();
  // As every route that plans does first.
  await fixture.toolManager.require();
  expect(refusalOf(() => plan(id))).toEqual([
    'runner_unavailable',
    expect.stringMatching(/builds do not run without a sandbox.*GROUNDCTL_ALLOW_BUILDS_WITHOUT_SANDBOX=1/),
  ]);
});
