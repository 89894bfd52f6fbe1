import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pagesDir } from '#server/kernel/entry';
import { dataFolderMeta } from '#shared/dashboard/page';

/** Content policy of the dashboard: it may load its own files only. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

const notBuilt = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Ground Control</title>
<h1>Ground Control</h1>
<p>The server works, but its dashboard was not built. Build it with <code>npm run build</code>. The API is described at <a href="/openapi.json">/openapi.json</a>.</p>
</html>
`;

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '"': '&quot;' };

/**
 * The dashboard's single page. Every address serves the same file, and the page routes on the client. With the data folder of a local
 * server, a signed-out page can show the complete sign-in command.
 */
export function readPage(localDataDir?: string): string {
  const file = path.join(pagesDir(), 'index.html');
  if (!existsSync(file)) return notBuilt;
  const html = readFileSync(file, 'utf8');
  if (localDataDir === undefined) return html;
  const content = localDataDir.replace(/[&<"]/g, (sign) => escapes[sign] ?? '');
  return html.replace('</head>', () => `<meta name="${dataFolderMeta}" content="${content}"></head>`);
}
