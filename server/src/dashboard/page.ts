import { createHash } from 'node:crypto';

/** Posts the one-time token of the fragment, which never reaches a log, and goes to the page behind it. */
const script = `const token = location.hash.slice(1);
const say = (text) => { document.querySelector('p').textContent = text; };
history.replaceState(null, '', location.pathname);
if (token) {
  fetch('/api/v1/auth/link', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ token }) })
    .then(async (answer) => {
      if (answer.ok) location.replace('/');
      else say((await answer.json()).error.message);
    })
    .catch(() => say('The server cannot be reached. Is it still running?'));
} else say('This address needs a one-time link. Ask for one with: npm run serve, then groundctl sign-in.');`;

const style =
  'body{font:16px/1.6 system-ui,sans-serif;max-width:38rem;margin:20vh auto;padding:0 1.5rem;color-scheme:light dark}h1{font-size:1.25rem}';

const hash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Everything these pages may load: themselves, and nothing else. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  `script-src ${hash(script)}`,
  `style-src ${hash(style)}`,
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const page = (text: string, tail = ''): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Ground Control</title>
<style>${style}</style>
<h1>Ground Control</h1>
<p>${text}</p>
${tail}</html>
`;

const home = page(
  'This server works, and you are where its dashboard will be. Until then everything is done through the public API: its description is at <a href="/openapi.json">/openapi.json</a>, and the README walks through an installation with curl.',
);
const signIn = page('Signing you in…', `<script>${script}</script>\n`);

/** The page behind an address outside the API. */
export const pageOf = (path: string): string => (path === '/sign-in' ? signIn : home);
