import { afterEach, expect, test, vi } from 'vitest';
import { searchOfDrop } from './dropped-link.ts';

afterEach(() => vi.unstubAllGlobals());

const file = { name: 'network' };
const drag = (texts: Record<string, string>, files: object[] = []) =>
  ({ dataTransfer: { getData: (type: string) => texts[type] ?? '', files } }) as never;
const inDesktop = (path: string) => vi.stubGlobal('window', { groundControlDesktop: { droppedPath: () => path } });
const inBrowser = () => vi.stubGlobal('window', {});

test('a dropped folder leads to its inspection in the desktop, and to nothing in a browser', () => {
  inDesktop('/home/ada/network');
  expect(searchOfDrop(drag({}, [file]))).toEqual({ url: '/home/ada/network' });
  inDesktop('C:\\Users\\Ada\\network');
  expect(searchOfDrop(drag({}, [file]))).toEqual({ url: 'C:\\Users\\Ada\\network' });
  // A file out of an archive or a mail has no path.
  inDesktop('');
  expect(searchOfDrop(drag({}, [file]))).toBeUndefined();
  inBrowser();
  expect(searchOfDrop(drag({}, [file]))).toBeUndefined();
});

test('a dropped address leads to its inspection, and an install link to its review', () => {
  inBrowser();
  const list = { 'text/uri-list': '# from a browser\r\nhttps://github.com/owner/network\r\n' };
  expect(searchOfDrop(drag(list))).toEqual({ url: 'https://github.com/owner/network' });
  expect(searchOfDrop(drag({ 'text/plain': 'git@github.com:owner/network.git' }))).toEqual({
    url: 'git@github.com:owner/network.git',
  });
  const link = 'groundctl://install?git=https%3A%2F%2Fexample.com%2Fr';
  expect(searchOfDrop(drag({ 'text/plain': link }))).toEqual({ git: 'https://example.com/r' });
});

test('anything else is ignored', () => {
  inBrowser();
  for (const text of ['', 'some words', 'javascript:alert(1)', 'mailto:ada@example.com', 'data:text/html,x'])
    expect([text, searchOfDrop(drag({ 'text/plain': text }))]).toEqual([text, undefined]);
});
