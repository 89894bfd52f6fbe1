import type { Endpoint } from './kernel/endpoint.ts';

/** Everything below `/apis` where the form host is off, with any method: 501 `capability_not_available` before anything is read. */
export const disabledFormHost = {
  method: 'GET',
  base: '',
  path: '/apis/*',
  class: 'X',
  summary: '',
  idempotency: 'none',
  capability: 'form_host',
  replies: {},
} as const satisfies Endpoint;
