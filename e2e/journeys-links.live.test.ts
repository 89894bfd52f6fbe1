import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { accessibilityFindings, hasChromium, keepPicture, views } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { applyByHand, tabTo } from './fixtures/form-steps.ts';

/** A label whose apply fails for one name, which no plan can predict. */
const label = `variable "name" {
  type = string
}
resource "terraform_data" "label" {
  input = var.name
}
output "label" {
  value = terraform_data.label.output
  precondition {
    condition     = terraform_data.label.output != "broken"
    error_message = "The label is broken."
  }
}
`;
const files = { 'infra/label/main.tf': label, 'infra/queue/main.tf': 'resource "terraform_data" "queue" {}\n' };
const document = (options: object[]) => ({
  apiVersion: 'install.svc/v1alpha1',
  kind: 'CapsuleSourceOptions',
  metadata: { name: 'label', title: 'Labels for everybody', description: 'Two ways to have a label.' },
  options,
});

/** The event data by which a drop on a page is simulated. */
type DropParts = {
  document: { body: { dispatchEvent(event: object): void } };
  DataTransfer: new () => { setData(type: string, text: string): void };
  DragEvent: new (kind: string, init: object) => object;
};

let git = '';
let commit = '';
const q = encodeURIComponent;

describe.skipIf(!hasChromium)('an install link', () => {
  serveBrowsed({ secureGit: true });
  beforeAll(() => {
    const repository = harness.repository('labels', files);
    git = repository.url;
    commit = repository.commit({});
    repository.git('tag', '-a', '-m', 'one', 'v1.0.0');
    const source = { url: git, path: 'infra/label' };
    const both = document([
      { id: 'stable', title: 'Stable', description: 'Follows the tags.', source },
      { id: 'main', title: 'Newest', source: { ...source, ref: 'main' } },
    ]);
    const texts = { 'offers/options.json': JSON.stringify(both, null, 2), 'offers/bad.json': '{"kind": 3}' };
    harness.repository('offers', texts).git('tag', 'v0.1.0');
  });

  const linkTo = (more: string) => `/install?git=${q(git)}&sourcePath=infra&path=label${more}`;
  const back = '&product=notes.app&return_uri=notes%3A%2F%2Fdone%2Fhere';

  async function plan(page: Page, name: string): Promise<void> {
    await page.getByLabel(/^name/).fill(name);
    await page.getByRole('button', { name: 'Plan', exact: true }).click();
    await page.waitForURL(/\/runs\/plan_/, { timeout: 60_000 });
    await page.getByRole('button', { name: 'Apply', exact: true }).waitFor({ timeout: 60_000 });
  }

  it('goes through sign-in, review, plan and apply to the return link, and fetches nothing before the click', async () => {
    const { page, close } = await browser.visit(harness.server, { before: linkTo(`&name=My+label${back}`) });
    await page.getByRole('heading', { name: 'Review an install link' }).waitFor();
    const main = page.getByRole('main');
    for (const text of [new URL(git).host, 'infra', 'label', 'My label', 'notes.app', 'notes://', 'notes://done/here'])
      await main.getByText(text, { exact: true }).first().waitFor();
    expect(harness.gitRequests).toBe(0);
    await page.reload();
    await page.getByRole('button', { name: 'Inspect repository' }).click();
    await page.getByLabel(/^name/).waitFor({ timeout: 30_000 });
    expect(harness.gitRequests).toBeGreaterThan(0);
    await page.reload();
    await page.getByText('My label').first().waitFor();
    await page.getByText('notes://', { exact: true }).waitFor();
    await plan(page, 'blue');
    await main.getByText('notes://done/here').waitFor();
    const runId = await applyByHand(page);
    const way = page.getByRole('link', { name: 'Go back to notes://' });
    await way.waitFor({ timeout: 60_000 });
    const capsule = await main
      .getByRole('link', { name: /^Capsule/ })
      .first()
      .getAttribute('href');
    const capsuleId = capsule?.split('/')[2];
    const origin = new URL(harness.server.url).origin;
    const expectedLink = `notes://done/here?host_url=${q(origin)}&product=notes.app&run_id=${runId}&capsule_id=${capsuleId}`;
    expect(await way.getAttribute('href')).toBe(expectedLink);
    expect(page.url()).toContain(runId);
    await keepPicture(page, 'link-back');
    await page.goto(`${harness.server.url}/capsules/${capsuleId}`);
    expect(await way.getAttribute('href')).toBe(expectedLink);
    await close();
  });

  it('warns of a return address that is a network share and not an app', async () => {
    const { page, close } = await browser.visit(harness.server);
    await page.goto(`${harness.server.url}${linkTo('&name=share&product=notes.app&return_uri=smb%3A%2F%2Ffiles%2Fx')}`);
    await page.getByText('This address opens a folder of another machine, not an app').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, 'link-share');
    await close();
  });

  it('shows no return link after a failed apply', async () => {
    const { page, close } = await browser.visit(harness.server);
    await page.goto(harness.server.url + linkTo(`&name=later${back}`));
    await page.getByRole('button', { name: 'Inspect repository' }).click();
    await page.getByRole('button', { name: 'Install again' }).click();
    await plan(page, 'broken');
    await applyByHand(page);
    await page.getByText('The label is broken.').first().waitFor({ timeout: 60_000 });
    expect(await page.getByRole('link', { name: /Go back to/ }).count()).toBe(0);
    const main = page.getByRole('main');
    await main
      .getByRole('link', { name: /^Capsule/ })
      .first()
      .click();
    await page.getByRole('heading', { name: 'later', level: 1 }).waitFor();
    expect(await page.getByRole('link', { name: /Go back to/ }).count()).toBe(0);
    await close();
  });

  it('names one module, and does not install another when it is missing: by keyboard alone, in Japanese', async () => {
    const { page, close } = await browser.visit(harness.server, { language: 'ja' });
    await page.goto(`${harness.server.url}/install?git=${q(git)}&sourcePath=infra/label&path=gone`);
    await tabTo(page, page.getByRole('button', { name: 'リポジトリを調べる' }));
    await page.keyboard.press('Enter');
    const alert = page.getByRole('alert');
    await alert.getByText('gone').waitFor({ timeout: 30_000 });
    expect(await page.getByRole('form').count()).toBe(0);
    await close();
  });

  it('is refused as a whole, by the server and by the page', async () => {
    const { page, close } = await browser.visit(harness.server);
    const before = harness.gitRequests;
    const answer = await page.goto(`${harness.server.url}/install?git=${q(git)}&var.name=x`);
    expect(answer?.status()).toBe(400);
    await page.getByRole('heading', { name: 'This install link is refused' }).waitFor();
    await page.getByText('var.name').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, 'link-refused');
    await page.getByRole('link', { name: 'Enter the address of a repository yourself' }).click();
    await page.getByRole('heading', { name: 'Install a module' }).waitFor();
    for (const [query, field] of [
      [`git=${q(git)}&x=1`, 'x'],
      [`git=${q(git)}&ref=%zz`, 'ref'],
      [`git=${q(git)}&ref=a&ref=b`, 'ref'],
      [`git=${q(git)}&product=a&return_uri=javascript%3A%2F%2Fx`, 'return_uri'],
    ]) {
      await page.goto(`${harness.server.url}/new?${query}`);
      await page
        .getByRole('alert')
        .getByText(field ?? '', { exact: true })
        .waitFor();
      expect(await page.getByRole('button', { name: 'Inspect repository' }).count()).toBe(0);
      expect(new URL(page.url()).search).toBe(`?${query}`);
    }
    expect(harness.gitRequests).toBe(before);
    await close();
  });

  it('is also reviewed when it is dropped on the window or pasted into the address field', async () => {
    const { page, close } = await browser.visit(harness.server);
    const before = harness.gitRequests;
    const drop = (text: string) =>
      page.evaluate((dropped) => {
        const { document: shown, DataTransfer: Transfer, DragEvent: Drag } = globalThis as unknown as DropParts;
        const dataTransfer = new Transfer();
        dataTransfer.setData('text/uri-list', dropped);
        for (const kind of ['dragover', 'drop'])
          shown.body.dispatchEvent(new Drag(kind, { bubbles: true, cancelable: true, dataTransfer }));
      }, text);
    await drop('not an address');
    await drop(`# a comment\r\nhttps://ground.example${linkTo('&name=Dropped')}`);
    await page.getByRole('heading', { name: 'Review an install link' }).waitFor();
    await page.getByText('Dropped').waitFor();
    await drop(`groundctl://install?git=${q(git)}&x=1`);
    await page.getByRole('heading', { name: 'This install link is refused' }).waitFor();
    await page.goto(harness.server.url);
    await page
      .getByRole('main')
      .getByRole('textbox')
      .first()
      .fill(`https://ground.example${linkTo('&name=Pasted')}`);
    await page.keyboard.press('Enter');
    await page.getByText('Pasted', { exact: true }).waitFor();
    await page.getByRole('heading', { name: 'Review an install link' }).waitFor();
    expect(harness.gitRequests).toBe(before);
    await close();
  });

  it('to a document of sources shows its exact bytes, and pins the chosen source', async () => {
    const { page, close } = await browser.visit(harness.server);
    const url = `${new URL(git).origin}/plain/offers`;
    const before = harness.gitRequests;
    await page.goto(`${harness.server.url}/install?kind=capsule-source-options&git=${q(url)}&path=offers/options.json`);
    await page.getByText('the highest stable version').waitFor();
    expect(harness.gitRequests).toBe(before);
    await page.getByRole('button', { name: 'Read the document' }).click();
    await page.getByRole('heading', { name: 'Labels for everybody' }).waitFor({ timeout: 30_000 });
    await page.getByText('v0.1.0').waitFor();
    await page.getByText(/^sha256:[0-9a-f]{64}$/).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Choose: Stable' }).click();
    await page.getByRole('heading', { name: 'Review an install link' }).waitFor();
    // The tag may move; the chosen commit does not.
    await page.getByText(commit).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Choose: Newest' }).click();
    await page.getByRole('heading', { name: 'Review an install link' }).waitFor();
    expect(new URL(page.url()).search).toBe(`?git=${q(git)}&ref=main&sourcePath=infra%2Flabel`);
    await page.goto(
      `${harness.server.url}/install?kind=capsule-source-options&git=${q(url)}&path=offers/bad.json&ref=main`,
    );
    await page.getByRole('button', { name: 'Read the document' }).click();
    await page.getByText('/apiVersion').waitFor({ timeout: 30_000 });
    await close();
  });

  it.each(views)('is accessible on each of its screens: %s', async (name, view) => {
    const { page, close } = await browser.visit(harness.server, view);
    const options = `kind=capsule-source-options&git=${q(`${new URL(git).origin}/plain/offers`)}`;
    const screens: [string, string, number | undefined][] = [
      ['review', linkTo(`&name=My+label${back}`), undefined],
      ['punycode', `/install?git=${q('https://例え.jp/team/modules')}`, undefined],
      ['refused', '/new?git=x', undefined],
      ['options', `/install?${options}&path=offers/options.json`, undefined],
      ['chooser', `/install?${options}&path=offers/options.json`, 0],
      ['bad', `/install?${options}&path=offers/bad.json`, 0],
    ];
    for (const [screen, route, press] of screens) {
      await page.goto(harness.server.url + route);
      await page.getByRole('heading', { level: 1 }).waitFor();
      if (press !== undefined) {
        await page.getByRole('main').getByRole('button').first().click();
        await page.getByText('sha256:').waitFor({ timeout: 30_000 });
      }
      expect([screen, await accessibilityFindings(page)]).toEqual([screen, []]);
      const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      expect([screen, overflow]).toEqual([screen, 0]);
      await keepPicture(page, `link-${screen}-${name.replaceAll(' ', '-')}`);
    }
    await close();
  });
});
