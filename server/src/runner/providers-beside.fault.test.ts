import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type CredentialBench,
  createCredentialBench,
  credentialsOf,
  required,
} from '../../../e2e/fixtures/credential-bench.ts';
import { leftovers } from '../../../e2e/fixtures/leftovers.ts';
import { awaitRecord, outcomeIn } from '../../test/runner/capsule.ts';
import { isAlive, type ProcessIdentity } from '../os/process-identity.ts';
import { readSupervisor } from './contract/supervisor-file.ts';

let bench: CredentialBench;
beforeAll(async () => {
  bench = await createCredentialBench();
});
afterAll(() => bench.end());

test('providers end with a supervisor that is killed, and the next plan succeeds', async () => {
  const token = bench.newToken('held');
  const credentials = credentialsOf({
    env: { FAKE_TOKEN: token, FAKE_SERVER: bench.accounts.url },
    secrets: [token],
  });
  const capsule = bench.capsuleOf({ main: `${required()}data "fake_whoami" "me" {\n  gate = "open"\n}\n` });
  for (let round = 1; round <= 3; round += 1) {
    const spec = capsule.spec('plan', { credentials });
    await bench.runner.start(spec);
    await expect.poll(() => bench.callsOf(token).length, { timeout: 30_000 }).toBe(round);
    const { providers } = JSON.parse(readFileSync(path.join(capsule.dir, 'owner.json'), 'utf8')) as {
      providers: { identity: ProcessIdentity; leader: ProcessIdentity }[];
    };
    const all = providers.flatMap(({ identity, leader }) => [identity, leader]);
    expect(all.filter(isAlive)).toEqual(all);
    process.kill(readSupervisor(spec.runDir)?.pid as number, 'SIGKILL');
    expect(await bench.runner.follow(spec.runDir, { fromOffset: 0, onRecords: () => {} })).toBe('lost');
    await expect.poll(() => all.filter(isAlive), { timeout: 20_000 }).toEqual([]);
    await expect.poll(() => leftovers(capsule.dir), { timeout: 20_000 }).toEqual([]);
  }
  const next = capsule.spec('plan', { credentials });
  await bench.runner.start(next);
  await awaitRecord(bench.runner, next.runDir, (record) => record.t === 'spawned' && record.command === 'plan');
  writeFileSync(path.join(capsule.dir, 'tree/open'), '');
  expect(await bench.runner.follow(next.runDir, { fromOffset: 0, onRecords: () => {} })).toBe('ended');
  expect(outcomeIn(next.runDir)).toMatchObject({ kind: 'plan' });
});
