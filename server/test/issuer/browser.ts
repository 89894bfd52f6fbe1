import type { TestServer } from '../harness.ts';
import { signInCookie } from './app.ts';

/** A browser that is signed in at a server, and follows an authorization to the app. */
export type AppBrowser = {
  /** Follows an authorization, and the redirect to a loopback address. Returns the text of the last page. */
  authorize(address: string, options?: { decision?: 'allow' | 'deny'; choose?: string }): Promise<string>;
};

/** Signs a browser in as the local owner. */
export const openAppBrowser = async (server: TestServer): Promise<AppBrowser> =>
  createAppBrowser(server.url, await signInCookie(server));

/** Creates a browser with the cookie of a session. */
export function createAppBrowser(origin: string, cookie: string): AppBrowser {
  const open = (page: URL) => fetch(page, { headers: { accept: 'text/html', cookie }, redirect: 'manual' });
  const decide = (page: URL, decision: string) => {
    const body = new URLSearchParams({ decision });
    return fetch(page, { method: 'POST', headers: { origin, cookie }, body, redirect: 'manual' });
  };

  return {
    async authorize(address, { decision = 'allow', choose } = {}) {
      let next = new URL(address);
      while (next.origin === origin) {
        const isConsent = next.pathname.startsWith('/oauth/consent/');
        const answer = await (isConsent ? decide(next, decision) : open(next));
        const text = await answer.text();
        const location = answer.headers.get('location') ?? linkTo(text, choose);
        if (location === undefined) return text;
        next = new URL(location, origin);
      }
      return (await fetch(next)).text();
    },
  };
}

/** Returns the target of the link with this text. */
function linkTo(html: string, text: string | undefined): string | undefined {
  const [, target] = [...html.matchAll(/<a href="([^"]+)">([^<]+)<\/a>/g)].find((link) => link[2] === text) ?? [];
  return target?.replaceAll('&amp;', '&');
}
