import { randomUUID } from 'node:crypto';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { canonicalJson, jsonDigest } from '../src/kernel/digest.ts';

type Form = {
  formRef: { apiVersion: string; kind: string; definitionVersion: string; schemaDigest: string };
  packageDigest: string;
};
type Spec = Record<string, unknown>;
type Body = {
  apiVersion: string;
  kind: string;
  form: Form;
  metadata: { name: string; space: string; resourceVersion?: string };
  spec: Spec;
  review?: { planDigest: string };
  nativeId?: string;
};
type Stored = { id: string; name: string; spec: Spec; generation: number; imported: boolean };
type Event = { id: string; action: string; resourceVersion: string; actorId: string; createdAt: string };
type Call = { method: string; url: URL; headers: Record<string, string | undefined>; text: string };
type Reply = { status: number; body?: unknown; headers?: Record<string, string> };

class Refused extends Error {
  readonly reply: { status: number; code: string; hostCode?: string };
  constructor(status: number, code: string, hostCode?: string) {
    super(code);
    this.reply = { status, code, ...(hostCode !== undefined && { hostCode }) };
  }
}
const refuse = (status: number, code: string, hostCode?: string): never => {
  throw new Refused(status, code, hostCode);
};
const stale = (): never => refuse(412, 'resource_version_conflict');
const invalid = (): never => refuse(400, 'invalid_argument');
const unknown = (): never => refuse(404, 'resource_not_found');

export type ReferenceHostOptions = {
  tls: { cert: string; key: string };
  token: string;
  space: string;
  form: Form;
  isValid: (spec: Spec) => boolean;
  /** Native objects that can be imported. */
  native: Map<string, Spec>;
};

const base = '/apis/forms.formhost/v1alpha1';
const keyPattern = /^[A-Za-z0-9][A-Za-z0-9._:/-]{7,127}$/;
const tagOf = ({ generation }: Stored) => ({ etag: `"${generation}"` });

/** A form host in memory that is written from the protocol alone. It serves one form in one space over HTTPS. */
export async function startReferenceHost(options: ReferenceHostOptions) {
  let origin = '';
  const host = new ReferenceHost(options);
  const server = https.createServer(options.tls, async (request, response) => {
    const text = (await request.toArray()).join('');
    const url = new URL(request.url ?? '/', origin);
    const call = { method: request.method ?? '', url, headers: request.headers as Call['headers'], text };
    const { status, body, headers } = answerOf(() => host.answer(call));
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    response.writeHead(status, { 'cache-control': 'no-store', ...type, ...headers });
    response.end(body === undefined ? undefined : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `https://localhost:${(server.address() as AddressInfo).port}`;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  const create = (name: string, spec: Spec) => host.create(name, spec);
  return { origin, close, create, names: () => host.names() };
}

class ReferenceHost {
  readonly #options: ReferenceHostOptions;
  readonly #resources = new Map<string, Stored>();
  readonly #events = new Map<string, Event[]>();
  readonly #operations = new Map<string, string>();
  readonly #owned = new Set<string>();

  constructor(options: ReferenceHostOptions) {
    this.#options = options;
  }

  /** Names of the Resources that exist. */
  names(): string[] {
    return [...this.#resources.keys()];
  }

  /** Creates a Resource as another client does. */
  create(name: string, spec: Spec): void {
    this.#write(name, spec, 'apply');
  }

  answer(call: Call): Reply {
    const { url, method, headers } = call;
    const { pathname } = url;
    if (pathname === '/.well-known/formhost') return discoveryReply(url.origin);
    if (headers['authorization'] !== `Bearer ${this.#options.token}`) return refuse(401, 'unauthenticated');
    if (pathname === '/v1/capabilities') return { status: 200, body: { formHost: true } };
    if (/^\/v1\/resources(?:\/|$)/.test(pathname)) return this.#compatibility(call, pathname.split('/').slice(3));
    if (pathname === `${base}/forms`)
      return method === 'GET' ? this.#listForms(call) : refuse(405, 'invalid_argument', 'method_not_allowed');
    if (pathname === `${base}/resources`) return this.#list(call);
    if (pathname === `${base}/resources/preview`) return this.#preview(call);
    const [, kind, name, action = ''] = pathname.slice(base.length + 1).split('/');
    const isKnown = pathname.startsWith(`${base}/resources/`) && kind === this.#options.form.formRef.kind;
    if (!isKnown || name === undefined) return unknown();
    if (method === 'PUT') return this.#put(call, name);
    return action === 'import' ? this.#import(call, name) : this.#byQuery(call, name, action);
  }

  #show({ id, name, spec, generation, imported }: Stored) {
    const { form, space } = this.#options;
    const { apiVersion, kind } = form.formRef;
    const metadata = { name, space, resourceVersion: `${generation}` };
    const state = { ready: true, generation: `${generation}`, imported, portability: 'portable', driftedFields: [] };
    const status = { observed: { id, ...state }, output: { id: `output-${id}` } };
    return { apiVersion, kind, form, metadata, spec, status };
  }

  #record(action: string, { name, generation }: Stored): void {
    const event = { id: randomUUID(), action: `resource.${action}.succeeded`, resourceVersion: `${generation}` };
    const whole = { ...event, actorId: 'owner', createdAt: new Date().toISOString() };
    this.#events.set(name, [...(this.#events.get(name) ?? []), whole]);
  }

  #requireSpace(named: unknown): void {
    if (named !== this.#options.space) refuse(403, 'permission_denied');
  }

  #requireIdentity(identity: unknown, existing: Stored | undefined): void {
    if (canonicalJson(identity) === canonicalJson(this.#options.form)) return;
    refuse(existing ? 409 : 404, existing ? 'form_identity_conflict' : 'form_unknown');
  }

  #reviewOf({ spec, metadata }: Body, existing: Stored | undefined) {
    const { form, space } = this.#options;
    const specDigest = jsonDigest(spec);
    return {
      specDigest,
      planDigest: jsonDigest([form, space, metadata.name, existing?.generation ?? 0, specDigest]),
    };
  }

  /** Reports whether an operation was completed before, and records its completion. */
  #openOperation({ headers }: Call, operation: unknown) {
    const key = headers['idempotency-key'] ?? '';
    if (!keyPattern.test(key)) invalid();
    const digest = jsonDigest(operation);
    const completed = this.#operations.get(key);
    if (completed !== undefined && completed !== digest) stale();
    return { isCompleted: completed !== undefined, complete: () => this.#operations.set(key, digest) };
  }

  #readBody({ text, headers }: Call, extra: readonly string[] = []): Body {
    if (!headers['content-type']?.startsWith('application/json'))
      refuse(415, 'invalid_argument', 'unsupported_media_type');
    const body = parse(text);
    if (!isWholeBody(body, extra)) invalid();
    this.#requireSpace(body.metadata.space);
    return body;
  }

  #checkDesired({ headers }: Call, { metadata, spec }: Body, existing: Stored | undefined): void {
    const { resourceVersion } = metadata;
    if (resourceVersion !== undefined && resourceVersion !== `${existing?.generation}`) invalid();
    requireVersion(headers, existing);
    if (!this.#options.isValid(spec)) invalid();
  }

  #write(name: string, spec: Spec, action: 'apply' | 'import'): Stored {
    const { id, generation, imported } = this.#resources.get(name) ?? {
      ...{ id: randomUUID(), generation: 0, imported: action === 'import' },
    };
    const stored = { id, name, spec, generation: generation + 1, imported };
    this.#resources.set(name, stored);
    this.#record(action, stored);
    return stored;
  }

  #preview(call: Call): Reply {
    const body = this.#readBody(call);
    const existing = this.#resources.get(body.metadata.name);
    this.#requireIdentity(body.form, existing);
    this.#checkDesired(call, body, existing);
    return { status: 200, body: { resource: this.#planned(body, existing), review: this.#reviewOf(body, existing) } };
  }

  #planned({ metadata: { name }, spec }: Body, existing: Stored | undefined) {
    const generation = (existing?.generation ?? 0) + 1;
    const { status: _, ...resource } = this.#show({ id: '', imported: false, name, spec, generation });
    return resource;
  }

  #put(call: Call, name: string): Reply {
    const body = this.#readBody(call, ['review']);
    if (body.metadata.name !== name) invalid();
    const existing = this.#resources.get(name);
    this.#requireIdentity(body.form, existing);
    const operation = this.#openOperation(call, ['apply', body]);
    const reply = (stored: Stored): Reply => ({
      status: 200,
      body: this.#show(stored),
      headers: { ...tagOf(stored), 'idempotency-key': call.headers['idempotency-key'] ?? '' },
    });
    if (operation.isCompleted && existing) return reply(existing);
    if (body.review?.planDigest !== this.#reviewOf(body, existing).planDigest) stale();
    this.#checkDesired(call, body, existing);
    const stored = this.#write(name, body.spec, 'apply');
    operation.complete();
    return reply(stored);
  }

  #import(call: Call, name: string): Reply {
    const body = this.#readBody(call, ['review', 'nativeId']);
    const existing = this.#resources.get(name);
    this.#requireIdentity(body.form, existing);
    const nativeId = body.nativeId ?? invalid();
    const operation = this.#openOperation(call, ['import', name, nativeId]);
    if (operation.isCompleted && existing) return { status: 200, body: { resource: this.#show(existing) } };
    this.#checkDesired(call, body, existing);
    const spec = this.#options.native.get(nativeId) ?? unknown();
    if (this.#owned.has(nativeId)) refuse(409, 'import_conflict');
    this.#owned.add(nativeId);
    operation.complete();
    return { status: 200, body: { resource: this.#show(this.#write(name, spec, 'import')) } };
  }

  #byQuery(call: Call, name: string, action: string): Reply {
    const identity = readExactQuery(call);
    this.#requireSpace(call.url.searchParams.get('space') ?? invalid());
    const existing = this.#resources.get(name);
    this.#requireIdentity(identity, existing);
    if (call.method === 'DELETE') return this.#delete(call, existing);
    if (!existing) return unknown();
    if (action === 'events') return { status: 200, body: { events: this.#events.get(name) ?? [] } };
    if (action === '') return { status: 200, body: this.#show(existing), headers: tagOf(existing) };
    const operation = this.#openOperation(call, [action, name]);
    if (!operation.isCompleted) {
      requireVersion(call.headers, existing);
      this.#record(action, existing);
      operation.complete();
    }
    return { status: 200, body: { resource: this.#show(existing) }, headers: tagOf(existing) };
  }

  #delete(call: Call, existing: Stored | undefined): Reply {
    if (!existing) return { status: 204 };
    this.#openOperation(call, ['delete', existing.name]);
    requireVersion(call.headers, existing);
    this.#record('delete', existing);
    this.#resources.delete(existing.name);
    return { status: 204 };
  }

  #compatibility(call: Call, [kind = '', name = '']: readonly string[]): Reply {
    const { form } = this.#options;
    const readBody = () => this.#readBody({ ...call, text: JSON.stringify({ ...parse(call.text), form }) });
    if (kind === 'preview') {
      if (parse(call.text).kind !== form.formRef.kind) refuse(404, 'form_unknown');
      const body = readBody();
      const resource = this.#planned(body, this.#resources.get(body.metadata.name));
      return { status: 200, body: { resource } };
    }
    if (kind === '') return this.#list(call);
    this.#requireSpace(call.url.searchParams.get('space'));
    if (kind !== form.formRef.kind) refuse(404, 'form_unknown');
    const stored = call.method === 'PUT' ? this.#write(name, readBody().spec, 'apply') : this.#resources.get(name);
    return stored ? { status: 200, body: { resource: this.#show(stored) } } : unknown();
  }

  #list({ url }: Call): Reply {
    this.#requireSpace(url.searchParams.get('space'));
    return { status: 200, body: { resources: [...this.#resources.values()].map((stored) => this.#show(stored)) } };
  }

  #listForms({ url }: Call): Reply {
    this.#requireSpace(url.searchParams.get('space'));
    const { formRef, packageDigest } = this.#options.form;
    const isMatch = Object.entries({ ...formRef, packageDigest }).every(
      ([name, value]) => (url.searchParams.get(name) ?? value) === value,
    );
    const state = { definitionKnown: true, installed: true, executable: true, activated: true };
    const use = { availableToPrincipal: true, operations: ['preview', 'apply'], deprecated: false };
    return { status: 200, body: { forms: isMatch ? [{ identity: this.#options.form, ...state, ...use }] : [] } };
  }
}

function requireVersion(headers: Call['headers'], existing: Stored | undefined): void {
  const { 'if-match': match, 'if-none-match': noneMatch } = headers;
  const isMet = existing ? match === `"${existing.generation}"` : noneMatch === '*' && match === undefined;
  if (!isMet) stale();
}

function readExactQuery({ url }: Call): Form {
  const get = (name: string) => url.searchParams.get(name) ?? invalid();
  const [apiVersion, kind, definitionVersion] = [get('apiVersion'), get('kind'), get('definitionVersion')];
  const formRef = { apiVersion, kind, definitionVersion, schemaDigest: get('schemaDigest') };
  return { formRef, packageDigest: get('packageDigest') };
}

function parse(text: string): Body {
  try {
    return JSON.parse(text) as Body;
  } catch {
    return invalid();
  }
}

const isVersion = (digits: string): boolean => /^[1-9]\d{0,18}$/.test(digits) && BigInt(digits) < 2n ** 63n;

/** Reports whether all objects of a body are closed and complete, and agree with each other. */
function isWholeBody(body: Body, extra: readonly string[]): boolean {
  const isExact = (value: object | undefined, keys: string[], optional: readonly string[] = []) =>
    typeof value === 'object' &&
    keys.every((key) => key in value) &&
    Object.keys(value).every((key) => keys.includes(key) || optional.includes(key));
  return (
    isExact(body, ['apiVersion', 'kind', 'form', 'metadata', 'spec'], extra) &&
    isExact(body.form, ['formRef', 'packageDigest']) &&
    isExact(body.form.formRef, ['apiVersion', 'kind', 'definitionVersion', 'schemaDigest']) &&
    isExact(body.metadata, ['name', 'space'], ['resourceVersion']) &&
    isVersion(body.metadata.resourceVersion ?? '1') &&
    body.kind === body.form.formRef.kind &&
    body.apiVersion === body.form.formRef.apiVersion
  );
}

const discoveryReply = (origin: string): Reply => ({
  status: 200,
  headers: { 'cache-control': 'public, max-age=300' },
  body: {
    api_versions: ['forms.formhost/v1alpha1'],
    features: {
      service_forms: true,
      exact_form_ref: true,
      optimistic_concurrency: true,
      idempotent_lifecycle: true,
    },
    endpoints: {
      api: `${origin}${base}`,
      forms: `${origin}${base}/forms`,
      capabilities: `${origin}/v1/capabilities`,
      compatibility_api: `${origin}/v1`,
    },
  },
});

/** Runs a route, and answers a refusal in the envelope of the protocol. */
function answerOf(work: () => Reply): Reply {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { status, code, hostCode } = error.reply;
    const requestId = randomUUID();
    const details = { code, message: 'The request is refused.', requestId, retryable: status === 503 };
    const challenge: Record<string, string> = status === 401 ? { 'www-authenticate': 'Bearer realm="svc"' } : {};
    return {
      status,
      body: { error: { ...details, ...(hostCode !== undefined && { hostCode }) } },
      headers: { 'x-request-id': requestId, ...challenge },
    };
  }
}
