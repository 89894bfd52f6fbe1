import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { awaitRecord, type Bench, createBench, describeRun, outcomeIn, recordsOf } from '../../test/runner/capsule.ts';
import { isAlive } from '../os/process-identity.ts';
import type { ExecutionSpec, ProcessIdentity } from './contract/execution-spec.ts';

/** Fewer bytes than a FIFO holds: more of them let the tool wait for a reader. */
const lines = 50;
const module = `
resource "terraform_data" "prints" {
  provisioner "local-exec" {
    interpreter = ["/bin/sh", "-c"]
    command     = "echo ready; while [ ! -e open ]; do sleep 0.02; done; for n in $(seq 1 ${lines}); do echo line $n end; done"
  }
}
`;

let bench: Bench;
beforeAll(() => {
  bench = createBench();
});
afterAll(() => bench.end());

const textsOf = ({ runDir }: ExecutionSpec): string[] =>
  recordsOf(runDir).flatMap((record) => (record.t === 'log' ? [record.text] : []));
const numbersIn = (spec: ExecutionSpec): number[] =>
  textsOf(spec).flatMap((text) => /line (\d+) end$/.exec(text)?.slice(1).map(Number) ?? []);
const identityOf = ({ runDir }: ExecutionSpec, kind: 'started' | 'spawned'): ProcessIdentity => {
  const last = recordsOf(runDir).findLast(({ t }) => t === kind);
  if (last?.t !== 'started' && last?.t !== 'spawned') throw new Error(`The journal has no ${kind} record.`);
  return last.identity;
};

describe.each(['bwrap', 'none'] as const)('an apply whose supervisor was killed, sandbox %s', (sandbox) => {
  test('has every line that its tool printed until it ended without a supervisor', async () => {
    const capsule = bench.capsule({ sandbox, files: { 'main.tf': module } });
    const spec = capsule.applySpec(await capsule.plan());
    await bench.runner.start(spec);
    await awaitRecord(bench.runner, spec.runDir, (record) => record.t === 'log' && /ready$/.test(record.text));
    process.kill(identityOf(spec, 'started').pid, 'SIGKILL');
    await bench.runner.follow(spec.runDir, { fromOffset: 0, onRecords: () => {} });
    const tool = identityOf(spec, 'spawned');
    writeFileSync(path.join(capsule.dir, 'tree', 'open'), '');
    await expect.poll(() => isAlive(tool), { timeout: 60_000 }).toBe(false);
    expect(numbersIn(spec)).toEqual([]);
    await bench.runner.start({ ...spec, mode: 'adopt' });
    await bench.runner.follow(spec.runDir, { fromOffset: 0, onRecords: () => {} });
    expect(outcomeIn(spec.runDir), describeRun(spec.runDir)).toMatchObject({ succeeded: true });
    expect(numbersIn(spec)).toEqual(Array.from({ length: lines }, (_, at) => at + 1));
    expect(textsOf(spec).join('\n')).toContain('The output of the tool since then follows');
  });
});
