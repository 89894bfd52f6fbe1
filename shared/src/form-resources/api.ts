import { z } from 'zod';
import { FormApiVersion, FormAvailability, FormIdentity, FormKind, identityQuery } from '../form-packages/contract.ts';
import { defineApi } from '../kernel/endpoint.ts';
import { pageQuery, SearchText } from '../kernel/page.ts';
import { Digest } from '../kernel/scalars.ts';
import { formCompatibilityPath, formHostPath } from '../vendor.ts';
import {
  DesiredMetadata,
  FormResource,
  FormResourceDetail,
  FormResourceEvent,
  FormResourceRecord,
  formResourceStatuses,
  NativeId,
  ResourceName,
  Space,
  SpecObject,
} from './contract.ts';

const page = { nextCursor: z.string().optional() };
const resourcePath = z.strictObject({ kind: FormKind, name: ResourceName });
const exactQuery = z.object({ space: Space, ...identityQuery });
const desired = { apiVersion: FormApiVersion, kind: FormKind, metadata: DesiredMetadata, spec: SpecObject };
const exactDesired = { ...desired, form: FormIdentity };
const review = z.strictObject({ planDigest: Digest });
const resource = z.strictObject({ resource: FormResource });
const list = z.strictObject({ resources: z.array(FormResource), ...page });
const preview = z.strictObject({
  resource: FormResource,
  review: z.strictObject({ planDigest: Digest, specDigest: Digest }),
});

/** Refuses a filter that names a part of a form reference. */
function requireWholeReference(query: object, context: z.RefinementCtx): void {
  const missing = Object.keys(identityQuery).filter((name) => query[name as keyof typeof query] === undefined);
  const [first] = missing;
  if (first === undefined || missing.length === Object.keys(identityQuery).length) return;
  context.addIssue({ code: 'invalid_type', expected: 'string', path: [first], input: undefined });
}

const availability = [
  'permission_denied',
  'policy_denied',
  'form_unknown',
  'form_not_installed',
  'form_unavailable',
] as const;
const identity = ['permission_denied', 'form_identity_conflict', 'form_unknown'] as const;
const conditional = ['resource_version_conflict', 'resource_busy', 'backend_unavailable'] as const;
/** Of the operations on a Resource that exists. */
const lifecycle = ['invalid_argument', 'policy_denied', ...conditional] as const;
const publication = ['interface_identity_ambiguous', 'interface_instance_ambiguous'] as const;

/** Of every route of the protocol: bearers only, and a capability that is off by default. */
const host = { base: formHostPath, capability: 'form_host', bearerOnly: true, idempotency: 'none' } as const;
const reads = { ...host, class: 'R', alsoScope: 'resources:read' } as const;
const writes = {
  ...host,
  class: 'W',
  conditions: { 'if-match': 'required', 'idempotency-key': 'required' },
} as const;
/** A create names `If-None-Match: *` instead of a version. */
const desires = {
  ...writes,
  conditions: { 'if-match': 'optional', 'if-none-match': 'optional', 'idempotency-key': 'required' },
} as const;
const inQuery = { workspaceIn: 'query', workspaceKey: 'space', workspaceAs: 'space' } as const;
const inBody = { workspaceIn: 'body', workspaceKey: 'metadata.space', workspaceAs: 'space' } as const;

/** Both APIs: the routes that differ only in how a request names its form. */
const listing = {
  ...inQuery,
  method: 'GET',
  path: '/resources',
  summary: 'Resources of a space, oldest first',
  query: z.object({ space: Space, ...pageQuery.shape }),
  replies: { 200: list },
  errors: ['permission_denied'],
} as const;
const previewing = {
  method: 'POST',
  path: '/resources/preview',
  summary: 'Show what a create or an update would give; nothing is written',
  errors: ['invalid_argument', 'form_identity_conflict', 'resource_version_conflict', ...availability, ...publication],
} as const;
const applyErrors = [
  'invalid_argument',
  'form_identity_conflict',
  ...availability,
  ...conditional,
  ...publication,
] as const;
const oneResource = { replies: { 200: resource }, replyHeaders: { 200: ['etag'] } } as const;
const importing = {
  ...oneResource,
  method: 'POST',
  path: '/resources/:kind/:name/import',
  summary: 'Create a Resource of a native object without an owner',
  params: resourcePath,
  errors: ['resource_not_found', 'import_conflict', ...applyErrors],
} as const;
const observing = {
  ...inQuery,
  ...oneResource,
  method: 'POST',
  path: '/resources/:kind/:name/observe',
  summary: 'Compare the native object with the desired state',
  params: resourcePath,
} as const;
const refreshing = {
  ...inQuery,
  ...oneResource,
  method: 'POST',
  path: '/resources/:kind/:name/refresh',
  summary: 'Publish the state of the native object and its Interfaces again',
  params: resourcePath,
} as const;
const deleting = {
  ...inQuery,
  method: 'DELETE',
  path: '/resources/:kind/:name',
  summary: 'Delete a Resource and its native object; one that is gone is deleted already',
  params: resourcePath,
  replies: { 204: z.undefined() },
} as const;

/** The form host protocol: every request names the exact form, and every write the version that it changes. */
export const formHostApi = defineApi({
  listForms: {
    ...reads,
    ...inQuery,
    method: 'GET',
    path: '/forms',
    summary: 'Forms of this host, and whether the caller can use each in a space',
    query: z
      .object({ space: Space, ...z.object(identityQuery).partial().shape, ...pageQuery.shape })
      .superRefine(requireWholeReference),
    replies: { 200: z.strictObject({ forms: z.array(FormAvailability), ...page }) },
    errors: ['permission_denied', 'invalid_argument'],
  },
  listFormResources: {
    ...reads,
    ...listing,
  },
  previewFormResource: {
    ...desires,
    conditions: { 'if-match': 'optional', 'if-none-match': 'optional' },
    ...inBody,
    ...previewing,
    body: z.strictObject(exactDesired),
    replies: { 200: preview },
  },
  putFormResource: {
    ...desires,
    ...inBody,
    method: 'PUT',
    path: '/resources/:kind/:name',
    summary: 'Create or update a Resource as it was previewed',
    params: resourcePath,
    body: z.strictObject({ ...exactDesired, review }),
    replies: { 200: FormResource },
    replyHeaders: { 200: ['etag'] },
    errors: applyErrors,
  },
  importFormResource: {
    ...writes,
    conditions: { 'if-none-match': 'required', 'idempotency-key': 'required' },
    ...inBody,
    ...importing,
    body: z.strictObject({ ...exactDesired, review: review.optional(), nativeId: NativeId }),
  },
  getFormResource: {
    ...reads,
    ...inQuery,
    method: 'GET',
    path: '/resources/:kind/:name',
    summary: 'Read a Resource',
    params: resourcePath,
    query: exactQuery,
    replies: { 200: FormResource },
    replyHeaders: { 200: ['etag'] },
    errors: ['resource_not_found', ...identity],
  },
  observeFormResource: {
    ...writes,
    ...observing,
    query: exactQuery,
    errors: ['resource_not_found', ...identity, ...lifecycle],
  },
  refreshFormResource: {
    ...writes,
    ...refreshing,
    query: exactQuery,
    errors: ['resource_not_found', ...identity, ...lifecycle, ...publication],
  },
  listFormResourceEvents: {
    ...reads,
    ...inQuery,
    method: 'GET',
    path: '/resources/:kind/:name/events',
    summary: 'History of a Resource, oldest first; the newest 500 events',
    params: resourcePath,
    query: exactQuery,
    replies: { 200: z.strictObject({ events: z.array(FormResourceEvent) }) },
    errors: ['resource_not_found', ...identity],
  },
  deleteFormResource: {
    ...writes,
    ...deleting,
    query: exactQuery,
    errors: [...identity, ...lifecycle],
  },
});

const legacyReads = { ...reads, base: formCompatibilityPath } as const;
const legacyWrites = {
  ...writes,
  base: formCompatibilityPath,
  conditions: { 'if-match': 'optional', 'if-none-match': 'optional', 'idempotency-key': 'optional' },
} as const;
const spaceQuery = z.object({ space: Space });
/** `space` may stand in the query, in the metadata, or in both. */
const inEither = { workspaceIn: 'either', workspaceKey: 'metadata.space', workspaceAs: 'space' } as const;
const spaceOptional = z.object({ space: Space.optional() });
const legacyDesired = {
  apiVersion: FormApiVersion.optional(),
  kind: FormKind,
  metadata: DesiredMetadata.partial({ space: true }),
  spec: SpecObject,
};

/**
 * The same Resources for clients that name no form: it is the one activated form of the kind. No precondition and no
 * key is needed; one that is sent counts.
 */
export const formCompatibilityApi = defineApi({
  listCompatibilityResources: {
    ...legacyReads,
    ...listing,
  },
  previewCompatibilityResource: {
    ...legacyWrites,
    ...inEither,
    ...previewing,
    query: spaceOptional,
    body: z.strictObject(legacyDesired),
    replies: { 200: resource },
  },
  putCompatibilityResource: {
    ...legacyWrites,
    ...inEither,
    method: 'PUT',
    path: '/resources/:kind/:name',
    summary: 'Create or update a Resource',
    params: resourcePath,
    query: spaceOptional,
    body: z.strictObject(legacyDesired),
    replies: { 200: resource },
    replyHeaders: { 200: ['etag'] },
    errors: applyErrors,
  },
  getCompatibilityResource: {
    ...legacyReads,
    ...inQuery,
    method: 'GET',
    path: '/resources/:kind/:name',
    summary: 'Read a Resource',
    params: resourcePath,
    query: spaceQuery,
    replies: { 200: resource },
    replyHeaders: { 200: ['etag'] },
    errors: ['permission_denied', 'resource_not_found'],
  },
  importCompatibilityResource: {
    ...legacyWrites,
    ...inEither,
    ...importing,
    query: spaceOptional,
    body: z.strictObject({ ...legacyDesired, nativeId: NativeId }),
  },
  observeCompatibilityResource: {
    ...legacyWrites,
    ...observing,
    query: spaceQuery,
    errors: ['permission_denied', 'resource_not_found', ...lifecycle],
  },
  refreshCompatibilityResource: {
    ...legacyWrites,
    ...refreshing,
    query: spaceQuery,
    errors: ['permission_denied', 'resource_not_found', ...lifecycle, ...publication],
  },
  deleteCompatibilityResource: {
    ...legacyWrites,
    ...deleting,
    query: spaceQuery,
    errors: ['permission_denied', ...lifecycle],
  },
});

const workspacePath = z.strictObject({ workspaceId: z.string() });
const recordPath = z.strictObject({ formResourceId: z.string() });

/** The Resources as the dashboard reads them, with a session. They are changed through the form host protocol. */
export const formResourceRecordsApi = defineApi({
  listFormResourceRecords: {
    method: 'GET',
    path: '/workspaces/:workspaceId/form-resources',
    summary: 'Resources of the form host in a Workspace, newest first',
    class: 'R',
    params: workspacePath,
    query: pageQuery.extend({ q: SearchText.optional(), status: z.enum(formResourceStatuses).optional() }),
    replies: { 200: z.strictObject({ formResources: z.array(FormResourceRecord), ...page }) },
  },
  getFormResourceRecord: {
    method: 'GET',
    path: '/form-resources/:formResourceId',
    summary: 'Read a Resource of the form host with its desired state',
    class: 'R',
    params: recordPath,
    replies: { 200: z.strictObject({ formResource: FormResourceDetail }) },
  },
  listFormResourceRecordEvents: {
    method: 'GET',
    path: '/form-resources/:formResourceId/events',
    summary: 'History of a Resource of the form host, newest first',
    class: 'R',
    params: recordPath,
    query: pageQuery,
    replies: { 200: z.strictObject({ events: z.array(FormResourceEvent), ...page }) },
  },
});
