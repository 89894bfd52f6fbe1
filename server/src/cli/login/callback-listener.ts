import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pageLanguageOf, plainPage } from '../../kernel/http/plain-page.ts';

/** Result of a sign-in, for the last page in the browser. */
type Outcome = 'signedIn' | 'notSignedIn' | 'unknown';

/** The redirect of a sign-in. */
export type Callback = {
  address: URL;
  /** Answers the browser, once the outcome is known. */
  finish: (outcome: Outcome) => Promise<void>;
};

const texts = {
  en: {
    signedIn: ['groundctl is signed in', 'You can close this page and return to the terminal.'],
    notSignedIn: ['groundctl is not signed in', 'The terminal says why. You can close this page.'],
    unknown: ['Nothing waits for this page', 'It does not belong to a sign-in that groundctl has started.'],
  },
  ja: {
    signedIn: ['groundctl がサインインしました', 'このページを閉じて、ターミナルに戻ってください。'],
    notSignedIn: [
      'groundctl はサインインしていません',
      '理由はターミナルに表示されます。このページは閉じてかまいません。',
    ],
    unknown: ['このページを待つサインインはありません', 'groundctl が始めたサインインのものではありません。'],
  },
} as const;

/**
 * Waits on a free port of 127.0.0.1 for the redirect of a sign-in (RFC 8252, 7.3). Other requests, and redirects with
 * another state, are refused and do not end the wait.
 */
export async function listenForCallback() {
  let expect: { state: string; resolve: (callback: Callback) => void } | undefined;
  const server = createServer((request, response) => {
    const address = new URL(request.url ?? '/', redirectUri);
    const isOurs = request.method === 'GET' && request.headers.host === host && address.pathname === '/callback';
    if (!isOurs || !expect || address.searchParams.get('state') !== expect.state) {
      void answer(request, response, 'unknown');
      return;
    }
    const { resolve } = expect;
    expect = undefined;
    resolve({ address, finish: (outcome) => answer(request, response, outcome) });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const redirectUri = `http://${host}/callback`;
  return {
    redirectUri,
    /** Resolves with the first redirect that has this state. Rejects with the reason of the signal. */
    wait: (state: string, signal: AbortSignal): Promise<Callback> =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        expect = { state, resolve };
      }),
    close: (): void => {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Resolves when the answer is sent, or the browser is gone. */
function answer({ headers }: IncomingMessage, response: ServerResponse, outcome: Outcome): Promise<void> {
  const lang = pageLanguageOf(headers['accept-language'] ?? '');
  const [title, text] = texts[lang][outcome];
  const { html, policy } = plainPage(lang, title, `<p>${text}</p>`, { hasHome: false });
  return new Promise((resolve) => {
    response.once('close', resolve);
    response.writeHead(outcome === 'unknown' ? 404 : 200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      connection: 'close',
    });
    response.end(html);
  });
}
