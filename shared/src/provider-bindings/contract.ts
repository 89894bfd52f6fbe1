import { z } from 'zod';
import { id } from '../kernel/id.ts';
import { Environment, Timestamp } from '../kernel/scalars.ts';

const name = z.string().min(1).max(128);

/**
 * Connection for one provider configuration of a module; the first three fields equal a requirement of its root module.
 */
export const ProviderBinding = z.strictObject({
  provider: z.string().min(1).max(256),
  moduleLocalName: name,
  childAlias: name.optional(),
  connectionId: id('connection'),
});
export type ProviderBinding = z.infer<typeof ProviderBinding>;

/** The bindings of a Capsule. A change of configuration replaces all of them. */
export const ProviderBindingSet = z.strictObject({
  id: z.string(),
  workspaceId: z.string(),
  capsuleId: z.string(),
  environment: Environment,
  bindings: z.array(ProviderBinding),
  createdAt: Timestamp,
  updatedAt: Timestamp,
});
export type ProviderBindingSet = z.infer<typeof ProviderBindingSet>;

/**
 * Names that the module and every process it starts can use of the bound Connections during plan and apply: environment
 * variables, files (`envName` holds the path), arguments of provider blocks, and module variables that get a default.
 * None of them is available during `init`.
 */
export const ExposedNames = z.strictObject({
  envNames: z.array(z.string()),
  files: z.array(z.strictObject({ path: z.string(), envName: z.string().optional() })),
  providers: z.array(
    z.strictObject({
      providerName: z.string(),
      alias: z.string().optional(),
      arguments: z.array(z.string()),
      config: z.array(z.string()),
    }),
  ),
  moduleInputs: z.array(z.string()),
});
export type ExposedNames = z.infer<typeof ExposedNames>;
