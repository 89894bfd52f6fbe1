import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CapsuleConfiguration } from '#shared/configuration-plans/configuration';
import type { Json } from '#shared/kernel/json';
import { accessibilityFindings, hasChromium, keepPicture, views } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { keepToken } from './fixtures/fake-cloud.ts';
import { settled } from './fixtures/feed.ts';
import { applyByHand, runIn, settledPage } from './fixtures/form-steps.ts';
import { applyPlan, getRun, installPlanned, outputsOf } from './fixtures/journey.ts';
import { fakeModule } from './fixtures/modules.ts';
import { openRoute } from './fixtures/route.ts';
import { addPerson } from './fixtures/second-person.ts';

const module = `variable "title" {
  type        = string
  description = "Title of the shop"
}
variable "seats" {
  type    = number
  default = 2
}
variable "names" {
  type    = list(string)
  default = []
}
variable "pin" {
  type      = string
  default   = ""
  sensitive = true
}
variable "fail" {
  type    = bool
  default = false
}
resource "terraform_data" "shop" {
  input = "\${var.title} \${var.seats} \${nonsensitive(length(var.pin))}"
}
resource "terraform_data" "check" {
  count = var.fail ? 1 : 0
  provisioner "local-exec" {
    command = "false"
  }
}
output "shop" {
  value = terraform_data.shop.output
}
`;
const wired = fakeModule(`variable "title" {
  type = string
}
variable "upstream" {
  type    = string
  default = "none"
}
output "both" {
  value = "\${var.title} \${var.upstream}"
}
`);
const many = Array.from(
  { length: 200 },
  (_, at) => `variable "input_${at}" {\n  type    = string\n  default = "value ${at}"\n}\n`,
).join('');

describe.skipIf(!hasChromium)('the configuration of a Capsule', () => {
  serveBrowsed({ providers: true });
  let capsuleId = '';
  const subjects: Record<string, string> = {};

  async function installed(name: string, text: string, variables: { [name: string]: Json } = {}): Promise<string> {
    const { url } = harness.repository(name, { 'main.tf': text });
    const { plan, capsuleId: id } = await installPlanned(harness, { url, name, variables });
    await applyPlan(harness, plan);
    return id;
  }
  beforeAll(async () => {
    for (const role of ['admin', 'member', 'viewer']) {
      const { subject } = await addPerson(harness.server);
      await harness.http.post(`/api/v1/workspaces/${harness.workspaceId}/members`, { accountId: subject, role });
      subjects[role] = subject;
    }
    capsuleId = await installed('shop', module, { title: 'Books', pin: 'first-secret' });
  });

  const goTo = async (page: Page, id = capsuleId) => {
    await openRoute(page, `/capsules/${id}/configuration`);
    await settledPage(page);
  };
  function visitAs(role: string, view = {}) {
    return browser.visit(harness.server, {
      ...view,
      subject: subjects[role] ?? '',
      workspaceId: harness.workspaceId,
    });
  }
  const rowOf = (page: Page, name: string) => page.locator(`[data-value-of="${name}"]`);
  const fieldOf = (page: Page, name: string) => page.locator(`[data-input="${name}"]`);
  const boxOf = (page: Page, name: string) => fieldOf(page, name).locator(`#input-${name}`);
  const openForm = (page: Page) => page.getByRole('button', { name: 'Change configuration' }).click();
  const submit = (page: Page) => page.getByRole('button', { name: 'Plan the change' }).click();
  /** Changes inputs as another account does, without the page, and waits for the plan. */
  async function changeElsewhere(set: { [name: string]: Json }) {
    const path = `/api/v1/capsules/${capsuleId}`;
    const { configuration } = (await harness.http.get<{ configuration: CapsuleConfiguration }>(`${path}/configuration`))
      .body;
    const { providerBindings, change } = configuration;
    const answer = await harness.http.post<{ configurationPlan: { planRunId: string } }>(
      `${path}/configuration-plans`,
      {
        variablePatch: { set, remove: [] },
        providerBindings,
        interfaceBlueprints: [],
        expected: { authorityGuard: change.authorityGuard },
      },
      { 'idempotency-key': randomUUID() },
    );
    await settled(harness.server, answer.body.configurationPlan.planRunId);
  }

  it('changes two inputs and a secret in one plan, and shows their new origin', async () => {
    const { page, close } = await browser.visit(harness.server);
    await goTo(page);
    await rowOf(page, 'title').getByText('Set at the installation by you').waitFor();
    await rowOf(page, 'seats').getByText('Default of the module').waitFor();
    expect(await rowOf(page, 'pin').textContent()).toContain('Set');
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, 'configuration-read');
    await openForm(page);
    expect(await boxOf(page, 'title').inputValue()).toBe('Books');
    expect(await page.getByRole('button', { name: 'Plan the change' }).isDisabled()).toBe(true);
    // A value that cannot be sent is a change too, also alone.
    await boxOf(page, 'seats').fill('many');
    await submit(page);
    await fieldOf(page, 'seats').getByText('A number is expected').waitFor();
    await boxOf(page, 'title').fill('Films');
    await boxOf(page, 'pin').fill('a-longer-secret');
    await boxOf(page, 'seats').fill('5');
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, 'configuration-form');
    // What was typed is there after a reload, but no secret.
    await page.reload();
    await boxOf(page, 'title').waitFor();
    expect([await boxOf(page, 'title').inputValue(), await boxOf(page, 'seats').inputValue()]).toEqual(['Films', '5']);
    expect(await boxOf(page, 'pin').inputValue()).toBe('');
    expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('a-longer-secret');
    await boxOf(page, 'pin').fill('a-longer-secret');
    await submit(page);
    await page.waitForURL(/\/runs\/plan_/, { timeout: 30_000 });
    const planId = runIn(page);
    await page.getByRole('button', { name: 'Apply', exact: true }).waitFor({ timeout: 60_000 });
    await settled(harness.server, await applyByHand(page));
    expect(await outputsOf(harness, capsuleId)).toEqual({ shop: 'Films 5 15' });
    await goTo(page);
    const link = rowOf(page, 'seats').getByRole('link', { name: 'Changed by you' });
    expect(await link.getAttribute('href')).toBe(`/runs/${planId}`);
    await rowOf(page, 'pin').getByRole('link', { name: 'Changed by you' }).waitFor();
    expect(await page.content()).not.toContain('a-longer-secret');
    await close();
  });

  it('changes an input, a Connection and a Dependency in one plan', async () => {
    const producer = await installed('producer', 'output "url" {\n  value = "https://a.example"\n}\n');
    const id = await installed('wired', wired, { title: 'before' });
    await keepToken(harness, { displayName: 'Plain one', token: 'a-token-that-is-one', isPlain: true });
    const { page, close } = await browser.visit(harness.server);
    await goTo(page, id);
    await openForm(page);
    await boxOf(page, 'title').fill('after');
    await page.getByRole('combobox', { name: 'fake', exact: true }).selectOption({ label: 'Plain one' });
    await page.getByRole('button', { name: 'Add an input' }).click();
    await page.getByLabel('Capsule', { exact: true }).selectOption(producer);
    await page.getByLabel('Output', { exact: true }).selectOption('url');
    await page.getByLabel('Variable of this Capsule', { exact: true }).selectOption('upstream');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await fieldOf(page, 'upstream').waitFor({ state: 'detached' });
    expect(await boxOf(page, 'title').inputValue()).toBe('after');
    await keepPicture(page, 'configuration-whole');
    expect(await accessibilityFindings(page)).toEqual([]);
    await submit(page);
    await page.waitForURL(/\/runs\/plan_/, { timeout: 30_000 });
    await page.getByRole('button', { name: 'Apply', exact: true }).waitFor({ timeout: 60_000 });
    await settled(harness.server, await applyByHand(page));
    expect(await outputsOf(harness, id)).toEqual({ both: 'after https://a.example' });
    await goTo(page, id);
    await rowOf(page, 'upstream').getByRole('link', { name: 'producer' }).waitFor();
    await page.getByText('Plain one').waitFor();
    const { body } = await harness.http.get<{ runs: { id: string }[] }>(
      `/api/v1/workspaces/${harness.workspaceId}/runs?capsuleId=${id}&type=plan`,
    );
    // That of the installation and that of the change.
    expect(body.runs).toHaveLength(2);
    await close();
  });

  it('shows the same values to a Viewer and a Member, and says who may change them', async () => {
    for (const role of ['viewer', 'member']) {
      const { page, close } = await visitAs(role);
      await goTo(page);
      await rowOf(page, 'title').waitFor();
      await page.getByText('Owners and admins can change it.').waitFor();
      expect(await page.getByRole('button', { name: 'Change configuration' }).count()).toBe(0);
      expect([role, await accessibilityFindings(page)]).toEqual([role, []]);
      await close();
    }
  });

  it('keeps what the second of two people typed, says why it is refused, and shows the current values', async () => {
    const { page, close } = await visitAs('admin');
    await goTo(page);
    await openForm(page);
    await boxOf(page, 'title').fill('Mine');
    await boxOf(page, 'seats').focus();
    await page.keyboard.press('Tab');
    await changeElsewhere({ title: 'Theirs', seats: 9 });
    await submit(page);
    const alert = page.getByRole('alert').filter({ hasText: 'Someone else changed this Capsule' });
    await alert.getByText('Theirs').waitFor();
    expect(await boxOf(page, 'title').inputValue()).toBe('Mine');
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, 'configuration-conflict');
    await alert.getByRole('button', { name: 'Load the current values' }).click();
    await fieldOf(page, 'title').getByText('Someone else changed this value.').waitFor();
    expect([await boxOf(page, 'title').inputValue(), await boxOf(page, 'seats').inputValue()]).toEqual(['Mine', '9']);
    // While the page of the plan is loaded, the own change is not taken for that of another person.
    const loaded = Promise.withResolvers<void>();
    await page.route('**/assets/**', async (request) => {
      await loaded.promise;
      await request.continue();
    });
    const reread = page.waitForResponse((answer) => answer.url().endsWith('/configuration'));
    await submit(page);
    await (await reread).finished();
    expect(await alert.count()).toBe(0);
    loaded.resolve();
    await page.waitForURL(/\/runs\/plan_/, { timeout: 30_000 });
    const run = await settled(harness.server, runIn(page));
    expect(await getRun(harness, run.id)).toMatchObject({ status: expect.stringMatching(/succeeded|waiting/) });
    await goTo(page);
    expect(await rowOf(page, 'seats').textContent()).toContain('9');
    await close();
  });

  it('shows a refusal of the server at its field', async () => {
    const { page, close } = await browser.visit(harness.server);
    await goTo(page);
    await openForm(page);
    await fieldOf(page, 'title').getByRole('button', { name: 'More for title' }).click();
    expect(await page.getByRole('menuitemcheckbox', { name: 'Treat as secret' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await boxOf(page, 'title').fill('[REDACTED]');
    await submit(page);
    await fieldOf(page, 'title').getByText('stands for a secret value that is kept').waitFor();
    expect(await boxOf(page, 'title').getAttribute('aria-invalid')).toBe('true');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await rowOf(page, 'title').waitFor();
    await close();
  });

  it('says before a form that a failed apply forbids a change, and leads over the destroy plan to a filled form', async () => {
    const id = await installed('broken', module, { title: 'Broken shop', fail: true });
    const { page, close } = await browser.visit(harness.server);
    await goTo(page, id);
    await page.getByText('Inputs cannot be changed after a failed apply').waitFor();
    expect(await page.getByRole('button', { name: 'Change configuration' }).count()).toBe(0);
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, 'configuration-unsafe');
    const { body } = await harness.http.post<{ run: { id: string } }>(`/api/v1/capsules/${id}/destroy-plan`, {});
    await settled(harness.server, body.run.id);
    await applyPlan(harness, await getRun(harness, body.run.id));
    await goTo(page, id);
    await page.getByRole('button', { name: 'Install again' }).click();
    await page.getByRole('button', { name: 'Inspect repository' }).click();
    await boxOf(page, 'title').waitFor({ timeout: 30_000 });
    expect(await boxOf(page, 'title').inputValue()).toBe('Broken shop');
    await close();
  });

  it('finds one of 200 inputs', async () => {
    const id = await installed('many', many);
    const { page, close } = await browser.visit(harness.server);
    await goTo(page, id);
    await page.getByRole('searchbox', { name: 'Search inputs' }).fill('value 137');
    await rowOf(page, 'input_137').waitFor();
    expect(await page.locator('[data-value-of]').count()).toBe(1);
    await page.getByRole('searchbox', { name: 'Search inputs' }).fill('none of them');
    await page.getByText('No input matches this search.').waitFor();
    await openForm(page);
    await page.getByRole('searchbox', { name: 'Search inputs' }).fill('input_137');
    await boxOf(page, 'input_137').fill('changed');
    await submit(page);
    await page.waitForURL(/\/runs\/plan_/, { timeout: 30_000 });
    await close();
  });

  it.each(views)('is readable and has no findings: %s', async (name, view) => {
    const empty = await installed(`empty-${name.replaceAll(' ', '-')}`, 'output "a" {\n  value = 1\n}\n');
    const { page, close } = await browser.visit(harness.server, view);
    for (const [what, id] of Object.entries({ shop: capsuleId, empty })) {
      await goTo(page, id);
      expect([what, await accessibilityFindings(page)]).toEqual([what, []]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
      await keepPicture(page, `configuration-${what}-${name.replaceAll(' ', '-')}`);
    }
    await goTo(page);
    await page.getByRole('button', { name: /Change configuration|構成を変更/ }).click();
    await boxOf(page, 'title').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, `configuration-change-${name.replaceAll(' ', '-')}`);
    await close();
  });
});
