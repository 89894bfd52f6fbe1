import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ModuleRegistry, startModuleRegistry } from '../server/test/module-registry.ts';
import { accessibilityFindings, hasChromium, keepPicture, shareBrowser, type TestBrowser } from './fixtures/browser.ts';
import { settledPage } from './fixtures/form-steps.ts';
import { type Harness, startHarness } from './fixtures/harness.ts';
import { expectStableLayout, observeLayoutShifts } from './fixtures/layout-shifts.ts';
import { openRoute } from './fixtures/route.ts';
import { addPerson } from './fixtures/second-person.ts';

let registry: ModuleRegistry;
let harness: Harness;
let browser: TestBrowser;
let network: ReturnType<ModuleRegistry['repository']>;
let url = '';

const publish = (version: string) => {
  network.git('tag', `v${version}`);
  registry.publish('example/network/aws', version, `git::${network.url}?ref=v${version}`);
};

/** Checks the open page once it has settled. */
async function expectSound(page: Page, name: string): Promise<void> {
  await settledPage(page);
  await keepPicture(page, name);
  expect([name, await accessibilityFindings(page)]).toEqual([name, []]);
  await expectStableLayout(page);
}

describe.skipIf(!hasChromium)('a repository that calls a module of a registry', () => {
  beforeAll(async () => {
    registry = await startModuleRegistry();
    const output = 'output "name" {\n  value = "one"\n}\n';
    network = registry.repository('network', { 'main.tf': output, LICENSE: 'Apache\n' });
    publish('1.0.0');
    const source = `${registry.host}/example/network/aws`;
    const call = `module "network" {\n  source  = "${source}"\n  version = "~> 1.0"\n}\n`;
    url = registry.repository('stack', { 'main.tf': call, 'main.tftest.hcl': 'run "a" {}\n' }).url;
    harness = await startHarness({ env: { GROUNDCTL_CA_FILE: registry.caFile } });
    browser = await shareBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await harness?.stop();
    await registry?.close();
  });

  it('is copied after a review, installed from the copy, and updated to a newer package', async () => {
    const { page, close } = await browser.visit(harness.server);
    await observeLayoutShifts(page);
    await openRoute(page, '/new');
    await page.getByLabel('Git URL or absolute path').fill(url);
    await page.getByRole('button', { name: 'Inspect repository' }).click();
    const calls = page.getByRole('list', { name: '1 module from elsewhere' });
    await calls.getByText(`${registry.host}/example/network/aws`).waitFor({ timeout: 30_000 });
    expect(await calls.textContent()).toContain('main.tf');
    await expectSound(page, 'copies-refused');

    await page.getByRole('button', { name: 'Make an installable copy' }).click();
    await page.getByRole('region', { name: 'Decision on this copy' }).waitFor({ timeout: 30_000 });
    const packages = page.getByRole('list', { name: 'Packages', exact: true });
    expect(await packages.textContent()).toMatch(/Version1\.0\.0.*sha256:[0-9a-f]{64}.*License fileLICENSE/);
    await page.getByText('main.tftest.hcl').waitFor();
    await expectSound(page, 'copies-review');
    const revisionUrl = page.url();

    await page.getByRole('button', { name: 'Approve and make the copy' }).click();
    await page.getByRole('link', { name: 'Continue with the installation' }).click({ timeout: 30_000 });
    await page.getByRole('heading', { name: 'Inputs' }).waitFor({ timeout: 30_000 });
    expect(await page.getByText('Installable copy').textContent()).toContain('stack');
    await expectSound(page, 'copies-install');

    network.commit({ 'main.tf': 'output "name" {\n  value = "two"\n}\n' });
    publish('1.1.0');
    await openRoute(page, '/sources');
    await page.getByRole('link', { name: 'Installable copies' }).click();
    await page.getByRole('table', { name: 'Installable copies' }).getByText('Ready').waitFor();
    await expectSound(page, 'copies-list');
    await page.getByRole('table', { name: 'Installable copies' }).getByRole('link').click();
    await page.getByRole('button', { name: 'Look for updates' }).click();
    await page.getByText('1.0.0 → 1.1.0').waitFor({ timeout: 30_000 });
    await expectSound(page, 'copies-copy');
    await page.getByRole('button', { name: 'Update the copy' }).click();
    await page.getByRole('heading', { name: 'Changes since the current revision' }).waitFor({ timeout: 30_000 });
    await page.getByText('1.0.0 → 1.1.0').waitFor();
    await expectSound(page, 'copies-update');
    await page.getByRole('button', { name: 'Cancel this revision' }).click();
    await page.getByText('This revision was cancelled').waitFor();
    await page.goto(revisionUrl);
    await page.getByRole('link', { name: 'Continue with the installation' }).waitFor();
    await close();
  });

  it('is read by a viewer without a button, on a phone too', async () => {
    const { subject } = await addPerson(harness.server);
    await harness.http.post(`/api/v1/workspaces/${harness.workspaceId}/members`, {
      accountId: subject,
      role: 'viewer',
    });
    const { page, close } = await browser.visit(harness.server, {
      subject,
      width: 390,
      workspaceId: harness.workspaceId,
    });
    await openRoute(page, '/copies');
    await page.getByRole('main').getByRole('table').getByRole('link').click();
    await page.getByRole('heading', { name: 'Revisions' }).waitFor();
    await settledPage(page);
    expect(await page.getByRole('main').getByRole('button').allTextContents()).toEqual(['']);
    expect(await page.getByRole('link', { name: 'Install from the copy' }).count()).toBe(0);
    await keepPicture(page, 'copies-viewer');
    expect(await accessibilityFindings(page)).toEqual([]);
    await close();
  });

  it('is deleted with its Source after a confirmation', async () => {
    const { page, close } = await browser.visit(harness.server);
    await openRoute(page, '/copies');
    await page.getByRole('main').getByRole('table').getByRole('link').click();
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('button', { name: 'Delete copy' }).click();
    await page.getByText('No installable copy yet').waitFor();
    await expectDeleted();
    await close();
  });

  async function expectDeleted() {
    const path = `/api/v1/sources?workspaceId=${harness.workspaceId}`;
    const { body } = await harness.http.get<{ sources: { url: string }[] }>(path);
    expect(body.sources.map((source) => source.url)).toEqual([url]);
  }
});
