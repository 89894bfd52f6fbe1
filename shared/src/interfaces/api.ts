import { z } from 'zod';
import { defineApi } from '../kernel/endpoint.ts';
import { id } from '../kernel/id.ts';
import { limitOf, pageQuery } from '../kernel/page.ts';
import { Count, Digest, Timestamp } from '../kernel/scalars.ts';
import { pageSizes } from '../limits.ts';
import { Interface, MaterializationFailure } from './contract.ts';

const workspacePath = z.strictObject({ workspaceId: z.string() });

export const interfacesApi = defineApi({
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
