import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Dependency } from '#shared/dependencies/contract';
import { accessibilityFindings, hasChromium, keepPicture, type View, type Visitor, views } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { settled } from './fixtures/feed.ts';
import { settledPage } from './fixtures/form-steps.ts';
import type { Harness, HarnessRepository } from './fixtures/harness.ts';
import { applyPlan, getCapsule, installPlanned, outputsOf, planAgain } from './fixtures/journey.ts';
import { openRoute } from './fixtures/route.ts';
import { addPerson, type SecondPerson } from './fixtures/second-person.ts';

const secret = 'nine-yellow-boats-at-noon';
const giving = (address: string) => `variable "size" {
  type    = number
  default = 1
}
output "address" {
  value = "${address}"
}
output "password" {
  value     = "${secret}"
  sensitive = true
}
`;
const taking = `variable "upstream" {
  type        = string
  default     = "unset-reader"
  description = "Where requests go."
}
variable "password" {
  type      = string
  default   = ""
  sensitive = true
}
output "upstream" {
  value = var.upstream
}
`;

/** Another person, whose Capsule uses Outputs of the owner's. */
let person: SecondPerson;
let theirs: Harness;
let giver: { capsuleId: string; sourceId: string };
let taker: { capsuleId: string };
let repository: HarnessRepository;

const open = async (page: Page, capsuleId: string) => {
  await openRoute(page, `/capsules/${capsuleId}`);
  await page.getByRole('heading', { name: 'Shared Outputs' }).waitFor();
};
const openConfiguration = async (page: Page) => {
  await page.getByRole('link', { name: 'Configuration', exact: true }).click();
  await page.getByRole('heading', { name: 'Inputs from other Capsules' }).waitFor();
};
const linksOf = async (on: Harness, capsuleId: string) =>
  (
    await on.http.get<{ asConsumer: Dependency[]; asProducer: Dependency[] }>(
      `/api/v1/capsules/${capsuleId}/dependencies`,
    )
  ).body;

describe.skipIf(!hasChromium)('Dependencies and OutputShares in the dashboard', () => {
  serveBrowsed();
  beforeAll(async () => {
    person = await addPerson(harness.server);
    theirs = { ...harness, ...person, server: { ...harness.server, token: person.token } };
    repository = harness.repository('giving', { 'main.tf': giving('https://one.example') });
    const planned = await installPlanned(harness, { url: repository.url, name: 'database' });
    await applyPlan(harness, planned.plan);
    giver = planned;
    const { url: other } = harness.repository('taking', { 'main.tf': taking });
    taker = await installPlanned(theirs, { url: other, name: 'web' });
  });

  let owner: Visitor;
  let guest: Visitor;

  it('offers Outputs to another Workspace, the sensitive one with a reason', async () => {
    owner = await browser.visit(harness.server);
    const { page } = owner;
    await open(page, giver.capsuleId);
    await openConfiguration(page);
    await page.getByText('This Capsule uses no Outputs of other Capsules.').waitFor();
    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    await page.getByText('No other Workspace may use an Output').waitFor();
    await page.getByRole('button', { name: 'Offer to another Workspace' }).click();
    await page.getByRole('button', { name: 'Offer', exact: true }).click();
    await page.getByText('This is not the ID of a Workspace.').waitFor();
    await page.getByText('Choose at least one Output.').waitFor();
    await page.keyboard.type(person.workspaceId);
    await page.getByRole('checkbox', { name: /^address/ }).check();
    await page.getByRole('checkbox', { name: /^password/ }).check();
    await page.getByRole('button', { name: 'Offer', exact: true }).click();
    await page.getByText('Give a reason, or leave the sensitive Output out.').waitFor();
    await keepPicture(page, 'share-offer');
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByLabel(/^Reason for sharing/).fill('they run the proxy');
    await page.getByRole('button', { name: 'Offer', exact: true }).dblclick();
    await page.getByText('Not accepted yet').waitFor();
    expect(await page.getByText('Not accepted yet').count()).toBe(1);
    await keepPicture(page, 'share-offered');
  });

  it('is accepted in the other Workspace, where the Outputs can then be chosen', async () => {
    guest = await browser.visit(harness.server, { subject: person.subject });
    const { page } = guest;
    // The person who opens Home sees it.
    await page.getByRole('heading', { name: 'Another Workspace offers Outputs to this one' }).waitFor();
    await keepPicture(page, 'share-home');
    expect(await accessibilityFindings(page)).toEqual([]);
    await open(page, taker.capsuleId);
    await page.getByRole('heading', { name: 'Another Workspace offers Outputs to this one' }).waitFor();
    await keepPicture(page, 'share-incoming');
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Accept', exact: true }).click();
    await page.getByRole('button', { name: 'Accept', exact: true }).waitFor({ state: 'detached' });
    // The page of the other Workspace updates automatically.
    await owner.page.getByText('Shared', { exact: true }).waitFor();
    await openConfiguration(page);
    await page.getByRole('button', { name: 'Add an input' }).click();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await expect.poll(() => page.getByLabel('Capsule', { exact: true }).getAttribute('aria-invalid')).toBe('true');
    await page.getByLabel('Capsule', { exact: true }).selectOption(giver.capsuleId);
    await page.getByLabel('Output', { exact: true }).selectOption('address');
    await page.getByLabel('Variable of this Capsule', { exact: true }).selectOption('upstream');
    await page.getByText('string · Where requests go.').waitFor();
    await keepPicture(page, 'link-add');
    expect(await accessibilityFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Add', exact: true }).dblclick();
    await page.getByText('The next plan uses this.').waitFor();
    expect((await linksOf(theirs, taker.capsuleId)).asConsumer).toMatchObject([{ visibility: 'cross_workspace' }]);
    await keepPicture(page, 'link-added');
  });

  it('passes the value to the plan of the consumer, which is stale when the producer changes it', async () => {
    const link = { producerCapsuleId: giver.capsuleId, outputs: { p: { from: 'password', to: 'password' } } };
    await theirs.http.post(`/api/v1/capsules/${taker.capsuleId}/dependencies`, link);
    const plan = await planAgain(theirs, taker.capsuleId);
    expect(plan).toMatchObject({ status: 'succeeded', dependencySnapshotId: expect.stringMatching(/^depsnap_/) });
    await applyPlan(theirs, plan);
    expect(await outputsOf(theirs, taker.capsuleId)).toEqual({ upstream: 'https://one.example' });
    repository.commit({ 'main.tf': giving('https://two.example') });
    const { body } = await harness.http.post<{ run: { id: string } }>(`/api/v1/sources/${giver.sourceId}/sync`);
    const { sourceSnapshotId } = await settled(harness.server, body.run.id);
    await harness.http.post(`/api/v1/sources/${giver.sourceId}/compatibility-check`, { sourceSnapshotId });
    await applyPlan(harness, await planAgain(harness, giver.capsuleId));
    expect((await getCapsule(theirs, taker.capsuleId)).status).toBe('stale');
    await open(guest.page, taker.capsuleId);
    await guest.page.getByText('Update available').waitFor();
  });

  it('refuses the next plan with a message after the share was revoked', async () => {
    await owner.page.getByRole('button', { name: 'Revoke' }).click();
    const dialog = owner.page.getByRole('alertdialog');
    await dialog.getByText('New plans that need them are refused.').waitFor();
    await keepPicture(owner.page, 'share-revoke');
    await dialog.getByRole('button', { name: 'Revoke' }).dblclick();
    await owner.page.getByText('Revoked', { exact: true }).waitFor();
    await keepPicture(owner.page, 'share-revoked');
    await openConfiguration(owner.page);
    await owner.page.getByRole('heading', { name: 'Used by' }).waitFor();
    const { page } = guest;
    await page.getByRole('button', { name: 'Plan the same commit' }).click();
    await page
      .getByText(/Output "(address|password)" of Capsule "database" is not shared with this Workspace/)
      .waitFor();
    await keepPicture(page, 'plan-refused');
    expect(await accessibilityFindings(page)).toEqual([]);
  });

  it("continues with the module's defaults once the inputs are removed", async () => {
    const { page } = guest;
    await openConfiguration(page);
    for (const name of ['upstream', 'password']) {
      await page.getByRole('button', { name: `Remove the input ${name}` }).click();
      const dialog = page.getByRole('alertdialog');
      await dialog.getByText('From the next plan on').waitFor();
      await dialog.getByRole('button', { name: 'Remove', exact: true }).click();
      await dialog.waitFor({ state: 'detached' });
    }
    await page.getByText('This Capsule uses no Outputs of other Capsules.').waitFor();
    expect(await planAgain(theirs, taker.capsuleId)).toMatchObject({ status: 'succeeded' });
    await Promise.all([owner.close(), guest.close()]);
  });

  it.each(views)('is accessible with a long list, on every side: %s', async (name, view) => {
    const page = (await longList(view)).page;
    for (const tab of ['', '/configuration']) {
      await openRoute(page, `/capsules/${giver.capsuleId}${tab}`);
      await settledPage(page);
      expect([tab, await accessibilityFindings(page)]).toEqual([tab, []]);
      await keepPicture(page, `${name.replaceAll(' ', '-')}-links${tab.replace('/', '-')}`);
    }
    await page.context().close();
  });
});

/** The owner's Capsule, used by one of the same Workspace, and shared once more. */
async function longList(view: View): Promise<Visitor> {
  const { asProducer } = await linksOf(harness, giver.capsuleId);
  if (asProducer.length === 0) {
    const { url } = harness.repository('taking-too', { 'main.tf': taking });
    const { capsuleId } = await installPlanned(harness, {
      url,
      name: 'a proxy with a name that goes on for quite a while',
    });
    const outputs = { address: { from: 'address', to: 'upstream' } };
    await harness.http.post(`/api/v1/capsules/${capsuleId}/dependencies`, {
      producerCapsuleId: giver.capsuleId,
      outputs,
    });
    const share = { fromWorkspaceId: harness.workspaceId, toWorkspaceId: person.workspaceId };
    const body = { ...share, producerCapsuleId: giver.capsuleId, outputs: [{ name: 'address', alias: 'upstream' }] };
    await harness.http.post('/api/v1/output-shares', body);
  }
  return browser.visit(harness.server, view);
}
