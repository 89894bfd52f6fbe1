import { type Mount, ok } from '#server/kernel/http/index';
import { statesApi } from '#shared/states/api';
import type { StatesService } from './service.ts';

export const statesRoutes = (mount: Mount, states: StatesService): void =>
  mount(statesApi, {
    listCurrentStateVersions: ({ params, query }) => ok(states.listCurrent(params.workspaceId, query)),
    getOutputs: ({ params }) => ok({ output: states.getCurrentOutput(params.capsuleId) }),
    listStateVersions: ({ params, query }) => ok(states.listStateVersions(params.capsuleId, query)),
    getStateVersion: ({ params }) => ok(states.getStateVersion(params.stateVersionId)),
  });
