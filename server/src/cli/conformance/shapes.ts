import { z } from 'zod';

/** Shapes of the answers of the protocol; every object is closed. */

const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);
const text = z.string().min(1);
const openObject = z.record(z.string(), z.unknown());
const largestVersion = 2n ** 63n;
export const ResourceVersion = z
  .string()
  .refine((digits) => /^[1-9][0-9]{0,18}$/.test(digits) && BigInt(digits) < largestVersion);
const jsonPointer = z.string().regex(/^(?:\/(?:[^~/]|~[01])*)*$/);

const identity = z.strictObject({
  formRef: z.strictObject({ apiVersion: text, kind: text, definitionVersion: text, schemaDigest: digest }),
  packageDigest: digest,
});

export const Discovery = z.strictObject({
  api_versions: z.array(text),
  features: z.strictObject({
    service_forms: z.literal(true),
    exact_form_ref: z.literal(true),
    optimistic_concurrency: z.literal(true),
    idempotent_lifecycle: z.literal(true),
  }),
  endpoints: z.strictObject({
    api: text,
    forms: text,
    capabilities: text,
    compatibility_api: text,
    oidc_issuer: z.url().optional(),
  }),
});

export const Capabilities = openObject;

export const Forms = z.strictObject({
  forms: z.array(
    z.strictObject({
      identity,
      definitionKnown: z.boolean(),
      installed: z.boolean(),
      executable: z.boolean(),
      executableReason: text.optional(),
      activated: z.boolean(),
      availableToPrincipal: z.boolean(),
      availabilityReason: text.optional(),
      operations: z.array(text),
      deprecated: z.boolean(),
    }),
  ),
  nextCursor: text.optional(),
});
export type FormRecord = z.infer<typeof Forms>['forms'][number];

export const Resource = z.strictObject({
  apiVersion: text,
  kind: text,
  form: identity,
  metadata: z.strictObject({ name: text, space: text, resourceVersion: ResourceVersion }),
  spec: openObject,
  status: z
    .strictObject({
      observed: z.strictObject({
        id: text,
        ready: z.boolean(),
        generation: z.union([z.int().min(1), ResourceVersion]),
        imported: z.boolean(),
        portability: z.literal('portable'),
        driftedFields: z.array(jsonPointer),
      }),
      output: z.strictObject({ id: text }),
    })
    .optional(),
});
export type Resource = z.infer<typeof Resource>;

/** The members of the protocol alone: an additional one is a failure where it is read, not in each comparison. */
export const commonOf = ({ apiVersion, kind, form, metadata, spec, status }: Resource) => ({
  apiVersion,
  kind,
  form,
  metadata,
  spec,
  ...(status && { status }),
});

export const SingleResource = z.strictObject({ resource: Resource });
export const Resources = z.strictObject({ resources: z.array(Resource), nextCursor: text.optional() });
export const Preview = z.strictObject({
  resource: Resource,
  review: z.strictObject({ planDigest: digest, specDigest: digest }),
});
/** The compatibility routes answer the Resource; a host may add the review. */
export const CompatibilityPreview = Preview.partial({ review: true });

export const Events = z.strictObject({
  events: z.array(
    z.strictObject({
      id: text,
      action: z.enum([
        'resource.apply.succeeded',
        'resource.import.succeeded',
        'resource.observe.succeeded',
        'resource.refresh.succeeded',
        'resource.delete.succeeded',
      ]),
      resourceVersion: ResourceVersion,
      actorId: text.optional(),
      createdAt: z.string().regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/),
    }),
  ),
});

/** Every code of the protocol with its status. */
export const codeStatus = {
  invalid_argument: 400,
  unauthenticated: 401,
  permission_denied: 403,
  policy_denied: 403,
  form_unknown: 404,
  resource_not_found: 404,
  resource_busy: 409,
  import_conflict: 409,
  form_identity_conflict: 409,
  form_not_installed: 409,
  interface_identity_ambiguous: 409,
  interface_instance_ambiguous: 409,
  resource_version_conflict: 412,
  internal_error: 500,
  form_unavailable: 503,
  backend_unavailable: 503,
} as const;
export type ErrorCode = keyof typeof codeStatus;

/** Refusals of the request as such are `invalid_argument` and keep their status; `hostCode` says which one it is. */
export const gateStatuses: ReadonlySet<number> = new Set([405, 408, 413, 415, 421, 429, 431]);

export const ErrorEnvelope = z.strictObject({
  error: z.strictObject({
    code: z.enum(Object.keys(codeStatus) as [ErrorCode, ...ErrorCode[]]),
    message: text,
    requestId: text,
    retryable: z.boolean(),
    hostCode: text.optional(),
    details: openObject.optional(),
  }),
});

type Issue = z.core.$ZodIssue;

const isPlainName = (name: string): boolean => /^[A-Za-z_][\w-]{0,60}$/.test(name);

/** Offense of a JSON value against a shape. Beside an additional member, the rest can be used. */
type ShapeFailure = { text: string; isAdditional: boolean };

/** Returns one failure for each offense against a shape; no value is repeated. */
export function shapeFailures(schema: z.ZodType, json: unknown): ShapeFailure[] {
  const { success, error } = schema.safeParse(json);
  if (success) return [];
  return error.issues.map((issue) => ({ text: issueText(issue), isAdditional: issue.code === 'unrecognized_keys' }));
}

function issueText(issue: Issue): string {
  const pointer = issue.path.map((part) => `/${String(part)}`).join('') || 'the body';
  if (issue.code !== 'unrecognized_keys') return `${pointer} is missing or does not have the form of the protocol`;
  const names = issue.keys.map((key) => (isPlainName(key) ? `"${key}"` : 'another name'));
  return `${pointer} has a member that the protocol does not have: ${names.join(', ')}`;
}

/** Returns the resourceVersion of an answer that may be of any shape. */
export function versionOf(json: unknown): string | undefined {
  const version = (json as { metadata?: { resourceVersion?: unknown } | null } | null | undefined)?.metadata
    ?.resourceVersion;
  const { success, data } = ResourceVersion.safeParse(version);
  return success ? data : undefined;
}
