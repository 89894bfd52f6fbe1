import { describe, expect, it } from 'vitest';
import type { Fixture } from './fixture.ts';
import type { Answer } from './host-client.ts';
import { createProbe } from './probe.ts';
import { Preview, SingleResource } from './shapes.ts';

const digest = `sha256:${'0'.repeat(64)}`;
const formRef = { apiVersion: 'a/v1', kind: 'Queue', definitionVersion: '1', schemaDigest: digest };
const form = { formRef, packageDigest: digest };
const fixture: Fixture = {
  kind: 'svc.form-conformance-fixture@v1',
  ...{ form, space: 'acme', name: 'queue', spec: {}, update: {}, invalid: [] },
};
const client = { send: () => Promise.reject(new Error('unused')), close: () => undefined };

const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' };
const answerOf = (status: number, json: unknown, change: Partial<Answer> = {}): Answer => {
  const request = { method: 'PUT', path: '/x', body: { spec: { secret: 'value-to-hide', count: 7 } } } as const;
  return { request, status, headers, text: JSON.stringify(json), json, ...change };
};
const errorOf = (code: string, change: object = {}) => ({
  error: { code, message: 'It is refused.', requestId: 'r-1', retryable: false, ...change },
});

const refusalFailures = (
  answer: Answer,
  ...allowed: Parameters<ReturnType<typeof createProbe>['probe']['requireRefusal']>[1][]
) => {
  const { probe, failures } = createProbe(client, fixture);
  probe.requireRefusal(answer, ...allowed);
  return failures;
};

describe('a refusal', () => {
  it.each([
    [400, errorOf('invalid_argument'), '400 invalid_argument'],
    [409, errorOf('resource_busy', { retryable: true }), '409 resource_busy'],
    [503, errorOf('form_unavailable', { retryable: true }), '503 form_unavailable'],
    [405, errorOf('invalid_argument', { hostCode: 'method_not_allowed' }), '405 invalid_argument'],
    [400, errorOf('invalid_argument', { details: { field: '/spec' } }), '400 invalid_argument'],
  ] as const)('of %i in the envelope of the protocol is accepted', (status, json, allowed) => {
    expect(refusalFailures(answerOf(status, json), allowed)).toEqual([]);
  });

  it.each([
    ['another code', answerOf(404, errorOf('form_unknown')), 'received 404 form_unknown.'],
    ['a success', answerOf(200, {}), 'received 200.'],
    ['a code of its own', answerOf(400, errorOf('bad_request')), '/error/code is missing or does not have the form'],
    ['a code of another status', answerOf(409, errorOf('invalid_argument')), 'does not belong to the status 409.'],
    ['an additional member', answerOf(400, errorOf('invalid_argument', { target: 'x' })), '"target"'],
    [
      'no requestId',
      answerOf(400, errorOf('invalid_argument', { requestId: undefined })),
      '/error/requestId is missing',
    ],
    [
      'retryable where it is final',
      answerOf(400, errorOf('invalid_argument', { retryable: true })),
      'retryable is not false.',
    ],
    ['no retryable where it is busy', answerOf(409, errorOf('resource_busy')), 'retryable is not true.'],
    ['no hostCode at the gate', answerOf(415, errorOf('invalid_argument')), 'hostCode is missing.'],
    [
      'a stored answer',
      answerOf(400, errorOf('invalid_argument'), { headers: { ...headers, 'cache-control': 'private' } }),
      'no-store',
    ],
    [
      'HTML',
      answerOf(400, errorOf('invalid_argument'), { headers: { ...headers, 'content-type': 'text/html' } }),
      'application/json',
    ],
    ['a 401 without a challenge', answerOf(401, errorOf('unauthenticated')), 'WWW-Authenticate'],
    [
      'a value of the spec',
      answerOf(400, errorOf('invalid_argument', { message: 'value-to-hide is wrong' })),
      'repeats a value',
    ],
    [
      'another request id',
      answerOf(400, errorOf('invalid_argument'), { headers: { ...headers, 'x-request-id': 'r-2' } }),
      'X-Request-Id',
    ],
  ])('with %s is a failure', (_, answer, message) => {
    expect(refusalFailures(answer, '400 invalid_argument').join('\n')).toContain(message);
  });

  it('never repeats a text of the host that is not a code of the protocol', () => {
    const failures = refusalFailures(
      answerOf(400, errorOf('value-to-hide', { 'value to hide': 1 })),
      '400 invalid_argument',
    );
    expect(failures.join('\n')).not.toMatch(/value.to.hide/);
  });
});

describe('an answer', () => {
  const metadata = { name: 'queue', space: 'acme', resourceVersion: '1' };
  const resource = { apiVersion: 'a/v1', kind: 'Queue', form, metadata, spec: {} };
  const observed = {
    id: 'i',
    ready: true,
    generation: '1',
    imported: false,
    portability: 'portable',
    driftedFields: ['/a~1b', ''],
  };
  const status = { observed, output: { id: 'o' } };
  const readFailures = (json: unknown) => {
    const { probe, failures } = createProbe(client, fixture);
    const body = probe.readJson(answerOf(200, json), SingleResource);
    return { isUsable: body !== undefined, text: failures.join('\n') };
  };

  it('with the members of the protocol is accepted', () => {
    expect(readFailures({ resource: { ...resource, status } })).toEqual({ isUsable: true, text: '' });
  });

  it.each([
    [
      'raw Outputs',
      { ...resource, status: { ...status, output: { id: 'o', value: 1 } } },
      '/resource/status/output has a member',
    ],
    [
      'an implementation',
      { ...resource, status: { observed: { ...observed, implementation: 1 }, output: { id: 'o' } } },
      '"implementation"',
    ],
  ])('with %s is a failure, and is used further', (_, changed, text) => {
    expect(readFailures({ resource: changed })).toEqual({ isUsable: true, text: expect.stringContaining(text) });
  });

  it.each(['0', '01', '-1', '1.0', '9223372036854775808', 1])(
    'with the resourceVersion %j is a failure',
    (resourceVersion) => {
      const { isUsable, text } = readFailures({
        resource: { ...resource, metadata: { ...metadata, resourceVersion } },
      });
      expect([isUsable, text]).toEqual([false, expect.stringContaining('/resource/metadata/resourceVersion')]);
    },
  );

  it('with a path that is not a JSON Pointer in driftedFields is a failure', () => {
    const changed = { ...status, observed: { ...observed, driftedFields: ['a.b'] } };
    expect(readFailures({ resource: { ...resource, status: changed } }).isUsable).toBe(false);
  });

  it('of a preview needs both digests', () => {
    const { probe, failures } = createProbe(client, fixture);
    probe.readJson(answerOf(200, { resource, review: { planDigest: digest } }), Preview);
    expect(failures).toEqual([expect.stringContaining('/review/specDigest is missing')]);
  });
});
