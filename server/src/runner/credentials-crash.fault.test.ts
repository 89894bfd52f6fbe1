import { randomBytes } from 'node:crypto';
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type CredentialBench,
  createCredentialBench,
  credentialsOf,
  fileOf,
  leftBy,
  required,
  viewOf,
} from '../../../e2e/fixtures/credential-bench.ts';
import { thing } from '../../../e2e/fixtures/modules.ts';
import { awaitRecord, describeRun, outcomeIn, recordsOf } from '../../test/runner/capsule.ts';
import type { ExecutionSpec } from './contract/execution-spec.ts';

let bench: CredentialBench;
beforeAll(async () => {
  bench = await createCredentialBench();
});
afterAll(() => bench.end());

describe.each(['bwrap', 'none'] as const)('a crash while credentials are in use, sandbox %s', (sandbox) => {
  /** Output that repeats after the crash: the next supervisor must redact it too. */
  const leakyResources = `${thing('gated', 'gate = "open"')}resource "terraform_data" "prints" {
  depends_on = [fake_thing.gated]
  provisioner "local-exec" {
    command = <<-SH
      echo "key $(cat $FAKE_TOKEN_FILE) and $ONLY_ENV"; cat $FAKE_TOKEN_FILE | base64 -w0; echo
    SH
  }
}
`;
  const startGatedApply = async () => {
    const [token, argument] = [bench.newToken(`crash-${sandbox}`), `arg-${randomBytes(12).toString('hex')}`];
    bench.accounts.admit(argument, 'argument');
    const inEnv = `env-${randomBytes(12).toString('hex')}`;
    const capsule = bench.capsuleOf({
      sandbox,
      main: `${required('configuration_aliases = [fake.arg]')}${leakyResources}${thing('by_argument', 'provider = fake.arg\n  depends_on = [fake_thing.gated]')}`,
    });
    const credentials = credentialsOf({
      env: { FAKE_SERVER: bench.accounts.url, ONLY_ENV: inEnv },
      files: [fileOf(token)],
      providers: [{ localName: 'fake', alias: 'arg', arguments: { token: argument }, config: {} }],
      secrets: [token, argument, inEnv],
    });
    const change = { credentials, ...viewOf([], ['arg']) };
    const spec = capsule.applySpec(await capsule.plan(change), change);
    await bench.runner.start(spec);
    await awaitRecord(bench.runner, spec.runDir, (r) => r.t === 'resource' && r.address === 'fake_thing.gated');
    return { capsule, spec, secrets: [token, argument, inEnv], change };
  };
  const kill = (spec: ExecutionSpec, which: 'started' | 'spawned') => {
    const last = recordsOf(spec.runDir)
      .filter((record) => record.t === which)
      .at(-1);
    if (last?.t === 'started' || last?.t === 'spawned') process.kill(last.identity.pid, 'SIGKILL');
  };

  test('leaves an apply to a supervisor that redacts as the one before it, and cleans up', async () => {
    const { capsule, spec, secrets } = await startGatedApply();
    kill(spec, 'started');
    await bench.runner.follow(spec.runDir, { fromOffset: 0, onRecords: () => {} });
    expect(bench.findTokens(capsule, secrets)).toEqual([]);
    await bench.runner.start({ ...spec, mode: 'adopt' });
    writeFileSync(path.join(capsule.dir, 'tree', 'open'), '');
    await bench.runner.follow(spec.runDir, { fromOffset: 0, onRecords: () => {} });
    expect(outcomeIn(spec.runDir), describeRun(spec.runDir)).toMatchObject({ succeeded: true });
    const output = describeRun(spec.runDir);
    expect(output).toContain('key [redacted] and [redacted]');
    expect(bench.findTokens(capsule, secrets)).toEqual([]);
    expect(leftBy(capsule)).toEqual([]);
  });

  test('is concluded by the next supervisor when the tool is dead too, and no file is left', async () => {
    const { capsule, spec, secrets } = await startGatedApply();
    kill(spec, 'started');
    kill(spec, 'spawned');
    await bench.runner.follow(spec.runDir, { fromOffset: 0, onRecords: () => {} });
    await bench.runner.start({ ...spec, mode: 'adopt' });
    await bench.runner.follow(spec.runDir, { fromOffset: 0, onRecords: () => {} });
    expect(outcomeIn(spec.runDir), describeRun(spec.runDir)).toMatchObject({ errorCode: 'apply_interrupted' });
    expect(leftBy(capsule)).toEqual([]);
    expect(bench.findTokens(capsule, secrets)).toEqual([]);
  });
});

test('files of a supervisor that died in a plan are removed at the next start, also from a locked folder', async () => {
  const token = bench.newToken('locked');
  const waits = 'data "fake_whoami" "me" {\n  gate = "open"\n}\n';
  const capsule = bench.capsuleOf({ sandbox: 'none', main: required() + waits });
  const credentials = credentialsOf({
    env: { FAKE_SERVER: bench.accounts.url },
    files: [fileOf(token)],
    secrets: [token],
  });
  const spec = capsule.spec('plan', { credentials });
  await bench.runner.start(spec);
  await awaitRecord(bench.runner, spec.runDir, (r) => r.t === 'spawned' && r.command === 'plan');
  await expect.poll(() => leftBy(capsule).length, { timeout: 20_000 }).toBe(1);
  const [folder] = leftBy(capsule) as [string];
  expect(readFileSync(path.join(folder, 'fake/key'), 'utf8')).toBe(token);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(statSync(path.join(folder, 'fake/key')).mode & 0o777).toBe(0o600);
  for (const locked of [path.join(folder, 'fake'), folder]) chmodSync(locked, 0o500);
  for (const record of recordsOf(spec.runDir))
    if (record.t === 'started' || (record.t === 'spawned' && record.command === 'plan')) endNow(record.identity.pid);
  await bench.runner.follow(spec.runDir, { fromOffset: 0, onRecords: () => {} });
  await bench.runner.endAllLeftovers(path.join(bench.dir, 'capsules'));
  expect(leftBy(capsule)).toEqual([]);
  expect(bench.findTokens(capsule, [token])).toEqual([]);
});

function endNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Already removed with the other one.
  }
}
