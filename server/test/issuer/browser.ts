import type { TestServer } from '../harness.ts';
import { signInCookie } from './app.ts';

/** A browser that is signed in at a server, and follows an authorization to the app. */
export type AppBrowser = {
  /** Follows an authorization, and the redirect to a loopback address. Returns the text of the last page. */
  authorize(address: string, options?: { decision?: 'allow' | 'deny'; choose?: string }): Promise<string>;
};

/** Signs a browser in as the local owner. */
export async function openAppBrowser(server: TestServer): Promise<AppBrowser> {
  const cookie = await signInCookie(server);
  const get = ({ pathname, search }: URL) =>
    server.raw({ path: pathname + search, headers: { accept: 'text/html', cookie } });
  const decide = ({ pathname }: URL, decision: string) => {
    const form = { 'content-type': 'application/x-www-form-urlencoded', origin: server.url, cookie };
    return server.raw({ method: 'POST', path: pathname, headers: form, body: `decision=${decision}` });
  };

  return {
    async authorize(address, { decision = 'allow', choose } = {}) {
      let next = new URL(address);
      while (next.origin === server.url) {
        const isConsent = next.pathname.startsWith('/oauth/consent/');
        const answer = await (isConsent ? decide(next, decision) : get(next));
        const { location = linkTo(answer.text, choose) } = answer.headers;
        if (location === undefined) return answer.text;
        next = new URL(location, server.url);
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
