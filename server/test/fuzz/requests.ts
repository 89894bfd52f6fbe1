import fc from 'fast-check';
import { type Endpoint, fullPath } from '#shared/kernel/endpoint';
import type { Schema } from '../../src/domains/discovery/example.ts';
import { schemaOf } from '../../src/domains/discovery/json-form.ts';
import { exampleBody } from '../../src/domains/discovery/openapi.ts';
import { jsonText, mark, oddText, oddValue, type Pool, valuesOf } from './values.ts';

export type FuzzRequest = {
  name: string;
  endpoint: Endpoint;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | Buffer | undefined;
};

export type Principals = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Visible characters, which are all that the client of Node sends in a header. */
const headerText = oddText.map((text) => text.replace(/[^\x20-\x7e]/g, '?').slice(0, 2_000));

const segment = (text: string): string => {
  try {
    return encodeURIComponent(text);
  } catch {
    return '%ED%A0%80';
  }
};

const oddSegment = fc.oneof(
  oddText.map(segment).map((text) => text || '%20'),
  fc.constantFrom('%', '%zz', '%c0%ae', '%2e%2e', '%00', `${mark}%2f..`, 'x'.repeat(9_000), '__proto__', ':id'),
);

function pathOf(endpoint: Endpoint, pool: Pool): fc.Arbitrary<string> {
  const parts = fullPath(endpoint).split(/(:\w+)/);
  const values = parts.map((part) => {
    const name = part.startsWith(':') ? part.slice(1) : undefined;
    if (name === undefined) return fc.constant(part);
    const known = pool[name] ?? [];
    const real = known.length > 0 ? fc.constantFrom(...known).map(segment) : oddSegment;
    return fc.oneof({ weight: 9, arbitrary: real }, { weight: 1, arbitrary: oddSegment });
  });
  return fc.tuple(...values).map((all) => all.join(''));
}

function queryOf(endpoint: Endpoint, pool: Pool): fc.Arbitrary<string> {
  const schema = endpoint.query ? schemaOf(endpoint.query, 'input') : {};
  const known = Object.entries((schema.properties ?? {}) as Record<string, Schema>);
  const required = (schema.required ?? []) as string[];
  const pair = ([key, child]: [string, Schema]) =>
    fc
      .tuple(
        fc.oneof({ weight: 6, arbitrary: valuesOf(child, key, pool).map(String) }, { weight: 1, arbitrary: oddText }),
        fc.constantFrom(...(required.includes(key) ? [1, 1, 1, 1, 1, 1, 0, 2] : [0, 0, 1, 1, 1, 2])),
      )
      .map(([value, times]) => Array.from({ length: times }, () => `${key}=${segment(value)}`));
  const more = fc.constantFrom([], [], [], [], ['surprise=1'], [`__proto__=${mark}`], ['%'], ['a[b]=1'], ['limit=-1']);
  return fc
    .tuple(fc.tuple(...known.map(pair)), more)
    .map(([pairs, odd]) => [...pairs.flat(), ...odd].join('&'))
    .map((text) => (text === '' ? '' : `?${text}`));
}

/** Changes one location of a JSON value: removes it, replaces it with an odd value, or adds an unknown member. */
function spoil(value: unknown, where: number, what: unknown): unknown {
  if (Array.isArray(value) && value.length > 0) {
    const at = where % value.length;
    return value.map((item, index) => (index === at ? spoil(item, Math.floor(where / value.length), what) : item));
  }
  if (value === null || typeof value !== 'object') return what;
  const keys = Object.keys(value);
  const choice = where % (keys.length + 1);
  const rest = Math.floor(where / (keys.length + 1));
  const key = keys[choice];
  if (key === undefined) return { ...value, surprise: what };
  const { [key]: child, ...others } = value as Record<string, unknown>;
  return rest % 3 === 0 ? others : { ...others, [key]: spoil(child, Math.floor(rest / 3), what) };
}

const rawTexts: readonly (string | Buffer)[] = [
  '',
  'null',
  '[]',
  '"text"',
  '{',
  '{"a":1,"a":2}',
  '{"__proto__":{"admin":true}}',
  '{"a":1e999}',
  '{"a":-0}',
  '{"a":{"b":1,"\\u0062":2}}',
  '{"\\ud800":1}',
  `{"a":"${'x'.repeat(1_048_577)}"}`,
  `{"a":${'['.repeat(70)}${']'.repeat(70)}}`,
  `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
  '\ufeff{}',
  '{"a":"\\ud800"}',
  Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]),
  `a=${mark}&b=2`,
  '{}garbage',
];

function bodyOf(name: string, endpoint: Endpoint, pool: Pool): fc.Arbitrary<string | Buffer | undefined> {
  if (endpoint.method === 'GET') return fc.constantFrom(undefined, undefined, undefined, undefined, '{}', '');
  const raw = fc.constantFrom(...rawTexts);
  if (!endpoint.body)
    return fc.oneof({ weight: 6, arbitrary: fc.constantFrom(undefined, '{}') }, { weight: 1, arbitrary: raw });
  const whole = fc.oneof(
    { weight: 2, arbitrary: fc.constant(exampleBody(name, endpoint)) },
    { weight: 5, arbitrary: valuesOf(schemaOf(endpoint.body, 'input'), '', pool) },
  );
  const spoilt = fc.tuple(whole, fc.nat(), oddValue).map(([value, where, what]) => spoil(value, where, what));
  return fc.oneof(
    { weight: 12, arbitrary: whole.map((value) => jsonText(value)) },
    { weight: 10, arbitrary: spoilt.map((value) => jsonText(value)) },
    { weight: 1, arbitrary: whole.map((value) => jsonText(value, { repeatKey: true })) },
    { weight: 2, arbitrary: oddValue.map((value) => jsonText(value)) },
    { weight: 2, arbitrary: raw },
  );
}

const seldom = <T>(often: T, odd: fc.Arbitrary<T>, weight = 12): fc.Arbitrary<T> =>
  fc.oneof({ weight, arbitrary: fc.constant(often) }, { weight: 1, arbitrary: odd });

function headersOf(endpoint: Endpoint, principals: Principals): fc.Arbitrary<Record<string, string>> {
  const own = endpoint.class === 'Op' ? 'operator' : endpoint.class === 'P' ? 'token' : 'owner';
  const who = fc.oneof(
    { weight: 6, arbitrary: fc.constant(own) },
    { weight: 5, arbitrary: fc.constantFrom(...Object.keys(principals)) },
  );
  const key = fc.oneof(
    { weight: endpoint.idempotency === 'required' ? 1 : 6, arbitrary: fc.constant(undefined) },
    { weight: 3, arbitrary: fc.uuid() },
    { weight: 1, arbitrary: fc.constantFrom('again', 'and again') },
    { weight: 1, arbitrary: headerText },
  );
  const none = undefined as string | undefined;
  const optional = {
    'content-type': seldom<string | undefined>(
      'application/json',
      fc.constantFrom(none, 'text/plain', 'application/json; charset=utf-16', 'multipart/form-data; boundary=x', mark),
    ),
    'idempotency-key': key,
    origin: seldom(none, fc.constantFrom('null', 'https://evil.example', `http://${mark}`), 30),
    'sec-fetch-site': seldom(none, fc.constantFrom('cross-site', 'same-site', 'same-origin', 'none', mark), 30),
    accept: seldom(none, fc.constantFrom('text/html', 'text/plain', 'text/event-stream', '*/*', mark)),
    'x-request-id': seldom(none, headerText, 30),
    'last-event-id': seldom(none, headerText, 30),
    'accept-language': seldom(none, fc.constantFrom('ja', 'xx-YY;q=9', mark), 30),
  };
  return fc.tuple(who, fc.record(optional)).map(([principal, headers]) => {
    const definedHeaders = Object.entries(headers).filter((pair): pair is [string, string] => pair[1] !== undefined);
    return { ...Object.fromEntries(definedHeaders), ...principals[principal] };
  });
}

/** Requests to one route: most of them nearly right, some absurd. */
export function requestsTo(
  [name, endpoint]: [string, Endpoint],
  { pool, principals }: { pool: Pool; principals: Principals },
): fc.Arbitrary<FuzzRequest> {
  const method = seldom<string>(endpoint.method, fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'), 40);
  return fc
    .tuple(
      method,
      pathOf(endpoint, pool),
      queryOf(endpoint, pool),
      headersOf(endpoint, principals),
      bodyOf(name, endpoint, pool),
    )
    .map(([verb, path, query, headers, body]) => ({ name, endpoint, method: verb, path: path + query, headers, body }));
}
