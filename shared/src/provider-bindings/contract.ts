import { z } from 'zod';
import { id } from '../kernel/id.ts';
import { Environment, Timestamp } from '../kernel/scalars.ts';

const name = z.string().min(1).max(128);

/** Which Connection serves one provider configuration of a module; the first three equal a requirement of its root. */
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
 * What the module and everything it starts can reach of the bound Connections while it is planned and applied, by name:
 * variables of the environment, files (`envName` holds where one lies), arguments of provider blocks, and variables of
 * the module that get a default. Nothing of it is there during `init`.
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
