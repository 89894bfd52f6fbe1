import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addressesIn, type Bench, createBench, describeRun, recordsOf } from '../../test/runner/capsule.ts';

let bench: Bench;
beforeAll(() => {
  bench = createBench();
});
afterAll(() => bench.end());

const module = `
variable "size" {
  default = 3
}
resource "terraform_data" "a" {
  count = var.size
  input = "hello \${count.index}"
}
output "first" {
  value = terraform_data.a[0].output
}
`;

describe.each(['bwrap', 'none'] as const)('with sandbox %s', (sandbox) => {
  test('a first plan, its apply, a next plan without init, and a destroy', async () => {
    const capsule = bench.capsule({ files: { 'main.tf': module }, sandbox });
    const first = await capsule.plan();
    expect(first.outcome).toMatchObject({
      summary: { add: 3, change: 0, destroy: 0 },
      destructive: false,
      stateLineage: '',
      stateSerial: 0,
    });
    expect(first.outcome.addresses).toEqual(['terraform_data.a[0]', 'terraform_data.a[1]', 'terraform_data.a[2]']);
    const applied = await capsule.apply(first);
    expect(applied.outcome, describeRun(applied.spec.runDir)).toMatchObject({
      succeeded: true,
      providerDispatched: true,
      unfinished: [],
    });
    expect(addressesIn(capsule)).toHaveLength(3);
    const next = await capsule.plan({ variables: {} });
    expect(next.outcome.summary).toEqual({ add: 0, change: 0, destroy: 0 });
    expect(next.outcome.stateSerial).toBe(applied.outcome.state?.serial);
    expect(recordsOf(next.spec.runDir)).toContainEqual(
      expect.objectContaining({ t: 'phase', phase: 'init', state: 'reused' }),
    );
    const end = await capsule.plan({ operation: 'destroy_plan' });
    expect(end.outcome).toMatchObject({ summary: { destroy: 3 }, destructive: true });
    expect((await capsule.apply(end)).outcome.succeeded).toBe(true);
    expect(addressesIn(capsule)).toEqual([]);
    const document = JSON.parse(readFileSync(path.join(end.spec.runDir, end.outcome.projectionFile), 'utf8')) as {
      resources: unknown[];
    };
    expect(document.resources).toHaveLength(3);
  });
});
