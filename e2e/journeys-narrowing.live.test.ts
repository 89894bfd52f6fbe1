import { describe, expect, it } from 'vitest';
import { accessibilityFindings, extremeViews, hasChromium, keepPicture } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { runIn } from './fixtures/form-steps.ts';
import { getRun } from './fixtures/journey.ts';

/** A repository of several teams, one of which takes a module from a registry. */
const files = {
  'network/main.tf': 'module "vpc" {\n  source  = "example/vpc/aws"\n  version = "~> 5.0"\n}\n',
  'label/main.tf':
    'variable "name" {\n  type = string\n}\nresource "terraform_data" "label" {\n  input = var.name\n}\noutput "label" {\n  value = terraform_data.label.output\n}\n',
  'label/tests/label.tftest.hcl': 'run "x" {\n  module {\n    source = "example/setup/aws"\n  }\n}\n',
  'queue/main.tf': 'resource "terraform_data" "queue" {}\n',
};

describe.skipIf(!hasChromium)('a repository that calls a module from elsewhere', () => {
  serveBrowsed();

  it('is reported file by file, narrowed with one click and planned', async () => {
    const { url } = harness.repository('teams', files);
    const { page, close } = await browser.visit(harness.server);
    await page.getByRole('main').getByRole('textbox').first().fill(url);
    await page.keyboard.press('Enter');
    const calls = page.getByRole('list', { name: '1 module from elsewhere' });
    await calls.getByText('network/main.tf').waitFor({ timeout: 30_000 });
    expect(await calls.getByRole('listitem').count()).toBe(1);
    await page.getByText('It calls modules in a registry or another repository').waitFor();
    const offers = page.getByRole('region', { name: 'Folders that can be used' });
    expect(await offers.getByRole('listitem').count()).toBe(2);
    await keepPicture(page, 'narrowing');
    await offers.getByRole('button', { name: /: label$/ }).click();
    await page.getByLabel(/^name/).fill('blue');
    // The address says where one is, so a reload or a link leads to the same folder.
    expect(new URL(page.url()).searchParams.get('url')).toContain('label');
    await page.reload();
    await page.getByLabel(/^name/).fill('blue');
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.waitForURL(/\/runs\/plan_/, { timeout: 60_000 });
    await page.getByRole('button', { name: 'Apply', exact: true }).waitFor({ timeout: 60_000 });
    const run = await getRun(harness, runIn(page));
    expect(run).toMatchObject({ type: 'plan', status: 'succeeded' });
    await close();
  });

  it('goes from the pasted folder of an example to the whole repository, and plans that example', async () => {
    const { url } = harness.repository('with-examples', {
      'main.tf': 'output "which" {\n  value = "root"\n}\n',
      'examples/x/main.tf': 'module "root" {\n  source = "../../"\n}\nresource "terraform_data" "x" {}\n',
    });
    const { page, close } = await browser.visit(harness.server);
    const main = page.getByRole('main');
    await main.getByRole('textbox').first().fill(`${url}//examples/x`);
    await page.keyboard.press('Enter');
    await main.getByRole('button', { name: 'Inspect whole repository' }).click({ timeout: 30_000 });
    await page.getByRole('button', { name: 'Plan', exact: true }).waitFor({ timeout: 30_000 });
    await main.getByText('examples/x').first().waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await main.getByRole('button', { name: 'Choose another' }).click();
    await main.getByLabel('Another folder').fill('../x');
    await main.getByRole('button', { name: 'Use this folder' }).click();
    await main.getByText('Enter a folder inside the repository').waitFor();
    await main.getByLabel('Another folder').fill('examples/y');
    await main.getByRole('button', { name: 'Use this folder' }).click();
    await main.getByText('No module in this folder').waitFor();
    await main.getByRole('button', { name: 'Choose another' }).click();
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, 'left-out-folder');
    await main.getByLabel('Another folder').fill('examples/x/');
    await main.getByRole('button', { name: 'Use this folder' }).click();
    await page.getByRole('button', { name: 'Plan', exact: true }).click({ timeout: 30_000 });
    await page.waitForURL(/\/runs\/plan_/, { timeout: 60_000 });
    await page.getByRole('button', { name: 'Apply', exact: true }).waitFor({ timeout: 60_000 });
    await close();
  });

  it.each(extremeViews)('is accessible with its findings and folders: %s', async (name, view) => {
    const { url } = harness.repository(`teams-${name.replaceAll(' ', '-')}`, files);
    const { page, close } = await browser.visit(harness.server, view);
    await page.getByRole('main').getByRole('textbox').first().fill(url);
    await page.keyboard.press('Enter');
    await page.getByText('network/main.tf').waitFor({ timeout: 30_000 });
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, `narrowing-${name.replaceAll(' ', '-')}`);
    await close();
  });
});
