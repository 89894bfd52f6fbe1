import { type Mount, ok } from '#server/kernel/http/index';
import { stateVersionsApi } from '#shared/state-versions/api';
import type { StateVersionsService } from './service.ts';

export const stateVersionsRoutes = (mount: Mount, states: StateVersionsService): void =>
  mount(stateVersionsApi, {
    listCurrentStateVersions: ({ params, query }) => ok(states.listCurrent(params.workspaceId, query)),
    getOutputs: ({ params }) => ok({ output: states.getCurrentOutput(params.capsuleId) }),
    listStateVersions: ({ params, query }) => ok(states.listStateVersions(params.capsuleId, query)),
    getStateVersion: ({ params }) => ok(states.getStateVersion(params.stateVersionId)),
  });
