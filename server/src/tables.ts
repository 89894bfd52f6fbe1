import { activityApi } from '#shared/activity/api';
import { capsulesApi } from '#shared/capsules/api';
import { configsApi } from '#shared/configs/api';
import { coordinatorsApi } from '#shared/coordinators/api';
import { deploysApi } from '#shared/deploys/api';
import { discoveryApi } from '#shared/discovery/api';
import { identityApi } from '#shared/identity/api';
import type { Api } from '#shared/kernel/endpoint';
import { runsApi } from '#shared/runs/api';
import { sourcesApi } from '#shared/sources/api';
import { statesApi } from '#shared/states/api';
import { workspacesApi } from '#shared/workspaces/api';

/** Every endpoint table of the product, lowest room first. */
export const tables: readonly Api[] = [
  discoveryApi,
  identityApi,
  activityApi,
  workspacesApi,
  runsApi,
  sourcesApi,
  capsulesApi,
  statesApi,
  configsApi,
  deploysApi,
  coordinatorsApi,
];
