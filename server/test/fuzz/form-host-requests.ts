import fc from 'fast-check';
import { type Endpoint, fullPath } from '#shared/kernel/endpoint';
import type { FuzzRequest, Principals } from './requests.ts';
import { jsonText, mark, oddText, oddValue } from './values.ts';

/** Names, references and callers of the generated requests. */
export type FormPool = {
  space: readonly string[];
  forms: readonly { formRef: Record<string, string>; packageDigest: string }[];
  names: readonly string[];
  nativeIds: readonly string[];
  /** Digests that previews of these Resources have answered. */
  digests: string[];
  principals: Principals;
};

const often = <T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>, weight = 14): fc.Arbitrary<T> =>
  fc.oneof({ weight, arbitrary: usual }, { weight: 1, arbitrary: odd });

const segment = (text: string): string => {
  try {
    return encodeURIComponent(text);
  } catch {
    return '%ED%A0%80';
  }
};

const validSpec = fc.record(
  {
    size: fc.integer({ min: 1, max: 9 }),
    region: fc.constantFrom('eu-1', 'us-2'),
    endpoint: fc.constantFrom(`https://${mark}.example`, `${mark} text`),
  },
  { requiredKeys: ['size'] },
);
const oddSpec = fc.oneof(
  oddValue,
  fc.record({ size: oddValue }),
  fc.record({ size: fc.constant(1), endpoint: fc.constantFrom(`Bearer ${mark}123456`, `password=${mark}1234`) }),
  fc.record({ size: fc.constant(1), region: fc.constant(`${mark}!`) }),
  fc.record({ size: fc.constant(1), extra: oddValue }),
);

type Members = Record<string, string | undefined>;
const formOf = ({ forms }: FormPool) =>
  often(
    fc.constantFrom(...forms),
    fc
      .tuple(
        fc.constantFrom(...forms),
        fc.constantFrom('apiVersion', 'kind', 'definitionVersion', 'schemaDigest', 'packageDigest'),
        fc.oneof(oddText, fc.constant(undefined)),
      )
      .map(([form, member, value]) => {
        if (member === 'packageDigest') return { ...form, packageDigest: value as string };
        return { ...form, formRef: { ...form.formRef, [member]: value as string } };
      }),
    8,
  );

/** Pairs that are in the query: the five names, and the page where there is one. */
function queryOf(endpoint: Endpoint, pool: FormPool): fc.Arbitrary<string> {
  const isExact = endpoint.workspaceIn === 'query' && endpoint.path.includes('/:kind/') && endpoint.base !== '/v1';
  const page = endpoint.path === '/forms' || (endpoint.path === '/resources' && endpoint.method === 'GET');
  const more: fc.Arbitrary<Members> = page
    ? fc.record({
        limit: fc.constantFrom(undefined, '1', '2', '100', '0', 'x'),
        cursor: often(fc.constant(undefined), oddText as fc.Arbitrary<string | undefined>),
      })
    : fc.constant({});
  const form: fc.Arbitrary<Members> = isExact
    ? formOf(pool).map(({ formRef, packageDigest }) => ({ ...formRef, packageDigest }))
    : fc.constant({});
  const space = endpoint.workspaceIn === 'body' ? fc.constant(undefined) : spaceOf(pool);
  return fc.tuple(space, form, more).map(([named, names, paging]) => {
    const pairs = Object.entries({ space: named, ...names, ...paging }).filter(([, value]) => value !== undefined);
    return pairs.length === 0 ? '' : `?${pairs.map(([key, value]) => `${key}=${segment(value ?? '')}`).join('&')}`;
  });
}

const spaceOf = ({ space }: FormPool): fc.Arbitrary<string | undefined> =>
  often<string | undefined>(fc.constantFrom(...space), fc.oneof(oddText, fc.constant(undefined)));

type Named = { kind: string; name: string };
function bodyOf(endpoint: Endpoint, pool: FormPool, { kind, name }: Named): fc.Arbitrary<string | undefined> {
  if (endpoint.method === 'GET') return fc.constant(undefined);
  if (!endpoint.body)
    return often(
      fc.constantFrom(undefined, '{}'),
      oddValue.map((value) => jsonText(value)),
    );
  const isLegacy = endpoint.base === '/v1';
  const parts = {
    form: formOf(pool),
    space: spaceOf(pool),
    spec: fc.oneof({ weight: 7, arbitrary: validSpec as fc.Arbitrary<unknown> }, { weight: 1, arbitrary: oddSpec }),
    digest: fc.nat(),
    nativeId: often(fc.constantFrom(...pool.nativeIds), oddText),
    spoil: often<unknown>(fc.constant(undefined), oddValue, 20),
    repeatKey: often(fc.constant(false), fc.constant(true), 40),
    inQuery: fc.boolean(),
  };
  return fc.record(parts).map((part) => {
    const body = {
      ...(!isLegacy && { apiVersion: part.form.formRef.apiVersion, form: part.form }),
      kind,
      metadata: { name, ...((!isLegacy || part.inQuery) && { space: part.space }) },
      spec: part.spec,
      ...(!isLegacy && endpoint.method === 'PUT' && { review: { planDigest: digestOf(pool, part.digest) } }),
      ...(endpoint.path.endsWith('/import') && { nativeId: part.nativeId }),
      ...(part.spoil !== undefined && { surprise: part.spoil }),
    };
    return jsonText(body, { repeatKey: part.repeatKey });
  });
}

const digestOf = ({ digests }: FormPool, at: number): string =>
  digests[at % Math.max(1, digests.length)] ?? `sha256:${'0'.repeat(64)}`;

const visible = oddText.map((text) => text.replace(/[^\x20-\x7e]/g, '?').slice(0, 500));
function headersOf(
  pool: FormPool,
  { hasBody, isLegacy }: { hasBody: boolean; isLegacy: boolean },
): fc.Arbitrary<Record<string, string>> {
  const none = undefined as string | undefined;
  const version = fc.constantFrom('"1"', '"1"', '"1"', '"2"', '"3"');
  const condition = fc.oneof(
    { weight: 4, arbitrary: fc.constant<Members>({ 'if-none-match': '*' }) },
    { weight: 5, arbitrary: version.map((tag): Members => ({ 'if-match': tag })) },
    { weight: 1, arbitrary: visible.map((tag): Members => ({ 'if-match': tag })) },
    { weight: isLegacy ? 40 : 1, arbitrary: fc.constant<Members>({}) },
  );
  const others = fc.record({
    'idempotency-key': fc.oneof(
      { weight: 12, arbitrary: fc.uuid() as fc.Arbitrary<string | undefined> },
      { weight: 2, arbitrary: fc.constantFrom('again-again', 'once-more', none) },
      { weight: 1, arbitrary: visible },
    ),
    'content-type': often(
      fc.constant(hasBody ? 'application/json' : none),
      fc.constantFrom(none, 'text/plain', mark),
      30,
    ),
    origin: often(fc.constant(none), fc.constantFrom('null', `http://${mark}`), 40),
    accept: often(fc.constant(none), fc.constantFrom('text/html', mark)),
  });
  const who = often(fc.constant('owner'), fc.constantFrom(...Object.keys(pool.principals)), 12);
  return fc.tuple(who, condition, others).map(([principal, first, second]) => ({
    ...(Object.fromEntries(
      Object.entries({ ...first, ...second }).filter(([, value]) => value !== undefined),
    ) as Record<string, string>),
    ...pool.principals[principal],
  }));
}

/** Requests to one route of the form host: half of them as a program would send, the others wrong in one or more ways. */
export function formRequestsTo([name, endpoint]: [string, Endpoint], pool: FormPool): fc.Arbitrary<FuzzRequest> {
  const named = fc.record({
    kind: often(fc.constantFrom('Bucket', 'Bucket', 'Bucket', 'Bucket', 'Bucket', 'Bucket', 'Queue'), oddText, 25),
    name: often(fc.constantFrom(...pool.names), oddText, 25),
  });
  const method = often<string>(fc.constant(endpoint.method), fc.constantFrom('HEAD', 'OPTIONS', 'PATCH', 'GET'), 60);
  return named.chain((subject) =>
    fc
      .tuple(
        method,
        queryOf(endpoint, pool),
        bodyOf(endpoint, pool, subject).chain((body) =>
          headersOf(pool, { hasBody: body !== undefined, isLegacy: endpoint.base === '/v1' }).map((headers) => ({
            body,
            headers,
          })),
        ),
        often(fc.constant(''), fc.constantFrom('/', '/nothing', '%00'), 60),
      )
      .map(([verb, query, { body, headers }, tail]) => ({
        name,
        endpoint,
        method: verb,
        path: `${fullPath(endpoint).replace(/:(\w+)/g, (_, key) => segment(subject[key as keyof Named]) || '%00')}${tail}${query}`,
        headers,
        body: verb === 'GET' || verb === 'HEAD' ? undefined : body,
      })),
  );
}
