import { type Mount, ok } from '#server/kernel/http/index';
import { usageApi } from '#shared/usage/api';
import type { UsageService } from './service.ts';

export const usageRoutes = (mount: Mount, usage: UsageService): void =>
  mount(usageApi, {
    listUsage: ({ params, query }) => ok(usage.list(params.workspaceId, query)),
    getBilling: () => ok({ billing: usage.billing }),
    getUsageSummary: ({ params }) => ok({ summary: usage.summaryOf(params.capsuleId) }),
    getRunCost: ({ params }) => ok({ cost: usage.costOf(params.runId) }),
  });
