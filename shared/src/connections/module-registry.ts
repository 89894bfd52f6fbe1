import { z } from 'zod';

/** A Connection with a token for one module registry, by which installable copies fetch packages. */
export const moduleRegistryKind = 'module_registry_token';
/** `provider` of these Connections. */
export const moduleRegistryProvider = 'module-registry';
/** Name of the value. */
export const moduleRegistryToken = 'MODULE_REGISTRY_TOKEN';

/** Settings in `scopeHints.providerConfig`; none of them is secret. */
export const ModuleRegistrySettings = z.strictObject({
  /** Host as module addresses name it, such as `app.terraform.io`; with a port other than 443. */
  host: z.string().min(1).max(260),
  /** A module that the token reads, `namespace/name/system`, for the test of the Connection. */
  module: z
    .string()
    .regex(/^[0-9A-Za-z][0-9A-Za-z_-]{0,63}\/[0-9A-Za-z][0-9A-Za-z_-]{0,63}\/[0-9a-z]{1,64}$/)
    .optional(),
});
export type ModuleRegistrySettings = z.infer<typeof ModuleRegistrySettings>;
