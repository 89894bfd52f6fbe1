import { type Mount, ok } from '#server/kernel/http/index';
import { stateResourcesApi } from '#shared/state-resources/api';
import type { StateResourcesService } from './service.ts';

export const stateResourcesRoutes = (mount: Mount, resources: StateResourcesService): void =>
  mount(stateResourcesApi, {
    listStateResources: async ({ params, query }) => ok(await resources.list(params.stateVersionId, query)),
    compareStateVersions: async ({ params, query }) => ok(await resources.compare(params.stateVersionId, query)),
    listResourceHistory: async ({ params, query }) => ok(await resources.listHistory(params.capsuleId, query)),
  });
