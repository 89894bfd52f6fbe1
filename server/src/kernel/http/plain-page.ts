import { createHash } from 'node:crypto';
import type { RefusalPage } from '../errors.ts';

const style = `:root{color-scheme:light dark;font:16px/1.6 system-ui,sans-serif}
body{margin:0}
header{padding:.75rem 1.5rem;border-bottom:1px solid light-dark(#d8dee6,#2c333d);font-weight:600}
header a{color:inherit;text-decoration:none}
main{max-width:36rem;margin:14vh auto 0;padding:0 1.5rem}
h1{font-size:1.25rem;margin:0 0 .75rem}
button{font:inherit;padding:.35rem 1rem;border:1px solid light-dark(#b6bfca,#4a5462);border-radius:.375rem;background:light-dark(#fff,#1b2027);color:inherit;cursor:pointer}
button.primary{background:#1d4ed8;border-color:#1d4ed8;color:#fff}
button:focus-visible{outline:2px solid #1d4ed8;outline-offset:2px}
form{display:flex;gap:.5rem;margin:1.25rem 0}
code{font-family:ui-monospace,monospace;overflow-wrap:anywhere}
main a{color:LinkText}`;

/** Forbids scripts and external content; the one style is allowed by its digest. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export type PageLanguage = 'en' | 'ja';

/** Returns the first of the product's languages that the browser accepts. */
export const pageLanguageOf = (acceptLanguage: string): PageLanguage =>
  /\b(?:ja|en)\b/i.exec(acceptLanguage)?.[0].toLowerCase() === 'ja' ? 'ja' : 'en';

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
/** Returns plain text as HTML, for content and quoted attributes. */
export const escaped = (text: string): string => text.replace(/[&<>"]/g, (sign) => escapes[sign] ?? '');

const linkHome = '<a href="/">Ground Control</a>';

/**
 * Returns a page without scripts. `title` is plain text and `html` is trusted. The header leads to the dashboard, except
 * on a page that another program than the server shows.
 */
export const plainPage = (
  lang: PageLanguage,
  title: string,
  html: string,
  { hasHome }: { hasHome: boolean } = { hasHome: true },
): RefusalPage => ({
  policy,
  html: `<!doctype html>
<html lang="${lang}">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Ground Control</title>
<style>${style}</style>
<header>${hasHome ? linkHome : 'Ground Control'}</header>
<main>
<h1>${title}</h1>
${html}
</main>
</html>
`,
});
