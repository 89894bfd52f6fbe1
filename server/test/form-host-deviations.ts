import { randomUUID } from 'node:crypto';
import {
  all,
  forgettingKeys,
  keyOf,
  type Matcher,
  onAnswer,
  onCall,
  once,
  onJson,
  repeating,
  resolving,
  setAt,
  setCallHeader,
  setHeader,
  to,
  withHeader,
  withoutHeader,
  withoutPrecondition,
} from './alterations.ts';
import type { Alteration, ProxyReply } from './deviating-proxy.ts';

/** A rule of the protocol that a host breaks, and the stage of the conformance check that must fail. */
export type Deviation = {
  name: string;
  stage: string;
  /** Creates the alteration of one check; it may remember earlier calls. */
  create: () => Alteration;
  /** The stage needs a native object. */
  needsImport?: true;
};

const api = '/apis/forms.formhost/v1alpha1';
const resource = /^\/apis\/forms\.formhost\/v1alpha1\/resources\/[^/]+\/[^/]+$/;
const compatibleResource = /^\/v1\/resources\/[^/]+\/[^/]+$/;

const action = (name: string) => to('POST', new RegExp(`/${name}$`));
const events = to('GET', /\/events$/);
const discovery = to('GET', '/.well-known/formhost');
const forms = to('GET', `${api}/forms`);
const preview = to('POST', `${api}/resources/preview`);
const put = to('PUT', resource);
const read = to('GET', resource);
const remove = to('DELETE', resource);

const creates = all(put, withHeader('if-none-match'));
const isNew = all(preview, withHeader('if-none-match'));
/** Not of the other names that the check uses. */
const own: Matcher = ({ text }) => !/"name":"[^"]*-(?:import|absent)"/.test(text);

const atDiscovery: readonly Deviation[] = [
  {
    name: 'a feature is off',
    stage: 'discovery',
    create: () => onJson(discovery, 200, setAt('features/exact_form_ref', false)),
  },
  {
    name: 'the address of the API has another path',
    stage: 'discovery',
    create: () =>
      onJson(
        discovery,
        200,
        setAt('endpoints/api', (url: string) => `${url}/v2`),
      ),
  },
  {
    name: 'another version is announced too',
    stage: 'discovery',
    create: () => onJson(discovery, 200, setAt('api_versions/1', 'forms.formhost/v1')),
  },
  {
    name: 'the capabilities are not served',
    stage: 'discovery',
    create: () => onAnswer(to('GET', '/v1/capabilities'), 200, (reply) => ({ ...reply, status: 404 })),
  },
  {
    name: 'the form is not activated',
    stage: 'exact-availability',
    create: () => onJson(forms, 200, setAt('forms/*/activated', false)),
  },
  {
    name: 'the list of forms has prices',
    stage: 'exact-availability',
    create: () => onJson(forms, 200, setAt('forms/*/price', 1)),
  },
  {
    name: 'a form with another package digest is answered as this one',
    stage: 'exact-availability',
    create: () =>
      resolving(
        'packageDigest',
        all(forms, ({ query }) => query.has('packageDigest')),
      ),
  },
];

const atRefusals: readonly Deviation[] = [
  {
    name: 'an invalid desired state is accepted',
    stage: 'negative-fixtures',
    create: () => onAnswer(preview, 400, (reply) => ({ ...reply, status: 200 })),
  },
  {
    name: 'a refusal repeats a value of the desired state',
    stage: 'negative-fixtures',
    create: () => async (call, forward) => {
      const reply = await forward(call);
      if (!preview(call) || reply.status !== 400 || !call.text.includes('"greeting"')) return reply;
      const { spec } = JSON.parse(call.text) as { spec?: { greeting?: string } };
      return { ...reply, text: reply.text.replace('"message":"', `"message":"${spec?.greeting ?? ''} `) };
    },
  },
  {
    name: 'a 401 has no challenge',
    stage: 'negative-fixtures',
    create: () => onAnswer(() => true, 401, setHeader('www-authenticate', undefined)),
  },
  {
    name: 'the session cookie alone is accepted',
    stage: 'negative-fixtures',
    create: () => (call, forward) => {
      const token = /svc_session=(.*)/.exec(call.headers['cookie'] ?? '')?.[1];
      return forward(
        read(call) && token !== undefined ? setCallHeader('authorization', `Bearer ${token}`)(call) : call,
      );
    },
  },
  {
    name: 'an unknown space is not found',
    stage: 'negative-fixtures',
    create: () =>
      onAnswer(
        () => true,
        403,
        (reply) => ({
          ...reply,
          status: 404,
          text: reply.text.replace('permission_denied', 'resource_not_found'),
        }),
      ),
  },
  {
    name: 'a 405 may be retried',
    stage: 'negative-fixtures',
    create: () => onJson(() => true, 405, setAt('error/retryable', true)),
  },
  {
    name: 'a 415 does not name the code of the host',
    stage: 'negative-fixtures',
    create: () => onJson(() => true, 415, setAt('error/hostCode', undefined)),
  },
  {
    name: 'the request id of an error is not that of the header',
    stage: 'negative-fixtures',
    create: () => onJson(() => true, 415, setAt('error/requestId', randomUUID())),
  },
  {
    name: 'an unknown path is answered in another envelope',
    stage: 'negative-fixtures',
    create: () => onJson(to('GET', `${api}/unknown`), 404, setAt('error/retryable', undefined)),
  },
];

const atWrites: readonly Deviation[] = [
  {
    name: 'a preview needs no precondition',
    stage: 'preview',
    create: () =>
      onCall(
        all(preview, withoutHeader('if-match'), withoutHeader('if-none-match')),
        setCallHeader('if-none-match', '*'),
      ),
  },
  {
    name: 'the digest of a desired state is not taken over its canonical form',
    stage: 'preview',
    create: () => onJson(all(isNew, own), 200, setAt('review/specDigest', `sha256:${'5'.repeat(64)}`)),
  },
  {
    name: 'a preview shows the target',
    stage: 'preview',
    create: () => onJson(all(isNew, own), 200, setAt('resource/target', 'eu-west')),
  },
  {
    name: 'ETag is not quoted',
    stage: 'apply',
    create: () =>
      onAnswer(once(creates), 200, (reply) => setHeader('etag', String(reply.headers['etag']).slice(1, -1))(reply)),
  },
  {
    name: 'the key of a write is not sent back',
    stage: 'apply',
    create: () => onAnswer(creates, 200, setHeader('idempotency-key', undefined)),
  },
  {
    name: 'a write that was not reviewed is accepted',
    stage: 'apply',
    create: () => {
      let planDigest: unknown;
      return async (call, forward) => {
        if (creates(call) && planDigest !== undefined)
          return forward({ ...call, text: JSON.stringify({ ...JSON.parse(call.text), review: { planDigest } }) });
        const reply = await forward(call);
        if (isNew(call) && own(call) && reply.status === 200) planDigest ??= JSON.parse(reply.text).review.planDigest;
        return reply;
      };
    },
  },
  {
    name: 'a write shows the implementation',
    stage: 'apply',
    create: () => onJson(once(all(put, withHeader('if-match'))), 200, setAt('implementation', 'x')),
  },
  {
    name: 'a repeated write is executed again',
    stage: 'replay',
    create: () => forgettingKeys(put),
  },
  {
    name: 'a key answers for another desired state',
    stage: 'replay',
    create: () =>
      repeating(all(put, withHeader('if-match')), (call, first) => put(call) && keyOf(call) === keyOf(first)),
  },
  {
    name: 'a create replaces what exists',
    stage: 'replay',
    create: () => repeating(creates, all(creates, own)),
  },
  {
    name: 'a repeated write answers another Resource',
    stage: 'replay',
    create: () => {
      const keys = new Set<string | undefined>();
      const isRepeated = all(put, withHeader('if-match'), (call) => keys.has(keyOf(call)) || !keys.add(keyOf(call)));
      return onJson(isRepeated, 200, setAt('metadata/resourceVersion', '9'));
    },
  },
];

const atReads: readonly Deviation[] = [
  {
    name: 'a read has no ETag',
    stage: 'read',
    create: () => onAnswer(read, 200, setHeader('etag', undefined)),
  },
  {
    name: 'a read shows credentials',
    stage: 'read',
    create: () => onJson(read, 200, setAt('credentials', 'active')),
  },
  {
    name: 'a read may be stored',
    stage: 'read',
    create: () => onAnswer(read, 200, setHeader('cache-control', 'private, max-age=60')),
  },
  {
    name: 'the compatibility routes answer the Resource without an object around it',
    stage: 'compatibility-parity',
    create: () => onJson(to('GET', compatibleResource), 200, (json) => json['resource']),
  },
  {
    name: 'the compatibility routes show another desired state',
    stage: 'compatibility-parity',
    create: () => onJson(to('GET', compatibleResource), 200, setAt('resource/spec/repeat', 99)),
  },
  {
    name: 'another schema digest is answered with this Resource',
    stage: 'digest-substitution',
    create: () =>
      resolving(
        'schemaDigest',
        all(read, ({ query }) => query.has('schemaDigest')),
      ),
  },
  {
    name: 'a reference without a package digest is completed',
    stage: 'digest-substitution',
    create: () =>
      resolving(
        'packageDigest',
        all(events, ({ query }) => !query.has('packageDigest')),
      ),
  },
  {
    name: 'the events are ordered newest first',
    stage: 'audit',
    create: () =>
      onJson(
        events,
        200,
        setAt('events', (list: unknown[]) => list.toReversed()),
      ),
  },
  {
    name: 'an event has a name of the host',
    stage: 'audit',
    create: () => onJson(events, 200, setAt('events/0/action', 'form.applied')),
  },
  {
    name: 'an event shows the desired state',
    stage: 'audit',
    create: () => onJson(events, 200, setAt('events/0/spec', {})),
  },
  {
    name: 'a repeated refresh is executed and recorded again',
    stage: 'audit',
    create: () => forgettingKeys(action('refresh')),
  },
];

const atLifecycle: readonly Deviation[] = [
  {
    name: 'observe needs no precondition',
    stage: 'observe',
    create: () => withoutPrecondition(action('observe')),
  },
  {
    name: 'observe moves the generation',
    stage: 'observe',
    create: () => onJson(action('observe'), 200, setAt('resource/metadata/resourceVersion', '99')),
  },
  {
    name: 'refresh shows raw Outputs',
    stage: 'refresh',
    create: () => onJson(action('refresh'), 200, setAt('resource/status/output/values', {})),
  },
  {
    name: 'refresh answers no status',
    stage: 'refresh',
    create: () => onJson(action('refresh'), 200, setAt('resource/status', undefined)),
  },
  {
    name: 'an owned native object is unknown to an import',
    stage: 'import-replay',
    needsImport: true,
    create: () =>
      onAnswer(action('import'), 409, (reply) => {
        const text = reply.text.replace('import_conflict', 'resource_not_found');
        return text === reply.text ? reply : { ...reply, status: 404, text };
      }),
  },
  {
    name: 'a repeated import is refused',
    stage: 'import-replay',
    needsImport: true,
    create: () => forgettingKeys(action('import')),
  },
  {
    name: 'a second delete is not found',
    stage: 'idempotent-delete',
    create: () => {
      let isDeleted = false;
      return async (call, forward) => {
        const reply = await forward(call);
        if (!remove(call) || reply.status !== 204) return reply;
        const status = isDeleted ? 404 : 204;
        isDeleted = true;
        return { ...reply, status };
      };
    },
  },
  {
    name: 'a delete answers a body',
    stage: 'idempotent-delete',
    create: () => onAnswer(remove, 204, (reply) => ({ ...reply, status: 200, text: '{}' })),
  },
  {
    name: 'a deleted Resource is still read by the compatibility routes',
    stage: 'idempotent-delete',
    create: () => {
      const last = new Map<string, ProxyReply>();
      return async (call, forward) => {
        const reply = await forward(call);
        if (!to('GET', compatibleResource)(call)) return reply;
        if (reply.status === 200) last.set(call.path, reply);
        return last.get(call.path) ?? reply;
      };
    },
  },
];

export const formHostDeviations: readonly Deviation[] = [
  ...atDiscovery,
  ...atRefusals,
  ...atWrites,
  ...atReads,
  ...atLifecycle,
];
