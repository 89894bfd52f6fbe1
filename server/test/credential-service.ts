import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';

export type ServiceRequest = {
  method: string;
  path: string;
  headers: http.IncomingHttpHeaders;
  body: string;
};
type Answer = (response: http.ServerResponse, request: ServiceRequest) => void;

export type TestCredentialService = {
  readonly url: string;
  /** Every request, in order. */
  readonly requests: readonly ServiceRequest[];
  /** Ids of the issued credentials, by the keys of their requests. */
  readonly issued: ReadonlyMap<string, string>;
  /** Ids of the credentials that were revoked, each once. */
  readonly revoked: readonly string[];
  /** Members of the next answers, besides the usual ones. */
  answerMembers: Record<string, unknown>;
  /** Replaces the answers to POST, or to DELETE; undefined restores the usual ones. */
  post: Answer | undefined;
  delete: Answer | undefined;
  /** Resolves when this many requests of a method have arrived. */
  arrived(method: string, count: number): Promise<void>;
  /** Issues the credential of a key, whose id it returns. */
  register(key: string): string;
  /** Drops what was recorded; ids of earlier credentials are not used again. */
  forget(): void;
  close(): Promise<void>;
};

/** The secret that the service gives to the request with this key. */
export const mintedCanary = (key: string): string => `canary-minted-${key.replaceAll(/\W/g, '-')}-5d0c77`;
export const serviceToken = 'canary-service-token-91aa04';

const json = (response: http.ServerResponse, status: number, body: unknown): void =>
  void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

/** Wrong answers to a request for credentials. */
export const wrongAnswers = {
  refuses: (response) => json(response, 403, { error: mintedCanary('echo') }),
  'is busy': (response) => json(response, 503, {}),
  'hangs up': (response) => void response.socket?.destroy(),
  redirects: (response) => void response.writeHead(307, { location: '/elsewhere' }).end(),
  'answers without JSON': (response) => void response.writeHead(200).end('credentials'),
  'repeats a member': (response) => void response.writeHead(200).end('{"id":"a","id":"b"}'),
  'answers with an empty body': (response) => void response.writeHead(200).end(),
  'answers too much': (response) => json(response, 200, { id: 'x', pad: 'x'.repeat(400_000) }),
  'speaks another protocol': (response) => void response.socket?.end('SSH-2.0-none\r\n'),
} satisfies Record<string, Answer>;

/** Starts a credential service on the loopback address. It answers a repeated key with the same credential. */
export async function startCredentialService(): Promise<TestCredentialService> {
  const requests: ServiceRequest[] = [];
  const issued = new Map<string, string>();
  const revoked: string[] = [];
  const wake: (() => void)[] = [];

  let count = 0;
  const register = (key: string): string => {
    const known = issued.get(key);
    if (known !== undefined) return known;
    count += 1;
    issued.set(key, `lease/${count}`);
    return `lease/${count}`;
  };
  const issue: Answer = (response, { headers }) => {
    const key = String(headers['idempotency-key']);
    const values = { token: mintedCanary(key) };
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    json(response, 200, { id: register(key), values, expiresAt, ...service.answerMembers });
  };
  const revoke: Answer = (response, request) => {
    const id = decodeURIComponent(request.path.split('/').at(-1) ?? '');
    const isKnown = [...issued.values()].includes(id) && !revoked.includes(id);
    if (isKnown) revoked.push(id);
    response.writeHead(isKnown ? 204 : 404).end();
  };
  const server = http.createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const { method = '', url = '', headers } = incoming;
    const request = { method, path: url, headers, body: Buffer.concat(chunks).toString() };
    requests.push(request);
    if (headers.authorization !== `Bearer ${serviceToken}`) json(response, 401, {});
    else if (method === 'DELETE') (service.delete ?? revoke)(response, request);
    else (service.post ?? issue)(response, request);
    for (const work of wake.splice(0)) work();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const service: TestCredentialService = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/credentials`,
    requests,
    issued,
    revoked,
    answerMembers: {},
    post: undefined,
    delete: undefined,
    async arrived(method, count) {
      while (requests.filter((request) => request.method === method).length < count)
        await new Promise<void>((resolve) => wake.push(resolve));
    },
    register,
    forget() {
      requests.length = 0;
      revoked.length = 0;
      issued.clear();
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return service;
}

/** Issues the credential although its answer never arrives. */
export const issueSilently =
  (service: TestCredentialService): Answer =>
  (_response, { headers }) =>
    void service.register(String(headers['idempotency-key']));

type ServiceFiles = { recipe: { id: string }; service?: { url: string } };

/** Writes the files of an operator: a recipe, and the credential service for it. */
export function writeServiceFiles(dataDir: string, { recipe, service }: ServiceFiles): void {
  const folders = ['recipes', 'credential-services'].map((name) => path.join(dataDir, name));
  for (const folder of folders) fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const [recipes = '', services = ''] = folders;
  fs.writeFileSync(path.join(recipes, `${recipe.id}.json`), JSON.stringify(recipe), { mode: 0o600 });
  if (!service) return;
  fs.writeFileSync(path.join(services, 'token'), `${serviceToken}\n`, { mode: 0o600 });
  fs.writeFileSync(path.join(services, `${recipe.id}.json`), JSON.stringify({ url: service.url, tokenFile: 'token' }), {
    mode: 0o600,
  });
}

/** A recipe whose credentials come from a credential service. */
export const issuedRecipe = (id: string, envName: string, terraformSource: string[]) => ({
  id,
  displayName: 'Issued',
  terraformSource,
  requiredEnvGroups: [[envName]],
  authModes: {
    issued: {
      env: { [envName]: { from: 'generated' as const, name: 'token' } },
      runIssuance: {
        context: 'capsule-run.v1',
        operatorConnection: 'workspace-bindable',
        storedMaterial: 'none',
        audience: 'https://cloud.example',
        scopes: ['deploy'],
      },
    },
  },
});
