import fs from 'node:fs';
import path from 'node:path';
import type { Role } from '#shared/permissions';
import { sessionCookie } from '#shared/vendor';
import {
  heldClock,
  type RawAnswer,
  type RawRequest,
  startTestServer,
  type TestClient,
  type TestServer,
} from '../harness.ts';
import { challengeOf, credentialOf, issuerClients, redirectOf, verifier } from './clients.ts';
import { locationOf, outcomeOf, parametersOf, publicUrl } from './outcome.ts';

export { publicUrl } from './outcome.ts';
export const formType = { 'content-type': 'application/x-www-form-urlencoded' };

export type Fields = Readonly<Record<string, string>>;
/** Changes to the parameters of a valid request; undefined leaves a parameter out. */
export type Changes = Readonly<Record<string, string | undefined>>;
export type Tokens = { access_token: string; refresh_token: string; id_token: string; scope: string };
/** A person who is signed in at a browser. */
export type Person = { subject: string; token: string; cookie: string; api: TestClient };
type FlowOptions = { clientId?: string; person?: Person; changes?: Changes };
export type IssuerWorld = Awaited<ReturnType<typeof startIssuerWorld>>;

export const changed = (fields: Fields, changes: Changes): Fields =>
  Object.fromEntries(
    Object.entries({ ...fields, ...changes }).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );

/** Returns the parameters of a valid authorization request. */
export const authorizationOf = (clientId: string, workspaceId: string): Fields => ({
  response_type: 'code',
  client_id: clientId,
  redirect_uri: redirectOf(clientId),
  scope: clientId === 'calendar' ? 'openid' : 'openid offline_access',
  state: 'state',
  nonce: 'nonce',
  code_challenge: challengeOf(verifier),
  code_challenge_method: 'S256',
  workspace_id: workspaceId,
});

/** Returns the form that exchanges a code. */
export const exchangeOf = (clientId: string, code: string): Fields => ({
  grant_type: 'authorization_code',
  code,
  redirect_uri: redirectOf(clientId),
  code_verifier: verifier,
});

export const cookieOf = (token: string): string => `${sessionCookie}=${token}`;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Creates the requests of a world. Each comes from another address, so that no rate limit counts two of them together. */
function createRequests(server: TestServer) {
  let addresses = 0;
  function send(request: RawRequest): Promise<RawAnswer> {
    addresses += 1;
    const from = `10.${addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}`;
    return server.raw({ ...request, headers: { 'x-forwarded-for': from, ...(request.headers as Fields) } });
  }
  const get = (address: string, headers: Fields = {}) => send({ path: address, headers });
  const post = (address: string, form: Fields | string, headers: Fields = {}) =>
    send({
      method: 'POST',
      path: address,
      headers: { ...formType, ...headers },
      body: typeof form === 'string' ? form : String(new URLSearchParams(form)),
    });
  /** Posts a form as a client that authenticates in its registered way. */
  function postAs(clientId: string, address: string, fields: Fields): Promise<RawAnswer> {
    const { headers, form } = credentialOf(clientId);
    return post(address, { ...fields, ...form }, headers);
  }
  return {
    send,
    get,
    post,
    postAs,
    refresh: (token: string, clientId = 'notes', more: Fields = {}) =>
      postAs(clientId, '/oauth/token', { grant_type: 'refresh_token', refresh_token: token, ...more }),
    userinfo: (token: string) => get('/oauth/userinfo', bearer(token)),
    introspect: (token: string, clientId = 'notes') => postAs(clientId, '/oauth/introspect', { token }),
    /** Reads the Workspace of the tests at the API. */
    readApi: (token: string) => get(`/api/v1/workspaces/${server.workspaceId}/capsules`, bearer(token)),
    /** Requests an authorization with parameters, or with a query as it is sent. */
    authorize(parameters: Fields | string, { cookie }: { cookie?: string | undefined }, headers: Fields = {}) {
      const search = typeof parameters === 'string' ? parameters : String(new URLSearchParams(parameters));
      const session: Fields = cookie === undefined ? {} : { cookie };
      return get(`/oauth/authorize?${search}`, { accept: 'application/json', ...session, ...headers });
    },
    decide: (page: string, { cookie }: Person, decision: 'allow' | 'deny' = 'allow') =>
      post(page, { decision }, { cookie, origin: publicUrl }),
  };
}

function createPeople(server: TestServer) {
  async function signIn(subject: string): Promise<Person> {
    const { session } = (await server.as(server.operatorToken).issueSession({ body: { subject } })).body;
    return { subject, token: session.token, cookie: cookieOf(session.token), api: server.as(session.token) };
  }
  return {
    signIn,
    owner: () => signIn(server.subject),
    member: async (role: Role) => signIn((await server.join(role)).subject),
  };
}

/** Starts a server behind a proxy, on a clock that moves only on request, with clients of every kind. */
export async function startIssuerWorld(
  options: Omit<NonNullable<Parameters<typeof startTestServer>[0]>, 'clock' | 'env'> = {},
) {
  const clock = heldClock(Date.now());
  const env = { GROUNDCTL_PUBLIC_URL: publicUrl, GROUNDCTL_TRUST_PROXY: '127.0.0.1' };
  const server = await startTestServer({ ...options, clock, env });
  fs.writeFileSync(path.join(server.dataDir, 'oidc-clients.json'), JSON.stringify(issuerClients));
  await server.restart();
  const requests = createRequests(server);
  const people = createPeople(server);

  /** Signs in at a client, with consent where it is required, and returns the code. */
  async function codeOf({ clientId = 'notes', person, changes = {} }: FlowOptions = {}): Promise<string> {
    const by = person ?? (await people.owner());
    let answer = await requests.authorize(changed(authorizationOf(clientId, server.workspaceId), changes), by);
    if (outcomeOf(answer) === 'consent') answer = await requests.decide(locationOf(answer).pathname, by);
    const code = parametersOf(locationOf(answer)).get('code');
    if (code === null) throw new Error(`the flow ends with ${outcomeOf(answer)}`);
    return code;
  }
  async function tokensOf(options: FlowOptions = {}): Promise<Tokens> {
    const { clientId = 'notes' } = options;
    const answer = await requests.postAs(clientId, '/oauth/token', exchangeOf(clientId, await codeOf(options)));
    if (answer.status !== 200) throw new Error(`the exchange ends with ${outcomeOf(answer)}`);
    return answer.json as Tokens;
  }
  return { server, clock, ...requests, ...people, codeOf, tokensOf, close: () => server.close() };
}
