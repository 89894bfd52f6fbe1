import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { StateResource } from '#shared/state-resources/contract';
import { groundctl } from './fixtures/groundctl.ts';
import { type Harness, startHarness } from './fixtures/harness.ts';
import { applyPlan, installPlanned, planAgain, stateVersions, takeNewest } from './fixtures/journey.ts';

/* What the real tool writes into a state: marks, copies that lost them, dynamic values, checks and moves. */

const moduleOf = (name: string, size: number, more = '') => `variable "token" {
  type      = string
  sensitive = true
}
variable "names" {
  type    = set(string)
  default = ["eu", "us \\"quoted\\""]
}
resource "terraform_data" "${name}" {
  input            = { size = ${size}, token = var.token, wide = 9007199254740993 }
  triggers_replace = [nonsensitive(base64encode("user:\${var.token}"))]
}
resource "terraform_data" "each" {
  for_each = var.names
  input    = each.key
}
check "size" {
  assert {
    condition     = terraform_data.${name}.output.size > 100
    error_message = "The size is ${size}, and the token \${nonsensitive(var.token)} is not shown."
  }
}
output "token" {
  value     = var.token
  sensitive = true
}
output "size" {
  value = terraform_data.${name}.output.size
}
${more}`;

let harness: Harness;
let capsuleId = '';
let states: string[] = [];
const secret = `Tk-${randomBytes(9).toString('hex')}`;
const mark = { $svc: 'sensitive' };

type Listed = { projection: { status: string }; resources: StateResource[]; checks?: object[] };
const list = async (id: string, query = ''): Promise<Listed> =>
  (await harness.http.get<Listed>(`/api/v1/state-versions/${id}/resources${query}`)).body;
const ready = (id: string) =>
  vi.waitFor(async () => expect((await list(id)).projection.status).toBe('ready'), { timeout: 30_000 });

beforeAll(async () => {
  harness = await startHarness();
  const repository = harness.repository('resources', { 'main.tf': moduleOf('one', 1) });
  const planned = await installPlanned(harness, {
    url: repository.url,
    name: 'resources',
    variables: { token: secret },
    secretVariables: ['token'],
  });
  capsuleId = planned.capsuleId;
  await applyPlan(harness, planned.plan);
  const moved = 'moved {\n  from = terraform_data.one\n  to   = terraform_data.two\n}\n';
  repository.commit({ 'main.tf': moduleOf('two', 2, moved) });
  await takeNewest(harness, planned.sourceId);
  const applied = await applyPlan(harness, await planAgain(harness, capsuleId));
  expect(applied.status).toBe('succeeded');
  states = (await stateVersions(harness, capsuleId)).map(({ id }) => id).reverse();
  for (const id of states) await ready(id);
}, 180_000);
afterAll(() => harness?.stop());

describe('the resources of a real state', () => {
  it('show attributes without sensitive values, their copies and lost digits', async () => {
    const { resources, checks } = await list(states[0] ?? '');
    expect(resources.map(({ address }) => address)).toEqual([
      'terraform_data.each["eu"]',
      'terraform_data.each["us \\"quoted\\""]',
      'terraform_data.one',
    ]);
    const { text } = await harness.http.get(`/api/v1/state-versions/${states[0]}/resources?address=terraform_data.one`);
    expect(text).toContain('9007199254740993');
    expect(resources[2]?.attributes).toMatchObject({
      input: { token: mark, size: 1 },
      output: { token: mark, size: 1 },
      triggers_replace: [mark],
    });
    expect(checks).toEqual([{ kind: 'check', address: 'check.size', status: 'fail', messages: [expect.any(String)] }]);
  });

  it('are compared and followed through a move', async () => {
    const url = `/api/v1/state-versions/${states[0]}/comparison?with=${states[1]}`;
    const { body } = await harness.http.get<{ resources: object[]; outputs: object[] }>(url);
    expect(body.resources).toMatchObject([
      { address: 'terraform_data.two', previousAddress: 'terraform_data.one', actions: ['update'] },
    ]);
    expect(body.outputs).toMatchObject([{ name: 'size', before: 1, after: 2 }]);
    const history = `/api/v1/capsules/${capsuleId}/resource-history?address=terraform_data.one`;
    const { entries } = (await harness.http.get<{ entries: object[] }>(history)).body;
    expect(entries).toMatchObject([
      { generation: 2, change: 'moved', address: 'terraform_data.two', previousAddress: 'terraform_data.one' },
      { generation: 1, change: 'created', address: 'terraform_data.one' },
    ]);
  });

  it('are listed and compared by the command line', async () => {
    const here = ['--data-dir', harness.server.dataDir];
    const listed = await groundctl(['resources', capsuleId, '--search', 'two', ...here]);
    expect([listed.code, listed.out]).toEqual([0, expect.stringContaining('terraform_data.two')]);
    const earlier = await groundctl(['resources', capsuleId, '--at', '1', '--json', ...here]);
    expect(JSON.parse(earlier.out)).toMatchObject({ generation: 1, projection: { status: 'ready' } });
    const diff = await groundctl(['states', 'diff', capsuleId, '1', '2', ...here]);
    expect([diff.code, diff.out]).toEqual([
      0,
      expect.stringContaining('Generation 1 to 2: 0 added, 1 changed, 0 destroyed.'),
    ]);
    const missing = await groundctl(['states', 'diff', capsuleId, '1', '9', ...here]);
    expect([missing.code, missing.err]).toEqual([
      2,
      expect.stringContaining('This Capsule has no generation 9. Its newest is 2.'),
    ]);
    expect(listed.out + earlier.out + diff.out).not.toContain(secret);
  });

  it('leave the secret in no answer, in no log and in no byte of the ledger', async () => {
    const forms = [secret, Buffer.from(`user:${secret}`).toString('base64'), Buffer.from(secret).toString('hex')];
    const texts = [harness.server.log()];
    for (const id of states) texts.push(JSON.stringify(await list(id)));
    const { dataDir } = harness.server;
    for (const name of readdirSync(dataDir).filter((file) => file.startsWith('ledger.db')))
      texts.push(readFileSync(path.join(dataDir, name)).toString('latin1'));
    expect(forms.filter((form) => texts.some((text) => text.includes(form)))).toEqual([]);
  });
});
