import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CapsuleConfiguration } from '#shared/configuration-plans/configuration';
import { groundctl } from './fixtures/groundctl.ts';
import { type Harness, startHarness } from './fixtures/harness.ts';
import { applyPlan, getRun, installPlanned, outputsOf } from './fixtures/journey.ts';

const module = `variable "title" { type = string }
variable "seats" {
  type    = number
  default = 2
}
variable "zones" {
  type    = list(string)
  default = []
}
variable "pin" {
  type      = string
  default   = ""
  sensitive = true
}
resource "terraform_data" "shop" {
  input = "\${var.title} \${var.seats} \${join(",", var.zones)} \${nonsensitive(length(var.pin))}"
}
output "shop" { value = terraform_data.shop.output }
`;
const secret = 'a-secret-of-the-command-line';

let harness: Harness;
let capsuleId = '';
beforeAll(async () => {
  harness = await startHarness();
  const { url } = harness.repository('shop', { 'main.tf': module });
  const { plan, ...planned } = await installPlanned(harness, { url, name: 'shop', variables: { title: 'Books' } });
  ({ capsuleId } = planned);
  await applyPlan(harness, plan);
});
afterAll(() => harness?.stop());

const config = (verb: 'get' | 'set', args: string[], input = '') =>
  groundctl(['config', verb, ...args, '--data-dir', harness.server.dataDir], { input });

describe('groundctl config', () => {
  it('lists inputs with value and origin, by id and by name', async () => {
    const { code, out } = await config('get', ['shop']);
    expect(code).toBe(0);
    const rows = out.split('\n').map((line) => line.replaceAll(/ {2,}/g, ' | '));
    expect(rows[0]).toBe('INPUT | VALUE | ORIGIN');
    expect(rows[1]).toMatch(/^title \| "Books" \| installation by sub_\w+, [\d-]+ [\d:]+Z$/);
    expect(rows[2]).toBe('seats | 2 | module_default');
    const document = JSON.parse((await config('get', [capsuleId, '--json'])).out) as {
      configuration: CapsuleConfiguration;
    };
    expect(document.configuration.inputs.map(({ name }) => name)).toEqual(['title', 'seats', 'zones', 'pin']);
    expect((await config('get', ['nothing'])).code).toBe(2);
  });

  it('changes several inputs and a secret in one plan, and returns one to its default', async () => {
    const set = await config('set', ['shop', 'seats=5', 'zones=["a", "b"]', '--secret-var', 'pin', '--json'], secret);
    expect([set.code, set.err]).toEqual([3, expect.stringContaining('The plan waits at')]);
    const { outcome, planRunId } = JSON.parse(set.out) as { outcome: string; planRunId: string };
    expect(outcome).toBe('waiting');
    await applyPlan(harness, await getRun(harness, planRunId));
    expect(await outputsOf(harness, capsuleId)).toEqual({ shop: `Books 5 a,b ${secret.length}` });
    const { out } = await config('get', ['shop']);
    expect(out).toMatch(/^pin +\(set\) +configuration_plan by sub_\w+, .*\(plan_\w+\)$/m);
    expect(out + set.out + set.err).not.toContain(secret);
    const unset = await config('set', ['shop', '--unset', 'zones']);
    expect(unset.code).toBe(3);
    expect(unset.out).toContain('Plan: 0 to add, 1 to change, 0 to destroy');
    expect((await config('get', ['shop'])).out).toMatch(/^zones +\[\] +module_default$/m);
  });

  it('refuses what would be wrong or readable before anything is planned', async () => {
    const refused: [string[], string][] = [
      [['shop'], 'Name a change'],
      [['shop', 'seats'], 'takes NAME=VALUE'],
      [['shop', 'seats=many'], 'does not fit its type'],
      [['shop', 'other=1'], 'has no variable'],
      [['shop', 'pin=visible'], 'sensitive'],
      [['shop', 'seats=1', '--unset', 'seats'], 'both set and unset'],
      [['shop', '--secret-var', 'title'], 'would be readable'],
      [['shop', '--unset', 'title'], 'has no default'],
    ];
    for (const [args, message] of refused) {
      const { code, err } = await config('set', args, secret);
      expect([args, code, err]).toEqual([args, 2, expect.stringContaining(message)]);
    }
  });
});
