import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findOpenedPage, pageOfOpened } from './opened-page.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'gc opened-'));
  writeFileSync(path.join(folder, 'main.tf'), '');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const capsule = `groundctl://capsules/cap_${'0'.repeat(26)}`;
const pageOf = (address: string) => `/new?url=${encodeURIComponent(address)}`;

test('a link, a folder and the address of a repository have a page that shows them', () => {
  expect(pageOfOpened(capsule)).toBe(capsule.replace('groundctl:/', ''));
  expect(pageOfOpened(folder)).toBe(pageOf(folder));
  expect(pageOfOpened(pathToFileURL(folder).href)).toBe(pageOf(folder));
  expect(pageOfOpened('https://github.com/owner/network')).toBe(pageOf('https://github.com/owner/network'));
});

test.each([
  '',
  '.',
  'network',
  'http://example.com/plain',
  'https://user:word@example.com/r',
  'https://example.com/a b',
  'javascript:alert(1)',
  'groundctl://elsewhere',
  '//server/share',
  '\\\\server\\share',
  'file://server/share',
  'file:///%zz',
  '/does/not/exist',
])('%j has none', (opened) => {
  expect(pageOfOpened(opened)).toBeUndefined();
});

test('a file has none', () => {
  expect(pageOfOpened(path.join(folder, 'main.tf'))).toBeUndefined();
});

test('it is found among the arguments of a start, which name the program and the application too', () => {
  expect(findOpenedPage([folder, folder, '--flag', capsule], folder)).toBe(capsule.replace('groundctl:/', ''));
  expect(findOpenedPage(['electron', '--allow-file-access-from-files', folder], '/app')).toBe(pageOf(folder));
  expect(findOpenedPage(['electron', `${folder}/`], folder)).toBeUndefined();
  expect(findOpenedPage(['electron', `--url=${capsule}`], '/app')).toBeUndefined();
});
