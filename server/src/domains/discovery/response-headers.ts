import type { Endpoint } from '#shared/kernel/endpoint';

/** Descriptions of response headers for readers of the API document. */
const described = {
  'x-request-id': {
    description: 'Id of the request, as in the logs of the server',
    required: true,
    schema: { type: 'string' },
  },
  'cache-control': {
    description: '`no-store`, except for documents that are the same for every caller',
    required: true,
    schema: { type: 'string' },
  },
  location: { description: 'Address to continue at', schema: { type: 'string' } },
  'retry-after': { description: 'Seconds until the next attempt', schema: { type: 'integer', minimum: 1 } },
  'www-authenticate': { description: 'Credential that is missing or refused (RFC 6750)', schema: { type: 'string' } },
  etag: { description: 'Entity tag of the version (RFC 9110, 8.8.3)', schema: { type: 'string' } },
  'set-cookie': { description: 'Session cookie; HttpOnly and SameSite', schema: { type: 'string' } },
} as const;
type DescribedHeader = keyof typeof described;
export const describedHeaders = Object.keys(described) as readonly DescribedHeader[];

/** Headers that follow from the status alone. */
const byStatus: { readonly [status: number]: readonly DescribedHeader[] } = {
  302: ['location'],
  303: ['location'],
  401: ['www-authenticate'],
  429: ['retry-after'],
};

/** Headers of some answers of a status: a token without a scope is challenged, and a known delay is sent as `Retry-After`. */
const sometimes: { readonly [status: number]: readonly DescribedHeader[] } = {
  403: ['www-authenticate'],
  503: ['retry-after'],
};

/** Returns the names of the headers that an endpoint sends with a status: always, and in some cases. */
export function headerNamesOf(endpoint: Endpoint, status: number) {
  const own = endpoint.replyHeaders?.[status as 200] ?? [];
  const always: readonly DescribedHeader[] = ['x-request-id', 'cache-control', ...(byStatus[status] ?? [])];
  const possible: readonly DescribedHeader[] = [...(sometimes[status] ?? []), ...own];
  return { always, possible };
}

/** The header objects of the description. */
export const headerComponents: Readonly<Record<string, object>> = described;

/** Returns the headers of an answer, each a reference to its header object. */
export function responseHeaders(endpoint: Endpoint, status: number): Record<string, object> {
  const { always, possible } = headerNamesOf(endpoint, status);
  return Object.fromEntries([...always, ...possible].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
