import http from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

/** Claims of the provider for the person who signs in next. */
type Person = { sub: string; email?: string; email_verified?: boolean; name?: string };

export type OidcHost = {
  issuer: string;
  /** Sets the person who signs in from now on. */
  become(person: Person): void;
  close(): Promise<void>;
};

export const hostClient = { clientId: 'ground', clientSecret: 'a-secret-of-this-test-alone-0123456789' };

/**
 * A real OpenID provider on this machine that signs in the configured person, without asking. `callback` is the
 * permitted redirect address of codes.
 */
export async function startOidcHost(callback: string): Promise<OidcHost> {
  const server = http.createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let person: Person = { sub: 'unset' };
  const people = new Map<string, Person>();
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: hostClient.clientId,
        client_secret: hostClient.clientSecret,
        redirect_uris: [callback],
        response_types: ['code'],
        grant_types: ['authorization_code'],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    cookies: { keys: ['a key of this test'] },
    ttl: { Interaction: 600, Grant: 600, Session: 600, AccessToken: 300, IdToken: 300 },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, id) => ({ accountId: id, claims: async () => ({ ...people.get(id), sub: id }) }),
    async loadExistingGrant({ oidc }) {
      const accountId = oidc.session?.accountId;
      const clientId = oidc.client?.clientId;
      if (!accountId || !clientId) return undefined;
      const grant = new provider.Grant({ accountId, clientId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
  const answer = provider.callback();
  server.on('request', (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return void answer(request, response);
    people.set(person.sub, person);
    const login = { login: { accountId: person.sub } };
    void provider.interactionFinished(request, response, login, { mergeWithLastSubmission: false });
  });
  return {
    issuer,
    become(next) {
      person = next;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
