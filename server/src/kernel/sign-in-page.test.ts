import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { tempDir } from '../../test/harness.ts';
import { removeSignInPage, writeSignInPage } from './sign-in-page.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = tempDir();
});
afterEach(() => rmSync(dataDir, { recursive: true }));

const link = 'http://127.0.0.1:4000/sign-in?at=1&x=2#token';

test('the page redirects to the link, only its owner can read it, and its address does not contain the link', () => {
  const address = writeSignInPage(dataDir, link);
  expect(address).not.toContain('token');
  const file = fileURLToPath(address);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).toContain('content="0; url=http://127.0.0.1:4000/sign-in?at=1&amp;x=2#token"');
});

test('the next page replaces it, and none is left when the server ends', () => {
  writeSignInPage(dataDir, link);
  const file = fileURLToPath(writeSignInPage(dataDir, 'http://127.0.0.1:4000/sign-in#other'));
  expect(readFileSync(file, 'utf8')).not.toContain('token');
  removeSignInPage(dataDir);
  removeSignInPage(dataDir);
  expect(existsSync(file)).toBe(false);
});

test('a link cannot inject content into the page', () => {
  const file = fileURLToPath(writeSignInPage(dataDir, 'http://127.0.0.1:4000/"><script>#<b>'));
  expect(readFileSync(file, 'utf8')).not.toContain('<script>');
});
