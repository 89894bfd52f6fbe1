import { randomBytes } from 'node:crypto';
import { visibleText } from '#shared/visible-text';

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text for HTML, with characters that deceive shown as escapes. */
export const escapeHtml = (text: string): string =>
  visibleText(text).replace(/[&<>"']/g, (char) => escapes[char] ?? char);

type Page = { title: string; language: string; style: string; body: string; script?: string };

const colors = `:root{color-scheme:light dark;--bg:#f6f7f9;--fg:#1b1f24;--muted:#57606a;--line:#d0d7de;--bad:#b42318}
@media(prefers-color-scheme:dark){:root{--bg:#0f1216;--fg:#e6e9ed;--muted:#9aa4b0;--line:#2b323b;--bad:#ff8a80}}
*{box-sizing:border-box}body{margin:0;background:var(--bg);color:var(--fg);font:14px/1.4 system-ui,sans-serif}`;

/**
 * Returns the address of a page of the desktop itself. It has no origin, loads nothing and runs only its own script.
 * `body` is HTML; texts in it are escaped by the caller.
 */
export function pageAddress({ title, language, style, body, script }: Page): string {
  const nonce = randomBytes(16).toString('base64');
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'`;
  const html = `<!doctype html><html lang="${language}"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}"><title>${escapeHtml(title)}</title>
<style nonce="${nonce}">${colors}${style}</style></head><body>${body}
${script === undefined ? '' : `<script nonce="${nonce}">${script}</script>`}</body></html>`;
  return `data:text/html;charset=utf-8;base64,${Buffer.from(html).toString('base64')}`;
}
