import { z } from 'zod';
import { Capsule } from '../capsules/contract.ts';
import { defineApi } from '../kernel/endpoint.ts';
import { pageQuery } from '../kernel/page.ts';
import { Digest, listOf, Reason } from '../kernel/scalars.ts';
import { openDriftStatuses } from './mark.ts';

export const driftApi = defineApi({
  listDrift: {
    method: 'GET',
    path: '/workspaces/:workspaceId/drift',
    summary: 'Capsules whose newest drift check found a difference or failed, newest check first',
    class: 'R',
    params: z.strictObject({ workspaceId: z.string() }),
    query: pageQuery.extend({ status: listOf(openDriftStatuses).optional() }),
    replies: { 200: z.strictObject({ capsules: z.array(Capsule), nextCursor: z.string().optional() }) },
  },
  acknowledgeDrift: {
    method: 'POST',
    path: '/capsules/:capsuleId/drift/acknowledgements',
    summary: 'Accept the drift of a Capsule with a reason until it differs',
    class: 'W',
    params: z.strictObject({ capsuleId: z.string() }),
    body: z.strictObject({ digest: Digest, reason: Reason }),
    replies: { 200: z.strictObject({ capsule: Capsule }) },
    errors: ['failed_precondition', 'invalid_argument'],
  },
});
