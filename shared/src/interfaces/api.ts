import { z } from 'zod';
import { asOperator, defineApi } from '../kernel/endpoint.ts';
import { id } from '../kernel/id.ts';
import { limitOf, pageQuery } from '../kernel/page.ts';
import { Count, Digest, QueryBoolean, Timestamp } from '../kernel/scalars.ts';
import { pageSizes } from '../limits.ts';
import { Interface, InterfaceBinding, MaterializationFailure, ownerKinds } from './contract.ts';
import { interfacePhases } from './machine.ts';
import { BindingRequest, Conditions, Labels, OwnerRequest, SpecRequest } from './requests.ts';
import { InterfaceName, Permission, tokenOf } from './scalars.ts';

const workspacePath = z.strictObject({ workspaceId: z.string() });
const interfacePath = z.strictObject({ interfaceId: z.string() });
const bindingPath = interfacePath.extend({ bindingId: z.string() });
const tagged = { 200: ['etag'], 201: ['etag'] } as const;

export const interfacesApi = defineApi({
  createInterface: {
    method: 'POST',
    path: '/interfaces',
    summary: 'Create an Interface',
    class: 'W',
    workspaceIn: 'body',
    body: z.strictObject({
      workspaceId: id('workspace'),
      name: InterfaceName,
      ownerRef: OwnerRequest,
      labels: Labels.optional(),
      spec: SpecRequest,
    }),
    replies: { 201: Interface },
    replyHeaders: tagged,
    errors: ['not_found', 'invalid_argument', 'failed_precondition', 'already_exists'],
  },
  listInterfaces: {
    method: 'GET',
    path: '/interfaces',
    summary: 'Interfaces of a Workspace',
    class: 'R',
    workspaceIn: 'query',
    alsoScope: 'resources:read',
    query: pageQuery.extend({
      workspaceId: id('workspace'),
      type: tokenOf(256).optional(),
      phase: z.enum(interfacePhases).optional(),
      ownerKind: z.enum(ownerKinds).optional(),
      ownerId: z.string().min(1).max(128).optional(),
      /** Only those that the caller has a ready binding of with this permission. */
      permission: Permission.optional(),
      includeRetired: QueryBoolean.optional(),
    }),
    replies: { 200: z.strictObject({ interfaces: z.array(Interface), nextCursor: z.string().optional() }) },
  },
  getInterface: {
    method: 'GET',
    path: '/interfaces/:interfaceId',
    summary: 'One Interface with its resolved inputs and where they come from',
    class: 'R',
    alsoScope: 'resources:read',
    params: interfacePath,
    replies: { 200: Interface },
    replyHeaders: tagged,
    errors: ['not_found'],
  },
  updateInterface: {
    method: 'PATCH',
    path: '/interfaces/:interfaceId',
    summary: 'Change the name, the labels or the spec of an Interface',
    class: 'W',
    conditional: true,
    params: interfacePath,
    body: z.strictObject({
      name: InterfaceName.optional(),
      labels: Labels.optional(),
      spec: SpecRequest.optional(),
    }),
    replies: { 200: Interface },
    replyHeaders: tagged,
    errors: ['not_found', 'invalid_argument', 'already_exists', 'conflict'],
  },
  retireInterface: {
    method: 'DELETE',
    path: '/interfaces/:interfaceId',
    summary: 'Retire an Interface and revoke its bindings',
    class: 'W',
    whenArchived: true,
    conditional: true,
    params: interfacePath,
    replies: { 200: Interface },
    replyHeaders: tagged,
    errors: ['not_found', 'conflict'],
  },
  reportInterfaceStatus: {
    method: 'POST',
    path: '/interfaces/:interfaceId/status',
    summary: 'Report conditions of an Interface; those of the server cannot be set',
    class: 'W',
    params: interfacePath,
    body: z.strictObject({ conditions: Conditions }),
    replies: { 200: Interface },
    replyHeaders: tagged,
    errors: ['not_found', 'invalid_argument', 'conflict'],
  },
  issueInterfaceToken: {
    method: 'POST',
    path: '/interfaces/:interfaceId/token',
    summary: 'A short-lived token for the resource of an Interface',
    class: 'R',
    capability: 'oidc_issuer',
    idempotency: 'none',
    params: interfacePath,
    body: z.strictObject({ permission: Permission }),
    replies: {
      200: z.strictObject({
        access_token: z.string(),
        token_type: z.literal('Bearer'),
        expires_in: Count,
        expires_at: Timestamp,
        scope: z.string(),
        resource: z.string(),
      }),
    },
    errors: ['not_found', 'forbidden'],
  },
  createInterfaceBinding: {
    method: 'POST',
    path: '/interfaces/:interfaceId/bindings',
    summary: 'Allow an account, a Capsule or a Resource to use an Interface',
    class: 'W',
    params: interfacePath,
    body: BindingRequest,
    replies: { 201: InterfaceBinding },
    errors: ['not_found', 'invalid_argument', 'already_exists', 'conflict', 'failed_precondition'],
  },
  listInterfaceBindings: {
    method: 'GET',
    path: '/interfaces/:interfaceId/bindings',
    summary: 'Who may use an Interface',
    class: 'R',
    params: interfacePath,
    replies: { 200: z.strictObject({ bindings: z.array(InterfaceBinding) }) },
    errors: ['not_found'],
  },
  getInterfaceBinding: {
    method: 'GET',
    path: '/interfaces/:interfaceId/bindings/:bindingId',
    summary: 'One InterfaceBinding',
    class: 'R',
    params: bindingPath,
    replies: { 200: InterfaceBinding },
    errors: ['not_found'],
  },
  revokeInterfaceBinding: {
    method: 'DELETE',
    path: '/interfaces/:interfaceId/bindings/:bindingId',
    summary: 'Revoke an InterfaceBinding',
    class: 'W',
    whenArchived: true,
    params: bindingPath,
    replies: { 200: InterfaceBinding },
    errors: ['not_found'],
  },
  listMaterializationFailures: {
    method: 'GET',
    path: '/workspaces/:workspaceId/interface-materialization-failures',
    summary: 'Interfaces that could not be made after an apply, without values',
    class: 'R',
    descriptor: 14,
    params: workspacePath,
    query: z.object({ limit: limitOf(pageSizes.list) }),
    replies: { 200: z.strictObject({ failures: z.array(MaterializationFailure) }) },
  },
  retryMaterialization: {
    method: 'POST',
    path: '/workspaces/:workspaceId/interface-materialization-failures/:intentId/retries',
    summary: 'Try to make the Interfaces of an apply once more',
    class: 'W',
    descriptor: 15,
    params: workspacePath.extend({ intentId: z.string() }),
    body: z.strictObject({ failureDigest: Digest, stateVersionId: id('stateVersion'), stateGeneration: Count }),
    replies: {
      200: z.strictObject({
        retry: z.strictObject({
          id: z.string(),
          capsuleId: z.string(),
          stateVersionId: z.string(),
          stateGeneration: Count,
          blueprintsDigest: Digest,
          status: z.literal('pending'),
          nextItemIndex: Count,
          totalItems: Count,
          nextRetryAt: Timestamp,
        }),
      }),
    },
    errors: ['failed_precondition'],
  },
  listUiSurfaces: {
    method: 'GET',
    path: '/workspaces/:workspaceId/ui-surfaces',
    summary: 'Interfaces that the caller may open',
    class: 'R',
    descriptor: 22,
    params: workspacePath,
    query: pageQuery.extend({ capsuleId: z.string().min(1).max(64).optional() }),
    replies: { 200: z.strictObject({ interfaces: z.array(Interface), nextCursor: z.string().optional() }) },
  },
});

/** The routes of Interfaces for the operator, in every Workspace. */
export const interfacesOperatorApi = defineApi({
  createInterfaceAsOperator: asOperator(interfacesApi.createInterface),
  listInterfacesAsOperator: asOperator(interfacesApi.listInterfaces),
  getInterfaceAsOperator: asOperator(interfacesApi.getInterface),
  updateInterfaceAsOperator: asOperator(interfacesApi.updateInterface),
  retireInterfaceAsOperator: asOperator(interfacesApi.retireInterface),
  reportInterfaceStatusAsOperator: asOperator(interfacesApi.reportInterfaceStatus),
  issueInterfaceTokenAsOperator: asOperator(interfacesApi.issueInterfaceToken),
  createInterfaceBindingAsOperator: asOperator(interfacesApi.createInterfaceBinding),
  listInterfaceBindingsAsOperator: asOperator(interfacesApi.listInterfaceBindings),
  getInterfaceBindingAsOperator: asOperator(interfacesApi.getInterfaceBinding),
  revokeInterfaceBindingAsOperator: asOperator(interfacesApi.revokeInterfaceBinding),
});
