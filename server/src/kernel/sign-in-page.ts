import { rmSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { writePassing } from './runtime-files.ts';

const pageOf = (dataDir: string): string => path.join(dataDir, 'sign-in.html');

/**
 * Writes a page that redirects to a one-time sign-in link, readable only by its owner, and returns its `file:` address.
 * Every user of a machine can read the arguments of its processes, so a browser is started with this address instead of
 * the link.
 */
export function writeSignInPage(dataDir: string, link: string): string {
  const file = pageOf(dataDir);
  writePassing(file, htmlOf(new URL(link).href));
  return pathToFileURL(file).href;
}

export const removeSignInPage = (dataDir: string): void => rmSync(pageOf(dataDir), { force: true });

function htmlOf(link: string): string {
  const address = link.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${address}">
<title>Ground Control</title>
<a href="${address}">Ground Control</a>
`;
}
