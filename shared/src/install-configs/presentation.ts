import { z } from 'zod';
import { AnyJson } from '../kernel/any-json.ts';

const Localized = z.strictObject({ ja: z.string(), en: z.string() });

const presentedTypes = ['string', 'number', 'boolean', 'json'] as const;
/** Source of a variable's value; only those of `user` can be set by a person. The server supplies `host`. */
const variableSources = ['user', 'capsule_name', 'workspace_scoped_capsule_name', 'module_default', 'host'] as const;

/** Form field or read-only entry of one variable, in the order of the form. */
export const VariablePresentation = z.strictObject({
  name: z.string(),
  source: z.enum(variableSources).optional(),
  /** Without another value it gets a random one, which is sealed and never shown. */
  generated: z.literal(true).optional(),
  type: z.enum(presentedTypes).optional(),
  format: z.string().optional(),
  required: z.boolean().optional(),
  advanced: z.boolean().optional(),
  secret: z.boolean().optional(),
  defaultValue: z
    .union([
      z.strictObject({ source: z.literal('literal'), value: AnyJson }),
      z.strictObject({ source: z.enum(['capsule_name', 'workspace_scoped_capsule_name']) }),
    ])
    .optional(),
  label: Localized,
  helper: Localized.optional(),
  placeholder: z.string().optional(),
});
export type VariablePresentation = z.infer<typeof VariablePresentation>;

const slot = z.string().optional();
/** Purpose of one or more variables, beyond their values. */
export const Projection = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('service_name'), variable: z.string() }),
  z.strictObject({
    kind: z.literal('public_endpoint'),
    variables: z.strictObject({ subdomain: slot, url: slot, routePattern: slot }),
    baseDomain: z.string().optional(),
  }),
  z.strictObject({
    kind: z.literal('initial_secret'),
    variable: z.string(),
    secretKind: z.enum(['password', 'password_or_hash', 'token']).optional(),
    optional: z.boolean().optional(),
  }),
  z.strictObject({
    kind: z.literal('oidc_client'),
    variables: z.strictObject({
      issuerUrl: z.string(),
      accountsUrl: z.string(),
      clientId: z.string(),
      redirectUri: z.string(),
    }),
    /** Path that begins with one slash, without query, fragment and white space. */
    callbackPath: z
      .string()
      .max(512)
      .regex(/^\/(?!\/)[^?#\\\s]*$/),
    scopes: z.array(z.string()).optional(),
  }),
  z.strictObject({ kind: z.literal('artifact'), variables: z.strictObject({ url: slot, sha256: slot }) }),
]);
export type Projection = z.infer<typeof Projection>;

const InstallFeature = z.strictObject({
  id: z.string(),
  label: Localized,
  optional: z.boolean(),
  inputs: z.array(z.string()),
});

/** Groups and roles of the form; `repositoryInstallUx` marks that a repository's manifest was accepted. */
export const InstallExperience = z.strictObject({
  projections: z.array(Projection).optional(),
  features: z.array(InstallFeature).optional(),
  repositoryInstallUx: z.strictObject({ status: z.literal('accepted') }).optional(),
});
export type InstallExperience = z.infer<typeof InstallExperience>;
