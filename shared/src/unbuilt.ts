import { type Capability, defineApi, type Endpoint } from './kernel/endpoint.ts';

const unbuilt = <const E extends Pick<Endpoint, 'method' | 'path' | 'capability'>>(endpoint: E) =>
  ({ ...endpoint, base: '', class: 'X', summary: '', idempotency: 'none', replies: {} }) as const;
const issuer = 'oidc_issuer' satisfies Capability;

/** Specified routes of the origin that are not built yet: 501 `capability_not_available` before anything is read. */
export const unbuiltRoutes = defineApi({
  openidConfiguration: unbuilt({ method: 'GET', path: '/.well-known/openid-configuration', capability: issuer }),
  jwks: unbuilt({ method: 'GET', path: '/oauth/jwks', capability: issuer }),
  authorize: unbuilt({ method: 'GET', path: '/oauth/authorize', capability: issuer }),
  token: unbuilt({ method: 'POST', path: '/oauth/token', capability: issuer }),
  userinfo: unbuilt({ method: 'GET', path: '/oauth/userinfo', capability: issuer }),
  revoke: unbuilt({ method: 'POST', path: '/oauth/revoke', capability: issuer }),
  introspect: unbuilt({ method: 'POST', path: '/oauth/introspect', capability: issuer }),
  showConsent: unbuilt({ method: 'GET', path: '/oauth/consent/:consentId', capability: issuer }),
  decideConsent: unbuilt({ method: 'POST', path: '/oauth/consent/:consentId', capability: issuer }),
});

/** Everything below `/apis`, with any method. */
export const unbuiltFormHost = unbuilt({ method: 'GET', path: '/apis/*', capability: 'form_host' });

/** Reports whether this version does not have the capability of a route. */
export const isUnbuilt = ({ capability }: Endpoint): boolean =>
  capability === unbuiltFormHost.capability || capability === issuer;
