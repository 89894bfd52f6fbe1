import { z } from 'zod';
import { defineApi } from '../kernel/endpoint.ts';
import { formCompatibilityPath, formDiscoveryPath, formHostVersion } from '../vendor.ts';
import { Capabilities } from './api.ts';

/** Discovery of the form host, which exists only where the form host is on. */
export const formHostDiscoveryApi = defineApi({
  getFormHost: {
    method: 'GET',
    base: '',
    path: formDiscoveryPath,
    summary: 'Discovery document of the form host',
    class: 'X',
    whileSealed: true,
    capability: 'form_host',
    cache: 'public',
    replies: {
      200: z.strictObject({
        api_versions: z.array(z.literal(formHostVersion)),
        features: z.strictObject({
          service_forms: z.literal(true),
          exact_form_ref: z.literal(true),
          optimistic_concurrency: z.literal(true),
          idempotent_lifecycle: z.literal(true),
        }),
        endpoints: z.strictObject({
          api: z.string(),
          forms: z.string(),
          capabilities: z.string(),
          compatibility_api: z.string(),
          oidc_issuer: z.string().optional(),
        }),
      }),
    },
  },
  getCompatibilityCapabilities: {
    method: 'GET',
    base: formCompatibilityPath,
    path: '/capabilities',
    summary: 'What this server can do, for clients of the compatibility routes',
    class: 'X',
    whileSealed: true,
    capability: 'form_host',
    replies: { 200: Capabilities },
  },
});
