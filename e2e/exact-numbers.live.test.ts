import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { ExactNumber } from '#shared/kernel/exact-number';
import type { Json } from '#shared/kernel/json';
import { hasChromium, keepPicture } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { applyPlan, installPlanned, outputsOf, planAgain } from './fixtures/journey.ts';
import { openRoute } from './fixtures/route.ts';

const module = `variable "count_of_stars" {
  type    = number
  default = 9007199254740995
}
variable "detail" {
  type = any
}
resource "terraform_data" "one" {
  input = { stars = var.count_of_stars, detail = var.detail }
}
output "asked" {
  value = var.count_of_stars
}
output "stars" {
  value = terraform_data.one.output.stars
}
output "detail" {
  value = terraform_data.one.output.detail
}
`;
/** Prints the number as the tool read it. */
const consumer = `variable "stars" {
  type = number
}
variable "detail" {
  type = any
}
output "stars" {
  value = jsonencode(var.stars)
}
output "share" {
  value = try(jsonencode(var.detail.share), "")
}
`;
const exact = (text: string) => ExactNumber.read(text) as Json;
const odd = '9007199254740993';
const even = '9007199254740992';
const detail = '{"share":0.1234567890123456789,"vast":[1e+400]}';

/** Numbers as the language writes them, most of them longer than JavaScript numbers. */
const token = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.stringMatching(/^[1-9]\d{0,28}$/),
    fc.option(fc.stringMatching(/^\d{1,20}$/), { nil: undefined }),
    fc.option(fc.integer({ min: -420, max: 420 }), { nil: undefined }),
  )
  .map(([sign, whole, fraction, exponent]) =>
    [sign, whole, fraction === undefined ? '' : `.${fraction}`, exponent === undefined ? '' : `e${exponent}`].join(''),
  );

describe.skipIf(!hasChromium)('a number that JavaScript would change', () => {
  serveBrowsed();
  let url = '';
  let capsuleId = '';
  beforeAll(async () => {
    ({ url } = harness.repository('stars', { 'main.tf': module }));
    const variables = {
      count_of_stars: exact(odd),
      detail: { share: exact('0.1234567890123456789'), vast: [exact('1e400')] },
    };
    const planned = await installPlanned(harness, { url, name: 'stars', variables });
    capsuleId = planned.capsuleId;
    await applyPlan(harness, planned.plan);
  });

  it('is the Output that the module has', async () => {
    const { text } = await harness.http.get(`/api/v1/capsules/${capsuleId}/outputs`);
    expect(text).toContain(`"stars":${odd}`);
    expect(text).toContain(`"detail":${detail}`);
    const { page, close } = await browser.visit(harness.server);
    await openRoute(page, `/capsules/${capsuleId}`);
    await page.getByText(odd).first().waitFor();
    await page.getByText('0.1234567890123456789').first().waitFor();
    await close();
  });

  it('is the value that another Capsule receives', async () => {
    const reader = await installPlanned(harness, {
      url: harness.repository('reader', { 'main.tf': consumer }).url,
      name: 'reader',
      variables: { stars: 1, detail: 1 },
    });
    const { status } = await harness.http.post(`/api/v1/capsules/${reader.capsuleId}/dependencies`, {
      producerCapsuleId: capsuleId,
      mode: 'variable_injection',
      outputs: { stars: { from: 'stars', to: 'stars' }, detail: { from: 'detail', to: 'detail' } },
    });
    expect(status).toBe(201);
    await applyPlan(harness, await planAgain(harness, reader.capsuleId));
    const { stars, share } = (await outputsOf(harness, reader.capsuleId)) as { [name: string]: string };
    expect([stars, share]).toEqual([odd, '0.1234567890123456789']);
  });

  it('differs from an adjacent number in the plan', async () => {
    const { page, close } = await browser.visit(harness.server);
    await page.getByRole('main').getByRole('textbox').first().fill(`git::${url}?ref=main`);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Change inputs' }).click();
    const stars = page.getByRole('textbox', { name: /^count_of_stars/ });
    await stars.waitFor();
    expect(await stars.inputValue()).toBe(odd);
    await stars.fill(even);
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.waitForURL(/\/runs\/plan_/, { timeout: 30_000 });
    await page.getByText(`${odd} → ${even}`).waitFor({ timeout: 30_000 });
    await keepPicture(page, 'exact-numbers-plan');
    await close();
  });

  it('keeps every digit', async () => {
    const tokens = fc.sample(token, { numRuns: 60, seed: Number(process.env['GROUNDCTL_TEST_SEED'] ?? 17) });
    const outputs = tokens.map((text, index) => `output "n${index}" {\n  value = ${text}\n}\n`).join('');
    const digits = harness.repository('digits', { 'main.tf': outputs });
    const { capsuleId: id, plan } = await installPlanned(harness, { url: digits.url, name: 'digits' });
    await applyPlan(harness, plan);
    const values = await outputsOf(harness, id);
    const wanted = tokens.map((text, index) => [`n${index}`, String(ExactNumber.read(text))]);
    expect(Object.fromEntries(Object.entries(values ?? {}).map(([name, value]) => [name, String(value)]))).toEqual(
      Object.fromEntries(wanted),
    );
  });
});
