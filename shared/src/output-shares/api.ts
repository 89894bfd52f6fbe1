import { z } from 'zod';
import { defineApi } from '../kernel/endpoint.ts';
import { id } from '../kernel/id.ts';
import { pageQuery } from '../kernel/page.ts';
import { Reason } from '../kernel/scalars.ts';
import { linkLimits } from '../limits.ts';
import { OutputName, OutputShare, seenName } from './contract.ts';

const sharePath = z.strictObject({ shareId: z.string() });
const share = z.strictObject({ share: OutputShare });

export const outputSharesApi = defineApi({
  listShares: {
    method: 'GET',
    path: '/output-shares',
    summary: 'Outputs that a Workspace shares and those shared with it',
    class: 'R',
    descriptor: 83,
    workspaceIn: 'query',
    query: pageQuery.extend({ workspaceId: id('workspace') }),
    replies: { 200: z.strictObject({ shares: z.array(OutputShare), nextCursor: z.string().optional() }) },
  },
  createShare: {
    method: 'POST',
    path: '/output-shares',
    summary: 'Offer Outputs of a Capsule to another Workspace',
    class: 'W',
    descriptor: 84,
    workspaceIn: 'body',
    workspaceKey: 'fromWorkspaceId',
    body: z.strictObject({
      fromWorkspaceId: id('workspace'),
      toWorkspaceId: id('workspace'),
      producerCapsuleId: id('capsule'),
      outputs: z
        .array(z.strictObject({ name: OutputName, alias: OutputName.optional(), sensitive: z.boolean().optional() }))
        .max(linkLimits.outputs)
        .refine((outputs) => new Set(outputs.map(seenName)).size === outputs.length, 'Two Outputs have the same name.'),
      /** Without it no sensitive Output can be shared. */
      sensitivePolicy: z.strictObject({ allow: z.literal(true), reason: Reason }).optional(),
    }),
    replies: { 201: share },
    errors: ['not_found', 'invalid_argument', 'failed_precondition'],
  },
  approveShare: {
    method: 'POST',
    path: '/output-shares/:shareId/approve',
    summary: 'Accept Outputs that another Workspace offers',
    class: 'W',
    descriptor: 85,
    recordAs: 'offeredShareId',
    params: sharePath,
    replies: { 200: share },
    errors: ['failed_precondition'],
  },
  revokeShare: {
    method: 'POST',
    path: '/output-shares/:shareId/revoke',
    summary: 'Take shared Outputs back, or withdraw the offer',
    class: 'W',
    descriptor: 86,
    whenArchived: true,
    params: sharePath,
    replies: { 200: share },
  },
});
