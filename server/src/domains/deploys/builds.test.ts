import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { digestOf } from '#server/kernel/digest';
import { builtArchive, type Job } from '#server/runner/index';
import type { SourceBuild } from '#shared/configs/source-build';
import { limits } from '#shared/limits';
import { heldClock } from '../../../test/harness.ts';
import { openScheduleGround, type ScheduleGround, scheduleTool } from '../../../test/schedule-ground.ts';
import { planOutcome } from '../../../test/scripted-runner.ts';

const sourceBuild: SourceBuild = {
  commands: [{ argv: ['make', 'dist'], workingDirectory: 'app' }],
  outputs: ['app/dist'],
};
let ground: ScheduleGround;
afterEach(() => ground.close());

const open = async (more: object = {}): Promise<void> => {
  ground = await openScheduleGround(heldClock(), { sourceBuild, buildsWithoutSandbox: true, ...more });
};
const plan = (capsuleId: string) =>
  ground.rooms.deploys.createPlan(capsuleId, { actorId: ground.owner, tool: scheduleTool });
const apply = (runId: string) => ground.rooms.deploys.apply(runId, { actorId: ground.owner, tool: scheduleTool }).run;

function jobOf({ id }: { id: string }): Job {
  const job = ground.runner.given.get(id)?.job;
  if (!job) throw new Error('the Run was not handed over');
  return job;
}

/** A plan whose supervisor says that these bytes were built. */
async function planned(built?: string) {
  const run = plan(ground.makeCapsule().id);
  await ground.settle();
  const job = jobOf(run);
  const builtDigest = built === undefined ? undefined : digestOf(built);
  if (built !== undefined && builtDigest !== undefined) {
    const archive = builtArchive(job.runDir, builtDigest);
    mkdirSync(path.dirname(archive), { recursive: true });
    writeFileSync(archive, built);
  }
  ground.runner.end(run.id, { ...planOutcome(job), ...(builtDigest && { builtDigest }) } as ReturnType<
    typeof planOutcome
  >);
  await ground.settle();
  return { job, run: ground.rooms.runs.getRun(run.id), builtDigest };
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

test('a plan is told what to build, and its apply what was built', async () => {
  await open();
  const { job, run, builtDigest } = await planned('bytes');
  expect(job.build).toEqual({ ...sourceBuild, commandSeconds: limits.buildCommandSeconds, withoutSandbox: true });
  const made = apply(run.id);
  await ground.settle();
  expect(jobOf(made).plan).toMatchObject({ runDir: job.runDir, builtDigest });
  expect(jobOf(made)).not.toHaveProperty('build');
});

test('the same after a restart of the server', async () => {
  await open();
  const { run, builtDigest } = await planned('bytes');
  await ground.restart();
  const made = apply(run.id);
  await ground.settle();
  expect(jobOf(made).plan).toMatchObject({ builtDigest });
});

test('what was built is part of what an approval is bound to', async () => {
  await open();
  const digests = await Promise.all(['one', 'other'].map((built) => planned(built)));
  const [one, other] = digests.map(({ run }) => run.planDigest);
  expect(one).toMatch(/^sha256:/);
  expect(one).not.toBe(other);
});

test('a seal that says something else was built ends the apply before it begins', async () => {
  await open();
  const { run } = await planned('bytes');
  ground.runner.isToolAlive = false;
  const made = apply(run.id);
  ground.db.sqlite
    .prepare('UPDATE plan_artifacts SET built_digest = ? WHERE run_id = ?')
    .run(digestOf('other'), run.id);
  await ground.settle();
  expect(ground.rooms.runs.getRun(made.id)).toMatchObject({ status: 'failed', errorCode: 'plan_seal_mismatch' });
  expect(ground.runner.given.has(made.id)).toBe(false);
});

test('a plan whose built files are gone cannot be applied', async () => {
  await open();
  const { job, run, builtDigest } = await planned('bytes');
  rmSync(builtArchive(job.runDir, builtDigest ?? ''));
  expect(refusalOf(() => apply(run.id))).toMatchObject(['plan_artifact_missing', expect.any(String)]);
});

test('without a sandbox a module that is built is not planned, and the setting that allows it is named', async () => {
  await open({ buildsWithoutSandbox: false });
  const { id } = ground.makeCapsule();
  // As every route that plans does first.
  await ground.toolbox.require();
  expect(refusalOf(() => plan(id))).toEqual([
    'runner_unavailable',
    expect.stringMatching(/nothing is built without a sandbox.*GROUNDCTL_ALLOW_BUILDS_WITHOUT_SANDBOX=1/),
  ]);
});
