import type { IssuedSession } from './sign-ins.ts';

/** Name of the session cookie of this server, and whether browsers reach the server by https. */
export type SessionCookie = { name: string; secure: boolean };

/** A cookie that scripts cannot read and other sites cannot send (RFC 6265bis, 4.1.2). */
export const cookieText = (
  { name, secure }: SessionCookie,
  { value, path = '/', maxAgeSeconds }: { value: string; path?: string; maxAgeSeconds: number },
): string =>
  `${name}=${value}; HttpOnly; SameSite=Lax; Path=${path}; Max-Age=${maxAgeSeconds}${secure ? '; Secure' : ''}`;

/** The header that signs a browser in. */
export const signedInHeader = (cookie: SessionCookie, { token, maxAgeSeconds }: IssuedSession) => ({
  'set-cookie': cookieText(cookie, { value: token, maxAgeSeconds }),
});

/** The header that signs a browser out. */
export const signedOutHeader = (cookie: SessionCookie) => ({
  'set-cookie': cookieText(cookie, { value: '', maxAgeSeconds: 0 }),
});
