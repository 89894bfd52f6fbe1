import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Bench, createBench, describeRun, terraform, tofu } from '../../test/runner/capsule.ts';
import { credentialFolder } from '../os/memory-folder.ts';

let bench: Bench;
beforeAll(() => {
  bench = createBench();
});
afterAll(() => bench.end());

const secret = 'value-that-only-the-state-knows';
const producer = (address: string): string =>
  JSON.stringify({
    version: 4,
    terraform_version: '1.11.4',
    serial: 1,
    lineage: 'a-producer',
    outputs: {
      address: { value: address, type: 'string' },
      password: { value: secret, type: 'string', sensitive: true },
    },
    resources: [],
    check_results: null,
  });

const reading = `variable "network" {
  type = string
}
data "terraform_remote_state" "network" {
  backend = "local"
  config = {
    path = var.network
  }
}
resource "terraform_data" "web" {
  input = data.terraform_remote_state.network.outputs.address
  provisioner "local-exec" {
    command = "if ( : >> '\${var.network}' ) 2>/dev/null; then echo could-write; else echo read-only; fi"
  }
}
output "address" {
  value = data.terraform_remote_state.network.outputs.address
}
output "path" {
  value = var.network
}
`;

describe.each([
  { tool: tofu, sandbox: 'bwrap' },
  { tool: tofu, sandbox: 'none' },
  { tool: terraform, sandbox: 'none' },
] as const)('with $tool.name, sandbox $sandbox', ({ tool, sandbox }) => {
  test('a module reads the state of another Capsule by the path in its variable, the same in every Run, and the file is removed afterwards', async () => {
    const capsule = bench.capsule({ tool, sandbox, files: { 'main.tf': reading } });
    const change = (address: string) => ({
      producerStates: [{ variable: 'network', capsuleId: 'cap_network', text: producer(address) }],
      secrets: [secret],
    });
    const plan = await capsule.plan(change('https://one.example'));
    const { spec, outcome } = await capsule.apply(plan, change('https://one.example'));
    expect(outcome, describeRun(spec.runDir)).toMatchObject({ succeeded: true });
    if (sandbox === 'bwrap') expect(describeRun(spec.runDir)).toMatch(/\(local-exec\): read-only/);
    const state = JSON.parse(capsule.state?.text ?? '') as { outputs: Record<string, { value: string }> };
    expect(state.outputs['address']?.value).toBe('https://one.example');
    expect(existsSync(credentialFolder(capsule.dir))).toBe(false);
    if (sandbox === 'bwrap') expect(state.outputs['path']?.value).toBe('/svc/states/cap_network.tfstate');
    const again = await capsule.plan(change('https://one.example'));
    expect(again.outcome.summary).toMatchObject({ add: 0, change: 0, destroy: 0 });
    const next = await capsule.plan(change('https://two.example'));
    expect(next.outcome.summary).toMatchObject({ change: 1 });
    expect(path.basename(state.outputs['path']?.value ?? '')).toBe('cap_network.tfstate');
  });
});
