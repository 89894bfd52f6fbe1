import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  awaitRecord,
  type Bench,
  type Capsule,
  createBench,
  describeRun,
  recordsOf,
} from '../../test/runner/capsule.ts';
import { testOfAnySandbox } from '../../test/runner/sandboxed-tests.ts';
import { runTool } from '../os/spawn.ts';
import { builtArchive } from './contract/built-archive.ts';
import type { ExecutionSpec, FailedOutcome, JournalRecord } from './contract/execution-spec.ts';
import { readSupervisor } from './contract/supervisor-file.ts';

let bench: Bench;
beforeAll(() => {
  bench = createBench();
});
afterAll(() => bench.end());

type Build = NonNullable<ExecutionSpec['build']>;
const buildOf = (
  commands: Build['commands'],
  outputs: readonly string[],
  more: Partial<Build> = {},
): Pick<ExecutionSpec, 'build'> => ({
  build: { commands, outputs, commandSeconds: 60, withoutSandbox: true, ...more },
});

// Without a pipe, because the shell holds its end of a pipe until both programs have started.
const descriptors = 'ls -m /proc/$$/fd; true';

/** A module that shows the build output and the files beside it. */
const module = {
  'main.tf': `
resource "terraform_data" "a" {
  input = file("\${path.module}/dist/greeting.txt")
}
output "greeting" {
  value = file("\${path.module}/dist/greeting.txt")
}
output "names" {
  value = join(",", fileset(path.module, "dist/**"))
}
`,
  'word.txt': 'hello',
  'make.sh': 'mkdir -p dist\nprintf "%s %s" "$(cat word.txt)" "$1" >dist/greeting.txt\necho made "$1"\necho oops >&2\n',
};

/** A module whose only Output is a file beside it. */
const reads = (output: string, file: string): string =>
  `output "${output}" {\n  value = file("\${path.module}/${file}")\n}\n`;

const outputsIn = (capsule: Capsule): { [name: string]: unknown } => {
  const { outputs } = JSON.parse(capsule.state?.text ?? '{"outputs":{}}') as {
    outputs: { [name: string]: { value: unknown } };
  };
  return Object.fromEntries(Object.entries(outputs).map(([name, { value }]) => [name, value]));
};

const linesOf = (spec: ExecutionSpec): string[] =>
  recordsOf(spec.runDir).flatMap((record) =>
    record.t === 'log' && record.phase === 'build' ? [`${record.stream} ${record.text}`] : [],
  );

const isLine = (record: JournalRecord, text: string): boolean => record.t === 'log' && record.text === text;

describe.each(['bwrap', 'none'] as const)('with sandbox %s', (sandbox) => {
  const testOnce = testOfAnySandbox(sandbox);

  test('the plan reads the build outputs, and the apply gets exactly the same', async () => {
    const capsule = bench.capsule({ files: module, sandbox });
    const planned = await capsule.plan(buildOf([{ argv: ['sh', './make.sh', 'wide world'] }], ['dist']));
    expect(linesOf(planned.spec), describeRun(planned.spec.runDir)).toEqual(
      expect.arrayContaining([
        'system Command 1 of 1: sh ./make.sh "wide world"',
        'stdout made wide world',
        'stderr oops',
        'system Built: dist/greeting.txt, 16 bytes.',
      ]),
    );
    expect(planned.outcome.builtDigest).toMatch(/^sha256:[0-9a-f]{64}$/);
    const applied = (await capsule.apply(planned)).outcome;
    expect(applied).toMatchObject({ succeeded: true });
    expect(outputsIn(capsule)).toEqual({ greeting: 'hello wide world', names: 'dist/greeting.txt' });
    expect(existsSync(path.join(capsule.dir, 'build'))).toBe(false);
  });

  test('a build can run the programs of the machine under all their names, and receives nothing else', async () => {
    const capsule = bench.capsule({ files: module, sandbox });
    const script = [
      'mkdir dist; awk "BEGIN { print 6 * 7 }" >dist/greeting.txt',
      `${descriptors}; tr "\\0" "\\n" </proc/$$/environ | cut -d= -f1 | sort | tr "\\n" " "; echo`,
      'ls -A "$HOME" "$TMPDIR" | wc -l; echo kept >"$TMPDIR/x"; pwd',
    ].join('\n');
    const planned = await capsule.plan(buildOf([{ argv: ['sh', '-c', script] }], ['dist']));
    await capsule.apply(planned);
    expect(outputsIn(capsule)['greeting']).toBe('42\n');
    const lines = linesOf(planned.spec).filter((line) => line.startsWith('stdout '));
    const mark = sandbox === 'none' ? 'GROUNDCTL_RUN_MARK ' : '';
    // The process that starts these tests may have left descriptors open for all of them.
    const env = { PATH: '/usr/bin:/bin' };
    const plain = await runTool({ file: '/bin/sh', argv: ['-c', descriptors], env, timeoutMs: 20_000 });
    const [openDescriptors = '', names] = lines;
    const numbers = (text: string) => text.match(/\d+/g) ?? [];
    expect(numbers(openDescriptors)).toEqual(expect.arrayContaining(['0', '1', '2']));
    expect(numbers(plain.stdout)).toEqual(expect.arrayContaining(numbers(openDescriptors)));
    expect(names).toBe(`stdout ${mark}HOME LANG PATH TMPDIR `);
    expect(lines.at(-1)).toBe(`stdout ${sandbox === 'none' ? path.join(capsule.dir, 'build/tree') : '/svc/tree'}`);
  });

  test('each plan builds again, and files that it did not create are removed from the tree', async () => {
    const capsule = bench.capsule({ files: module, sandbox });
    const builds = (script: string) => buildOf([{ argv: ['sh', '-c', `mkdir -p dist; ${script}`] }], ['dist']);
    const first = await capsule.plan(builds('echo one >dist/greeting.txt; echo more >dist/more.txt'));
    const second = await capsule.plan(builds('echo two >dist/greeting.txt'));
    expect(second.outcome.builtDigest).not.toBe(first.outcome.builtDigest);
    const again = await capsule.plan(builds('echo two >dist/greeting.txt'));
    expect(again.outcome.builtDigest).toBe(second.outcome.builtDigest);
    // The first plan is applied after others have used the folder: it gets its own files, not theirs.
    expect((await capsule.apply(first)).outcome.succeeded).toBe(true);
    expect(outputsIn(capsule)).toEqual({ greeting: 'one\n', names: 'dist/greeting.txt,dist/more.txt' });
    const without = await capsule.run(capsule.spec('plan'));
    expect(without).toMatchObject({ kind: 'failed', errorCode: 'plan_failed' });
    expect(existsSync(path.join(capsule.dir, 'tree/dist'))).toBe(false);
  });

  testOnce('a file of the snapshot that a build replaces is restored by a plan without a build', async () => {
    const files = { 'main.tf': reads('word', 'word.txt'), 'word.txt': 'plain' };
    const capsule = bench.capsule({ files, sandbox });
    await capsule.apply(await capsule.plan(buildOf([{ argv: ['sh', '-c', 'printf built >word.txt'] }], ['word.txt'])));
    expect(outputsIn(capsule)).toEqual({ word: 'built' });
    await capsule.apply(await capsule.plan());
    expect(outputsIn(capsule)).toEqual({ word: 'plain' });
  });

  test('a build in its own folder reaches the module below it, with its execute permission', async () => {
    const capsule = bench.capsule({
      sandbox,
      modulePath: 'infra',
      files: {
        'app/src.txt': 'code',
        'infra/main.tf': reads('app', 'app.bin'),
      },
    });
    const commands = [
      { argv: ['cp', 'src.txt', 'out.bin'], workingDirectory: 'app' },
      { argv: ['sh', '-c', 'cp app/out.bin infra/app.bin; chmod +x infra/app.bin'] },
    ];
    await capsule.apply(await capsule.plan(buildOf(commands, ['infra/app.bin'])));
    expect(outputsIn(capsule)).toEqual({ app: 'code' });
    expect(existsSync(path.join(capsule.dir, 'tree/app/out.bin'))).toBe(false);
  });

  testOnce.each(['destroy_plan', 'drift_check'] as const)('a %s uses its own build', async (operation) => {
    const capsule = bench.capsule({ files: module, sandbox });
    const build = buildOf([{ argv: ['sh', 'make.sh', 'x'] }], ['dist']);
    await capsule.apply(await capsule.plan(build));
    const next = await capsule.plan({ ...build, operation });
    expect(next.outcome.builtDigest).toMatch(/^sha256:/);
    expect(next.outcome.summary).toMatchObject(
      operation === 'destroy_plan' ? { destroy: 1 } : { destroy: 0, change: 0 },
    );
  });

  testOnce(
    'an apply refuses build files that were changed or removed since its plan, and changes nothing',
    async () => {
      const capsule = bench.capsule({ files: module, sandbox });
      const build = buildOf([{ argv: ['sh', 'make.sh', 'x'] }], ['dist']);
      for (const harm of ['changed', 'gone'] as const) {
        const planned = await capsule.plan(build);
        const archive = builtArchive(planned.spec.runDir, planned.outcome.builtDigest ?? '');
        if (harm === 'gone') rmSync(archive);
        else writeFileSync(archive, readFileSync(archive, 'latin1').replace('hello x', 'hello y'), 'latin1');
        const spec = capsule.applySpec(planned);
        expect(await capsule.run(spec)).toMatchObject({
          kind: 'failed',
          errorCode: 'plan_seal_mismatch',
          phase: 'apply',
        });
        expect(recordsOf(spec.runDir).some(({ t }) => t === 'spawned')).toBe(false);
      }
      expect(capsule.state).toBeNull();
    },
  );

  test('a supervisor killed during a build leaves no process, and the next plan builds from the start', async () => {
    const capsule = bench.capsule({ files: module, sandbox });
    const script = 'echo started >>count; echo waiting; while [ -e count ]; do sleep 0.05; done';
    const spec = capsule.spec('plan', buildOf([{ argv: ['sh', '-c', script] }], ['dist']));
    await bench.runner.start(spec);
    await awaitRecord(bench.runner, spec.runDir, (record) => isLine(record, 'waiting'));
    process.kill(readSupervisor(spec.runDir)?.pid as number, 'SIGKILL');
    expect(await bench.runner.follow(spec.runDir, { fromOffset: 0, onRecords: () => {} })).toBe('lost');
    expect(await bench.runner.endLeftovers(capsule.dir)).toBe(true);
    const next = await capsule.plan(buildOf([{ argv: ['sh', '-c', 'test ! -e count && sh make.sh again'] }], ['dist']));
    await capsule.apply(next);
    expect(outputsIn(capsule)['greeting']).toBe('hello again');
    expect(existsSync(path.join(capsule.dir, 'build'))).toBe(false);
  });

  testOnce(
    'an apply whose supervisor died before the tool began is run by the next one with the same files',
    async () => {
      const capsule = bench.capsule({ files: module, sandbox });
      const planned = await capsule.plan(buildOf([{ argv: ['sh', 'make.sh', 'x'] }], ['dist']));
      const spec = capsule.applySpec(planned, { mode: 'adopt' });
      const outcome = await capsule.run(spec);
      if (outcome.kind !== 'apply') expect.fail(describeRun(spec.runDir));
      capsule.commit(spec, outcome);
      expect(outputsIn(capsule)['greeting']).toBe('hello x');
    },
  );

  test('an apply that is adopted midway ends with the build of its plan', async () => {
    const gated = `${module['main.tf']}resource "terraform_data" "gate" {
  provisioner "local-exec" {
    command = "while [ ! -e go ]; do sleep 0.02; done; cp dist/greeting.txt seen"
  }
}
`;
    const capsule = bench.capsule({ files: { ...module, 'main.tf': gated }, sandbox });
    const spec = capsule.applySpec(await capsule.plan(buildOf([{ argv: ['sh', 'make.sh', 'x'] }], ['dist'])));
    await bench.runner.start(spec);
    await awaitRecord(
      bench.runner,
      spec.runDir,
      (record) => record.t === 'resource' && record.state === 'started' && record.address === 'terraform_data.gate',
    );
    process.kill(readSupervisor(spec.runDir)?.pid as number, 'SIGKILL');
    expect(await bench.runner.follow(spec.runDir, { fromOffset: 0, onRecords: () => {} })).toBe('lost');
    writeFileSync(path.join(capsule.dir, 'tree/go'), '');
    const outcome = await capsule.run({ ...spec, mode: 'adopt' });
    if (outcome.kind !== 'apply') expect.fail(describeRun(spec.runDir));
    capsule.commit(spec, outcome);
    expect(outcome.succeeded).toBe(true);
    expect(outputsIn(capsule)['greeting']).toBe('hello x');
    expect(readFileSync(path.join(capsule.dir, 'tree/seen'), 'utf8')).toBe('hello x');
  });

  test('a cancel ends a build at once, even when it ignores signals', async () => {
    const capsule = bench.capsule({ files: module, sandbox });
    const script = 'trap "" INT TERM; echo waiting; while :; do sleep 0.05; done';
    const build = buildOf([{ argv: ['sh', '-c', script] }], ['dist']);
    // If the build were interrupted first, as a plan is, it would outlast this test.
    const limits = { initSeconds: 600, planSeconds: 600, logBytes: 1_000_000, patienceSeconds: 600 };
    const spec = capsule.spec('plan', { ...build, limits });
    await bench.runner.start(spec);
    await awaitRecord(bench.runner, spec.runDir, (record) => isLine(record, 'waiting'));
    expect(bench.runner.cancel(spec.runDir)).toBe(true);
    await bench.runner.follow(spec.runDir, { fromOffset: 0, onRecords: () => {} });
    expect(recordsOf(spec.runDir).at(-1)).toMatchObject({ outcome: { errorCode: 'cancelled', phase: 'build' } });
  });

  const failures: [string, Build['commands'], Partial<Build>, Partial<FailedOutcome>][] = [
    [
      'a command that fails names itself and its exit code, and no later one is run',
      [{ argv: ['true'] }, { argv: ['sh', '-c', 'exit 7'] }, { argv: ['sh', 'make.sh', 'x'] }],
      {},
      { message: 'The build failed. Command 2 of 3 ended with exit code 7. Its lines are in the log.' },
    ],
    [
      'reports a missing program',
      [{ argv: ['no-such-program'] }],
      {},
      {
        message:
          'The build failed. Command 1 of 1 ended with exit code 127 (command not found). Its lines are in the log.',
      },
    ],
    [
      'reports a working directory that is not a folder',
      [{ argv: ['true'], workingDirectory: 'nowhere/at/all' }],
      {},
      { message: 'Command 1 of the build has no working folder: "nowhere" is not a folder.' },
    ],
    [
      'reports an output that was not created',
      [{ argv: ['true'] }],
      {},
      {
        message:
          'What the build left cannot be used: "dist" was not made or is locked, but it is declared as an output.',
      },
    ],
    [
      'rejects an empty folder as output',
      [{ argv: ['mkdir', 'dist'] }],
      {},
      { message: 'What the build left cannot be used: "dist" is an empty folder, but it is declared as an output.' },
    ],
    [
      'a file in the place of a folder of the snapshot is refused',
      [{ argv: ['sh', '-c', 'rm -r kept; echo >kept; mkdir dist; echo >dist/x'] }],
      { outputs: ['dist', 'kept'] },
      {
        message:
          'What the build left cannot be used: "kept" is a folder of the snapshot, and the build made it a file.',
      },
    ],
    [
      'a build that takes too long is over its time',
      [{ argv: ['sleep', '60'] }],
      { commandSeconds: 1 },
      { errorCode: 'run_timed_out' },
    ],
  ];
  testOnce.each(failures)('%s', async (_, commands, more, expected) => {
    const capsule = bench.capsule({ files: { ...module, 'kept/a.txt': 'a' }, sandbox });
    const spec = capsule.spec('plan', buildOf(commands, ['dist'], more));
    expect(await capsule.run(spec), describeRun(spec.runDir)).toMatchObject({
      kind: 'failed',
      errorCode: 'source_build_failed',
      phase: 'build',
      ...expected,
    });
    expect(recordsOf(spec.runDir).filter((record) => record.t === 'diagnostic')).toHaveLength(1);
    expect(existsSync(path.join(capsule.dir, 'build'))).toBe(false);
  });

  test('a secret of the Run that a build knows is redacted', async () => {
    const secret = 'correct-horse-battery-staple-7';
    const capsule = bench.capsule({ files: { ...module, 'known.txt': secret }, sandbox, secrets: [secret] });
    const script = `cat known.txt; echo; cat known.txt >&2; mkdir -p dist; ln -s x "dist/$(cat known.txt)"`;
    const spec = capsule.spec('plan', buildOf([{ argv: ['sh', '-c', script] }], ['dist']));
    expect(await capsule.run(spec)).toMatchObject({ errorCode: 'source_build_failed' });
    expect(JSON.stringify(recordsOf(spec.runDir))).not.toContain(secret);
  });
});

test('without a sandbox nothing is built unless the operator allows it', async () => {
  const capsule = bench.capsule({ files: module, sandbox: 'none' });
  const spec = capsule.spec('plan', buildOf([{ argv: ['sh', 'make.sh', 'x'] }], ['dist'], { withoutSandbox: false }));
  const outcome = (await capsule.run(spec)) as FailedOutcome;
  expect(outcome).toMatchObject({ errorCode: 'source_build_failed', phase: 'build' });
  expect(outcome.message).toMatch(/GROUNDCTL_ALLOW_BUILDS_WITHOUT_SANDBOX/);
  expect(recordsOf(spec.runDir).some(({ t }) => t === 'spawned')).toBe(false);
  const allowed = await capsule.plan(buildOf([{ argv: ['sh', 'make.sh', 'x'] }], ['dist']));
  expect(linesOf(allowed.spec)[0]).toBe(
    'system The build runs without a sandbox: with the rights of the server and its network.',
  );
});
