import { z } from 'zod';
import { CapsuleHold, capsuleStatuses } from '../capsules/contract.ts';
import { defineApi } from '../kernel/endpoint.ts';
import { pageQuery } from '../kernel/page.ts';
import { VariableName } from '../kernel/scalars.ts';
import { ProviderRequirement, ProviderResolution } from '../runs/provider-resolution.ts';
import { ExposedNames, ProviderBinding, ProviderBindingSet } from './contract.ts';

const maxProposedBindings = 64;

/** A Capsule that a Connection is bound to; it stops working when the Connection is revoked. */
export const BoundCapsule = z.strictObject({
  capsuleId: z.string(),
  name: z.string(),
  environment: z.string(),
  status: z.enum(capsuleStatuses),
  hold: CapsuleHold.nullable(),
  bindings: z.array(ProviderBinding),
});
export type BoundCapsule = z.infer<typeof BoundCapsule>;

export const providerBindingsApi = defineApi({
  getProviderBindings: {
    method: 'GET',
    path: '/capsules/:capsuleId/provider-bindings',
    summary: 'Which Connections a Capsule is bound to, and how the providers of its module resolve now',
    class: 'R',
    descriptor: 37,
    params: z.strictObject({ capsuleId: z.string() }),
    replies: {
      200: z.strictObject({
        providerBindingSet: ProviderBindingSet.nullable(),
        /** Bindings of the module that the next plan uses; absent when the module was not checked. */
        providerRequirements: z.array(ProviderRequirement).optional(),
        providerResolutions: z.array(ProviderResolution).optional(),
        reach: ExposedNames.optional(),
      }),
    },
  },
  previewProviderBindings: {
    method: 'POST',
    path: '/compatibility-reports/:reportId/provider-resolutions',
    summary: 'How the providers of a checked module would resolve with some bindings; changes nothing',
    class: 'R',
    idempotency: 'none',
    whenArchived: true,
    params: z.strictObject({ reportId: z.string() }),
    body: z.strictObject({
      providerBindings: z.array(ProviderBinding).max(maxProposedBindings),
      /** Names of variables with an explicit value, for which no default of a Connection is used. */
      variables: z.array(VariableName).max(256).optional(),
    }),
    replies: {
      200: z.strictObject({
        providerRequirements: z.array(ProviderRequirement),
        providerResolutions: z.array(ProviderResolution),
        reach: ExposedNames,
      }),
    },
    errors: ['invalid_argument'],
  },
  listBoundCapsules: {
    method: 'GET',
    path: '/connections/:connectionId/capsules',
    summary: 'Capsules that a Connection is bound to',
    class: 'R',
    params: z.strictObject({ connectionId: z.string() }),
    query: pageQuery,
    replies: { 200: z.strictObject({ capsules: z.array(BoundCapsule), nextCursor: z.string().optional() }) },
    errors: ['connection_not_found'],
  },
});
