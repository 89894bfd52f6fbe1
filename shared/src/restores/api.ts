import { z } from 'zod';
import { defineApi } from '../kernel/endpoint.ts';
import { pageQuery } from '../kernel/page.ts';
import { RestoreReview } from './contract.ts';

export const restoresApi = defineApi({
  getRestoreReview: {
    method: 'GET',
    path: '/runs/:runId/restore',
    summary: 'Review of a restore Run: its effect on each Capsule, without values',
    class: 'R',
    params: z.strictObject({ runId: z.string() }),
    query: pageQuery,
    replies: { 200: z.strictObject({ restore: RestoreReview, nextCursor: z.string().optional() }) },
  },
});
