import type { FormIdentity } from '#shared/form-packages/contract';
import { formHostPath } from '#shared/vendor';
import { creating, type FormHostFixture, type Headers } from './form-host.ts';
import type { RawAnswer } from './harness.ts';

/** A form reference as a test sends it: members may be wrong or missing. */
export type SentForm = { formRef: Record<string, string | undefined>; packageDigest: string | undefined };
type Sent = {
  name?: string;
  space?: string;
  spec?: unknown;
  form?: SentForm;
  headers?: Headers;
  /** Members of the body beside the usual ones, or instead of them. */
  more?: object;
};
type Request = (f: FormHostFixture, sent?: Sent) => Promise<RawAnswer>;

export const noDigest = `sha256:${'0'.repeat(64)}`;

const queryOf = (f: FormHostFixture, { space = f.server.workspaceId, form = f.usual }: Sent): string => {
  const members = { space, ...form.formRef, packageDigest: form.packageDigest };
  const present = Object.entries(members).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return `?${new URLSearchParams(present)}`;
};

const bodyOf = (f: FormHostFixture, { name, space, spec, form, more }: Sent) => ({
  ...f.desired({ ...(name !== undefined && { name }), ...(space !== undefined && { space }) }),
  ...(spec !== undefined && { spec }),
  ...(form && { form }),
  ...more,
});

const inQuery =
  (method: string, tail = ''): Request =>
  (f, sent = {}) =>
    f.send(method, `${f.at(sent.name ?? 'one')}${tail}${queryOf(f, sent)}`, { headers: sent.headers ?? {} });

const inBody =
  (method: string, address: (f: FormHostFixture, name: string) => string, own: object = {}): Request =>
  (f, sent = {}) =>
    f.send(method, address(f, sent.name ?? 'one'), {
      body: { ...bodyOf(f, sent), ...own, ...sent.more },
      headers: sent.headers ?? creating(),
    });

/** One request to each route that names the exact form; a body creates a Resource unless its headers say otherwise. */
export const exactRequests: Readonly<Record<string, Request>> = {
  preview: inBody('POST', () => `${formHostPath}/resources/preview`),
  put: inBody('PUT', (f, name) => f.at(name), { review: { planDigest: noDigest } }),
  import: inBody('POST', (f, name) => `${f.at(name)}/import`, { nativeId: 'nothing-here' }),
  read: inQuery('GET'),
  observe: inQuery('POST', '/observe'),
  refresh: inQuery('POST', '/refresh'),
  events: inQuery('GET', '/events'),
  delete: inQuery('DELETE'),
};
export const exactRoutes = Object.keys(exactRequests);
/** Routes that change something, or could. */
export const writeRoutes = exactRoutes.filter((route) => route !== 'read' && route !== 'events');
export const bodyRoutes = ['preview', 'put', 'import'];

export const callRoute = (route: string, f: FormHostFixture, of?: Sent): Promise<RawAnswer> => {
  const request = exactRequests[route];
  if (!request) throw new Error(`no route ${route}`);
  return request(f, of);
};

/** Every form reference with one other value: well-formed, and of no package. */
export const substituted = ({ formRef, packageDigest }: FormIdentity): [string, SentForm][] => [
  ['apiVersion', { formRef: { ...formRef, apiVersion: 'storage.example/v2' }, packageDigest }],
  ['kind', { formRef: { ...formRef, kind: 'Bucket2' }, packageDigest }],
  ['definitionVersion', { formRef: { ...formRef, definitionVersion: '1.0.1' }, packageDigest }],
  ['schemaDigest', { formRef: { ...formRef, schemaDigest: noDigest }, packageDigest }],
  ['packageDigest', { formRef, packageDigest: noDigest }],
];

/** Every form reference without one member. */
export const partial = ({ formRef, packageDigest }: FormIdentity): [string, SentForm][] => [
  ...Object.keys(formRef).map((member): [string, SentForm] => [
    member,
    { formRef: { ...formRef, [member]: undefined }, packageDigest },
  ]),
  ['packageDigest', { formRef, packageDigest: undefined }],
];

type Envelope = { code: string; retryable: boolean; hostCode?: string; message: string; details?: { field?: string } };
export const errorOf = ({ json }: RawAnswer): Envelope => (json as { error: Envelope }).error;
/** Status, code, `hostCode` and `retryable` of a refusal. */
export const refusalOf = (answer: RawAnswer): unknown[] => {
  const { code, hostCode, retryable } = errorOf(answer);
  return [answer.status, code, hostCode, retryable];
};
