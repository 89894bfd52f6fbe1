import { readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import type { FormResource } from '#shared/form-resources/contract';
import { formCompatibilityPath, formHostPath } from '#shared/vendor';
import { bucketInterface, formPackage, identityOf } from '../server/test/form-package.ts';
import { accessibilityFindings, extremeViews, hasChromium, keepPicture } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { settledPage } from './fixtures/form-steps.ts';
import { expectStableLayout, observeLayoutShifts } from './fixtures/layout-shifts.ts';
import { openRoute } from './fixtures/route.ts';
import { addPerson } from './fixtures/second-person.ts';

const bucket = formPackage({ interfaces: [bucketInterface] });
const form = identityOf(bucket);
const { apiVersion, kind } = form.formRef;
const spec = { size: 12, region: 'eu-1', endpoint: 'https://files.example/one' };
type Spec = Partial<typeof spec>;

describe.skipIf(!hasChromium)('the page of the Resources of the form host', () => {
  serveBrowsed({ env: { GROUNDCTL_FORM_HOST: '1' } });
  const ids = new Map<string, string>();
  let keys = 0;

  const resourcePath = (name: string) => `${formHostPath}/resources/${kind}/${name}`;
  const exactQuery = () =>
    new URLSearchParams({ space: harness.workspaceId, ...form.formRef, packageDigest: form.packageDigest });
  const newKey = () => {
    keys += 1;
    return { 'idempotency-key': `operation-${keys}` };
  };
  /** Previews and applies a desired state, on the version that is named. */
  async function apply(name: string, desired: Spec, version?: string): Promise<void> {
    const { http, workspaceId } = harness;
    const condition = version === undefined ? { 'if-none-match': '*' } : { 'if-match': `"${version}"` };
    const body = { apiVersion, kind, form, metadata: { name, space: workspaceId }, spec: desired };
    const preview = await http.post<{ review: { planDigest: string } }>(
      `${formHostPath}/resources/preview`,
      body,
      condition,
    );
    const { planDigest } = preview.body.review;
    const headers = { ...condition, ...newKey() };
    const applied = await http.put<FormResource>(resourcePath(name), { ...body, review: { planDigest } }, headers);
    expect([name, applied.status]).toEqual([name, 200]);
    ids.set(name, applied.body.status?.observed.id ?? '');
  }
  async function observe(name: string, version: string): Promise<void> {
    const headers = { 'if-match': `"${version}"`, ...newKey() };
    const { status } = await harness.http.post(`${resourcePath(name)}/observe?${exactQuery()}`, undefined, headers);
    expect([name, status]).toEqual([name, 200]);
  }
  /** Replaces the desired state in the native object of a Resource without the form host; deletes the object without one. */
  function changeNative(name: string, changed?: Spec): void {
    const folder = path.join(harness.server.dataDir, 'forms/native');
    for (const file of readdirSync(folder).map((one) => path.join(folder, one))) {
      const native = JSON.parse(readFileSync(file, 'utf8')) as { spec: Spec; owner: { resourceId: string } };
      if (native.owner.resourceId !== ids.get(name)) continue;
      if (changed) writeFileSync(file, JSON.stringify({ ...native, spec: changed }));
      else unlinkSync(file);
    }
  }
  const pageOf = (name: string) => `/form-resources/${ids.get(name)}`;
  const goTo = async (page: Page, address: string) => {
    await openRoute(page, address);
    await settledPage(page);
  };
  const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

  beforeAll(async () => {
    const answer = await fetch(`${harness.server.url}/internal/v1/form-packages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${harness.server.operatorToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ file: 'bucket.json', package: bucket }),
    });
    expect(answer.status).toBe(201);
  });

  it('says how to begin, and lists a Resource that a program creates', async () => {
    const { page, close } = await browser.visit(harness.server);
    await page.getByRole('link', { name: 'Form Resources' }).click();
    await page.getByText('No form Resources').waitFor();
    await page.getByRole('button', { name: 'Copy: Command' }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(
      `${formHostPath}/forms?space=${harness.workspaceId}`,
    );
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, 'form-resources-empty');
    await apply('files', spec);
    await rowOf(page, 'files').getByText('Ready').waitFor();
    await close();
  });

  it('finds the Resources that differ or have lost their native object, by the keyboard alone', async () => {
    await apply('media', spec);
    changeNative('media', { size: 40, region: 'eu-1' });
    await observe('media', '1');
    await apply('lost', spec);
    changeNative('lost');
    await observe('lost', '1');
    const { page, close } = await browser.visit(harness.server);
    await goTo(page, '/form-resources');
    await rowOf(page, 'media').getByText('Drifted: 2 fields').waitFor();
    await rowOf(page, 'media').getByText('you', { exact: true }).waitFor();
    await keepPicture(page, 'form-resources-list');
    await page.getByLabel('Status').selectOption('Drifted');
    await rowOf(page, 'files').waitFor({ state: 'detached' });
    await page.getByLabel('Status').selectOption('Native object missing');
    await rowOf(page, 'lost').getByText('Native object missing').waitFor();
    expect(await page.getByRole('row').count()).toBe(2);
    await page.getByRole('searchbox').fill('media');
    await page.getByText('No matching Resources').waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await rowOf(page, 'files').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('MED');
    await rowOf(page, 'files').waitFor({ state: 'detached' });
    // The list is empty until the answer arrives.
    await rowOf(page, 'media').waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('o');
    await page.getByRole('heading', { level: 1, name: 'media' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(pageOf('media'));
    await close();
  });

  it('shows what is desired at each drifted field, and follows the apply that returns to the desired state', async () => {
    const { page, close } = await browser.visit(harness.server);
    await observeLayoutShifts(page);
    await goTo(page, pageOf('media'));
    await expectStableLayout(page);
    const fields = page.getByRole('list', { name: '2 fields differ from the desired state' }).getByRole('listitem');
    expect(await fields.allInnerTexts()).toEqual([
      expect.stringMatching(/^\/endpoint\s+Desired\s+https:\/\/files\.example\/one/),
      expect.stringMatching(/^\/size\s+Desired\s+12/),
    ]);
    await page.getByRole('button', { name: 'Copy: Package digest' }).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(form.packageDigest);
    const history = page.getByRole('list', { name: 'History' }).getByRole('listitem');
    expect(await history.allInnerTexts()).toEqual([
      expect.stringMatching(/^Compared\s+Version 1\s+you/),
      expect.stringMatching(/^Applied\s+Version 1\s+you/),
    ]);
    await page.getByText('Compare, change or delete this Resource').click();
    await page.getByRole('link', { name: 'media-endpoint' }).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, 'form-resources-drifted');
    await apply('media', spec, '1');
    await fields.first().waitFor({ state: 'detached' });
    await page.getByText('Version 2').waitFor();
    await goTo(page, pageOf('lost'));
    const lost = page.getByText('The native object is missing');
    await lost.waitFor();
    await keepPicture(page, 'form-resources-missing');
    await apply('lost', spec, '1');
    await lost.waitFor({ state: 'detached' });
    await close();
  });

  it('leads from an Interface and from the activity to the Resource, and names it in the palette', async () => {
    const { page, close } = await browser.visit(harness.server);
    await goTo(page, pageOf('media'));
    await page.getByRole('link', { name: 'media-endpoint' }).click();
    await page.getByRole('link', { name: 'Offered by Bucket/media' }).click();
    await page.getByRole('link', { name: 'Activity of all form Resources' }).click();
    await rowOf(page, 'media').getByRole('link', { name: 'You compared a Resource' }).click();
    await page.getByRole('heading', { level: 1, name: 'media' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('form res');
    await page.getByRole('option', { name: 'Form Resources', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Form Resources' }).waitFor();
    await close();
  });

  it('shows a viewer the same, and says that a Resource was deleted while its page is open', async () => {
    const { subject } = await addPerson(harness.server);
    const member = { accountId: subject, role: 'viewer' };
    await harness.http.post(`/api/v1/workspaces/${harness.workspaceId}/members`, member);
    await apply('brief', spec);
    const { page, close } = await browser.visit(harness.server, { subject, workspaceId: harness.workspaceId });
    await goTo(page, pageOf('brief'));
    await page.getByRole('list', { name: 'History' }).getByText('Applied').waitFor();
    const headers = { 'if-match': '"1"', ...newKey() };
    await harness.http.delete(`${resourcePath('brief')}?${exactQuery()}`, headers);
    await page.getByText('This Resource was deleted').waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, 'form-resources-deleted');
    await page.getByRole('link', { name: 'All form Resources', exact: true }).click();
    await rowOf(page, 'media').waitFor();
    expect(await rowOf(page, 'brief').count()).toBe(0);
    await close();
  });

  it.each(extremeViews)('is accessible and fits its screen: %s', async (name, view) => {
    changeNative('media', { size: 40, region: 'eu-1' });
    await observe('media', '2');
    const { page, close } = await browser.visit(harness.server, view);
    for (const [address, picture] of [
      ['/form-resources', 'list'],
      [pageOf('media'), 'media'],
    ] as const) {
      await goTo(page, address);
      expect([address, await accessibilityFindings(page)]).toEqual([address, []]);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect([address, overflow]).toEqual([address, 0]);
      await keepPicture(page, `form-resources-${name.replaceAll(' ', '-')}-${picture}`);
    }
    await close();
  });

  it('pages a long list, and finds a Resource that is not loaded yet', async () => {
    const { http, workspaceId } = harness;
    for (let count = 1; count <= 100; count += 1) {
      const body = { kind, metadata: { name: `copy-${count}` }, spec };
      const { status } = await http.put(
        `${formCompatibilityPath}/resources/${kind}/copy-${count}?space=${workspaceId}`,
        body,
      );
      expect([count, status]).toEqual([count, 200]);
    }
    const { page, close } = await browser.visit(harness.server);
    await goTo(page, '/form-resources');
    expect(await page.getByRole('row').count()).toBe(101);
    await page.getByRole('button', { name: 'Show more' }).click();
    await rowOf(page, 'files').waitFor();
    const queries: string[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname.endsWith('/form-resources') && searchParams.has('limit')) queries.push(searchParams.toString());
    });
    await openRoute(page, '/form-resources?q=files');
    await rowOf(page, 'files').waitFor();
    expect(queries).toEqual(['q=files&limit=100']);
    expect(await page.getByRole('row').count()).toBe(2);
    expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
    await close();
  });

  it('stays readable after the form host was turned off', async () => {
    await harness.server.restart({ GROUNDCTL_FORM_HOST: '0' });
    const { page, close } = await browser.visit(harness.server);
    await page.getByRole('link', { name: 'Form Resources' }).click();
    await page.getByText('The form host is off').waitFor();
    await page.getByRole('searchbox').fill('media');
    await rowOf(page, 'media').getByRole('link').click();
    await page.getByText('These Resources can be read').waitFor();
    await page.getByRole('list', { name: 'History' }).getByText('Applied').first().waitFor();
    expect(await page.getByText('Compare, change or delete this Resource').count()).toBe(0);
    await keepPicture(page, 'form-resources-off');
    await close();
  });
});
