import { createHash } from 'node:crypto';
import { sha256Hex } from '#server/kernel/digest';
import type { OidcClient } from '#shared/issuer/contract';

type ClientParts = Pick<OidcClient, 'redirectUris' | 'scopes'> & { name?: string };
const clientWith = (
  clientId: string,
  tokenEndpointAuthMethod: OidcClient['tokenEndpointAuthMethod'],
  more: ClientParts,
): OidcClient => {
  const clientSecretSha256 = sha256Hex(secretOf(clientId));
  const secret = tokenEndpointAuthMethod === 'none' ? {} : { clientSecretSha256 };
  return { clientId, name: clientId, tokenEndpointAuthMethod, ...secret, ...more };
};

/** Returns the secret of a client; a colon, a space and a percent sign test the encoding of `Basic`. */
export const secretOf = (clientId: string): string => `secret:of ${clientId} 100% 0123456789`;

const usualScopes: OidcClient['scopes'] = ['openid', 'profile', 'email', 'offline_access', 'capsules:read'];

/** Clients of the tests of the issuer: one of each kind, and those that only one kind of case uses. */
export const issuerClients: readonly OidcClient[] = [
  clientWith('notes', 'client_secret_basic', {
    name: 'Notes <b>',
    redirectUris: ['https://notes.example.com/callback', 'https://notes.example.com/second?tenant=a'],
    scopes: usualScopes,
  }),
  clientWith('journal', 'client_secret_post', {
    redirectUris: ['https://journal.example.com/callback'],
    scopes: usualScopes,
  }),
  clientWith('board', 'none', { redirectUris: ['https://board.example.com/callback'], scopes: usualScopes }),
  clientWith('device', 'none', {
    redirectUris: ['http://127.0.0.1/callback', 'com.example.app://signed-in/callback'],
    scopes: ['openid', 'offline_access'],
  }),
  clientWith('tools', 'client_secret_basic', {
    redirectUris: ['https://tools.example.com/callback'],
    scopes: usualScopes,
  }),
  // No case allows this client.
  clientWith('calendar', 'client_secret_basic', {
    redirectUris: ['https://calendar.example.com/callback'],
    scopes: ['openid'],
  }),
];

export const redirectOf = (clientId: string): string =>
  issuerClients.find((client) => client.clientId === clientId)?.redirectUris[0] ?? '';

/** Returns an `Authorization` header, encoded as RFC 6749, 2.3.1, demands. */
export const basicOf = (clientId: string, secret = secretOf(clientId)): string => {
  const encoded = [clientId, secret].map((part) => new URLSearchParams({ '': part }).toString().slice(1));
  return `Basic ${Buffer.from(encoded.join(':')).toString('base64')}`;
};

/** Returns what a client sends to authenticate in its registered way: headers and members of the form. */
export function credentialOf(clientId: string): { headers: Record<string, string>; form: Record<string, string> } {
  const method = issuerClients.find((client) => client.clientId === clientId)?.tokenEndpointAuthMethod;
  if (method === 'client_secret_basic') return { headers: { authorization: basicOf(clientId) }, form: {} };
  const secret = method === 'none' ? {} : { client_secret: secretOf(clientId) };
  return { headers: {}, form: { client_id: clientId, ...secret } };
}

export const verifier = 'v'.repeat(43);
export const challengeOf = (text: string): string => createHash('sha256').update(text).digest('base64url');
