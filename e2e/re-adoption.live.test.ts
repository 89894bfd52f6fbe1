import { describe, expect, it } from 'vitest';
import type { ReAdoptionAnswer } from '#shared/re-adoptions/api';
import { accessibilityFindings, extremeViews, hasChromium, keepPicture } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { groundctl } from './fixtures/groundctl.ts';
import type { HarnessRepository } from './fixtures/harness.ts';
import {
  applyPlan,
  getCapsule,
  installPlanned,
  outputsOf,
  planAgain,
  syncSource,
  takeNewest,
} from './fixtures/journey.ts';
import { openRoute } from './fixtures/route.ts';

const moduleWith = (more: string, value: string) => `variable "title" { type = string }
${more}
resource "terraform_data" "shop" { input = ${value} }
output "shop" { value = terraform_data.shop.output }
`;
const first = moduleWith('', 'var.title');
const second = moduleWith('variable "region" { type = string }', 'join(" in ", [var.title, var.region])');

describe.skipIf(!hasChromium)('a Capsule whose module asks for a new input', () => {
  serveBrowsed();
  let count = 0;
  /** A Capsule of the first commit, whose Source has fetched a second one. */
  async function installed(): Promise<{ capsuleId: string; sourceId: string; repository: HarnessRepository }> {
    count += 1;
    const repository = harness.repository(`shop-${count}`, { 'main.tf': first });
    const { plan, ...planned } = await installPlanned(harness, {
      url: repository.url,
      name: `Shop ${count}`,
      variables: { title: 'Books' },
    });
    await applyPlan(harness, plan);
    repository.commit({ 'main.tf': second });
    await syncSource(harness, planned.sourceId);
    return { ...planned, repository };
  }
  const applied = async (capsuleId: string, sourceId: string) => {
    await takeNewest(harness, sourceId);
    await applyPlan(harness, await planAgain(harness, capsuleId));
    return outputsOf(harness, capsuleId);
  };

  it('is re-adopted on its page, with the inputs of the new commit', async () => {
    const { capsuleId, sourceId } = await installed();
    const { page, close } = await browser.visit(harness.server);
    await openRoute(page, `/capsules/${capsuleId}/configuration`);
    await page.getByRole('button', { name: 'Re-adopt…' }).click();
    const form = page.getByRole('form', { name: 'Re-adopt from another snapshot' });
    await page.getByLabel('Snapshot').selectOption({ index: 1 });
    await form.getByRole('textbox', { name: 'region' }).waitFor();
    expect(await form.getByRole('textbox', { name: 'title' }).inputValue()).toBe('Books');
    await form.getByRole('button', { name: 'Re-adopt' }).click();
    await form.getByText('Give a reason.').waitFor();
    expect((await getCapsule(harness, capsuleId)).executionAuthorityEpoch).toBe(1);
    await form.getByRole('textbox', { name: 'region' }).fill('eu');
    await form.getByLabel('Reason').fill('The region is an input now.');
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, 're-adopt');
    await form.getByRole('button', { name: 'Re-adopt' }).click();
    await page.getByText('Capsule re-adopted').waitFor();
    expect((await getCapsule(harness, capsuleId)).executionAuthorityEpoch).toBe(2);
    expect(await applied(capsuleId, sourceId)).toEqual({ shop: 'Books in eu' });
    await close();
  });

  it.each(extremeViews)('is offered the form in every view: %s', async (name, view) => {
    const { capsuleId } = await installed();
    const { page, close } = await browser.visit(harness.server, view);
    await openRoute(page, `/capsules/${capsuleId}/configuration`);
    await page.locator('main select, main button').first().waitFor();
    await page.getByRole('button', { name: /Re-adopt…|再採用…/ }).click();
    await page.getByLabel(/^Snapshot$|^スナップショット$/).selectOption({ index: 1 });
    await page.getByRole('textbox', { name: 'region' }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, `re-adopt-${name.replaceAll(' ', '-')}`);
    await close();
  });

  it('is re-adopted by the command line, which keeps the other inputs', async () => {
    const { capsuleId, sourceId } = await installed();
    const readopt = (...args: string[]) =>
      groundctl(['capsules', 're-adopt', capsuleId, ...args, '--data-dir', harness.server.dataDir]);
    expect(await readopt('region=us')).toMatchObject({ code: 2, err: expect.stringContaining('--reason') });
    expect(await readopt('--reason', 'why', 'other=us')).toMatchObject({
      code: 2,
      err: expect.stringContaining('no variable "other"'),
    });
    expect(await readopt('--reason', 'why')).toMatchObject({ code: 2, err: expect.stringContaining('region') });
    const answer = await readopt('--reason', 'The region is an input now.', 'region=us', '--json');
    expect([answer.code, answer.err]).toEqual([0, expect.stringContaining('Nothing was planned')]);
    const { installConfigReAdoption } = JSON.parse(answer.out) as ReAdoptionAnswer;
    expect((await getCapsule(harness, capsuleId)).installConfigId).toBe(installConfigReAdoption.targetInstallConfigId);
    expect(await applied(capsuleId, sourceId)).toEqual({ shop: 'Books in us' });
  });
});
