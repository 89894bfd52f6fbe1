import { describe, expect, it } from 'vitest';
import { accessibilityFindings, hasChromium, keepPicture } from './fixtures/browser.ts';
import { browser, harness, serveBrowsed } from './fixtures/browser-harness.ts';
import { openRoute } from './fixtures/route.ts';

const forms = {
  'Token for a module registry': { host: 'registry.example.com', token: 'abc-def-ghi' },
  'Object storage for backups': {
    endpoint: 'https://s3.example.com',
    bucket: 'backups',
    accessKeyId: 'example-key',
    secretAccessKey: 'abcdefghij',
  },
};

describe.skipIf(!hasChromium)('the form of a Connection', () => {
  serveBrowsed({});

  it.each(Object.entries(forms))('%s marks what is missing, and saves what is typed', async (name, values) => {
    const { page, close } = await browser.visit(harness.server);
    await openRoute(page, '/connections/new');
    await page.getByRole('button', { name }).click();
    const [first = ''] = Object.keys(values);
    await page.locator(`input[name=${first}]:focus`).waitFor();
    await page.locator('form button[type=submit]').click();
    await expect.poll(() => page.locator('[aria-invalid=true]').count()).toBe(Object.keys(values).length);
    await page.locator(`input[name=${first}]:focus`).waitFor();
    expect(await accessibilityFindings(page)).toEqual([]);
    await keepPicture(page, `connection-form-${first}`);
    for (const [field, value] of Object.entries(values)) await page.locator(`[name=${field}]`).fill(value);
    await page.locator('form button[type=submit]').click();
    await page.waitForURL(/\/connections\/conn_/);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await close();
  });
});
