import fs from 'node:fs';
import path from 'node:path';
import { packageText } from '#server/domains/form-packages/index';
import type { FormIdentity } from '#shared/form-packages/contract';
import type { FormPackage } from '#shared/form-packages/package';
import type { FormResource } from '#shared/form-resources/contract';
import type { Json } from '#shared/kernel/json';
import { formHostPath } from '#shared/vendor';
import { formPackage, identityOf } from './form-package.ts';
import { type RawAnswer, startTestServer, type TestServer } from './harness.ts';

export type Headers = Record<string, string>;
type Options = Parameters<typeof startTestServer>[0] & { packages?: readonly FormPackage[] };
type Desired = {
  name?: string;
  space?: string;
  spec?: object;
  form?: FormIdentity;
  kind?: string;
  apiVersion?: string;
};

/** Writes package files as an operator would. */
export function writePackages(dataDir: string, packages: readonly FormPackage[]): void {
  fs.mkdirSync(path.join(dataDir, 'forms'), { recursive: true, mode: 0o700 });
  for (const [index, one] of packages.entries())
    fs.writeFileSync(path.join(dataDir, 'forms', `package-${index}.json`), packageText(one as unknown as Json));
}

let keys = 0;
/** Returns a fresh `Idempotency-Key`. */
export const freshKey = (): string => {
  keys += 1;
  return `key-${keys}-of-this-test`;
};
export const creating = (key = freshKey()): Headers => ({ 'if-none-match': '*', 'idempotency-key': key });
export const changing = (version: string | number, key = freshKey()): Headers => ({
  'if-match': `"${version}"`,
  'idempotency-key': key,
});

export type FormHostFixture = Awaited<ReturnType<typeof startFormHost>>;

/** Starts a server with a form host and its packages, and calls it with the owner's bearer. */
export async function startFormHost({ packages = [formPackage()], env = {}, ...options }: Options = {}) {
  const server = await startTestServer({ ...options, env: { GROUNDCTL_FORM_HOST: '1', ...env } });
  writePackages(server.dataDir, packages);
  await server.restart();
  const [first = formPackage()] = packages;
  return { server, dataDir: server.dataDir, ...callsOf(server, identityOf(first)) };
}

/** The calls of the protocol, as one bearer. */
export function callsOf(server: TestServer, usual: FormIdentity, token: () => string = () => server.token) {
  const send = (method: string, address: string, { body, headers = {} }: { body?: unknown; headers?: Headers } = {}) =>
    server.raw({
      method,
      path: address,
      headers: {
        authorization: `Bearer ${token()}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  const at = (name = '', kind = usual.formRef.kind) => `${formHostPath}/resources/${kind}/${name}`;
  const queryOf = (form: FormIdentity = usual, space = server.workspaceId) =>
    `?${new URLSearchParams({ space, ...form.formRef, packageDigest: form.packageDigest })}`;
  const desired = ({
    name = 'one',
    space = server.workspaceId,
    spec = { size: 1 },
    form = usual,
    ...more
  }: Desired = {}) => ({
    apiVersion: more.apiVersion ?? form.formRef.apiVersion,
    kind: more.kind ?? form.formRef.kind,
    form,
    metadata: { name, space },
    spec,
  });
  const preview = (body: object, headers: Headers) =>
    send('POST', `${formHostPath}/resources/preview`, { body, headers: withoutKey(headers) });
  const planDigestOf = async (body: object, headers: Headers): Promise<string> => {
    const answer = await preview(body, headers);
    return (answer.json as { review?: { planDigest: string } }).review?.planDigest ?? `sha256:${'0'.repeat(64)}`;
  };
  const put = (body: ReturnType<typeof desired> & { review: object }, headers: Headers) =>
    send('PUT', at(body.metadata.name, body.kind), { body, headers });
  return {
    usual,
    send,
    at,
    queryOf,
    desired,
    preview,
    put,
    /** Previews and applies. */
    async apply(of: Desired = {}, headers: Headers = creating()): Promise<RawAnswer> {
      const body = desired(of);
      return put({ ...body, review: { planDigest: await planDigestOf(body, headers) } }, headers);
    },
    import: (nativeId: string, of: Desired = {}, headers: Headers = creating()) => {
      const body = desired(of);
      return send('POST', `${at(body.metadata.name)}/import`, { body: { ...body, nativeId }, headers });
    },
    read: (name = 'one', form = usual) => send('GET', at(name, form.formRef.kind) + queryOf(form)),
    look: (name: string, operation: 'observe' | 'refresh', headers: Headers, form = usual) =>
      send('POST', `${at(name, form.formRef.kind)}/${operation}${queryOf(form)}`, { headers }),
    events: (name: string, form = usual) => send('GET', `${at(name, form.formRef.kind)}/events${queryOf(form)}`),
    remove: (name: string, headers: Headers, form = usual) =>
      send('DELETE', at(name, form.formRef.kind) + queryOf(form), { headers }),
    legacy: (method: string, address: string, body?: unknown, headers?: Headers) =>
      send(method, `/v1${address}`, { ...(body !== undefined && { body }), ...(headers && { headers }) }),
  };
}

const withoutKey = ({ 'idempotency-key': _, ...headers }: Headers): Headers => headers;

export const statusOf = ({ status, json }: RawAnswer): unknown[] => {
  const code = (json as { error?: { code: string } } | undefined)?.error?.code;
  return code === undefined ? [status] : [status, code];
};
export const resourceIn = ({ json }: RawAnswer): FormResource => {
  const body = json as FormResource & { resource?: FormResource };
  return body.resource ?? body;
};
/** Files of native objects. */
export const nativeDirOf = (dataDir: string): string => path.join(dataDir, 'forms', 'native');
