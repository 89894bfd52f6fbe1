import { z } from 'zod';
import { defineApi } from '../kernel/endpoint.ts';
import { pageQuery } from '../kernel/page.ts';
import { billingModes, Cost, UsageEvent, UsageSummary } from './contract.ts';

const workspacePath = z.strictObject({ workspaceId: z.string() });

export const usageApi = defineApi({
  listUsage: {
    method: 'GET',
    path: '/workspaces/:workspaceId/usage',
    summary: 'What the Runs of a Workspace have used, newest first',
    class: 'R',
    descriptor: 16,
    params: workspacePath,
    query: pageQuery,
    replies: { 200: z.strictObject({ usageEvents: z.array(UsageEvent), nextCursor: z.string().optional() }) },
  },
  getBilling: {
    method: 'GET',
    path: '/workspaces/:workspaceId/billing',
    summary: 'How a Workspace is billed',
    class: 'R',
    descriptor: 17,
    params: workspacePath,
    replies: {
      200: z.strictObject({
        billing: z.strictObject({ settings: z.strictObject({ mode: z.enum(billingModes) }) }),
      }),
    },
  },
  getUsageSummary: {
    method: 'GET',
    path: '/capsules/:capsuleId/usage-summary',
    summary: 'What the Runs of a Capsule have used, together',
    class: 'R',
    descriptor: 32,
    params: z.strictObject({ capsuleId: z.string() }),
    replies: { 200: z.strictObject({ summary: UsageSummary }) },
  },
  getRunCost: {
    method: 'GET',
    path: '/runs/:runId/cost',
    summary: 'Cost estimate of a plan or an apply',
    class: 'R',
    descriptor: 70,
    params: z.strictObject({ runId: z.string() }),
    replies: { 200: z.strictObject({ cost: Cost }) },
  },
});
