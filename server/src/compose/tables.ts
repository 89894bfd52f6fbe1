import { activityApi } from '#shared/activity/api';
import { backupsApi } from '#shared/backups/api';
import { bindingsApi } from '#shared/bindings/api';
import { capsulesApi } from '#shared/capsules/api';
import { configsApi } from '#shared/configs/api';
import { connectionsApi } from '#shared/connections/api';
import { coordinatorsApi } from '#shared/coordinators/api';
import { dashboardApi } from '#shared/dashboard/api';
import { dependenciesApi } from '#shared/dependencies/api';
import { deploysApi } from '#shared/deploys/api';
import { discoveryApi } from '#shared/discovery/api';
import { groupsApi } from '#shared/groups/api';
import { identityApi } from '#shared/identity/api';
import { interfacesApi } from '#shared/interfaces/api';
import type { Api } from '#shared/kernel/endpoint';
import { keysApi } from '#shared/keys/api';
import { metricsApi, operatorApi } from '#shared/operator/api';
import { runsApi } from '#shared/runs/api';
import { sharesApi } from '#shared/shares/api';
import { signInApi } from '#shared/signin/api';
import { sourcesApi } from '#shared/sources/api';
import { installLinkApi } from '#shared/sources/link-api';
import { statesApi } from '#shared/states/api';
import { tokensApi } from '#shared/tokens/api';
import { usageApi } from '#shared/usage/api';
import { workspacesApi } from '#shared/workspaces/api';
import { membersApi } from '#shared/workspaces/members-api';

/** Every endpoint table of the product, lowest room first. */
export const tables: readonly Api[] = [
  discoveryApi,
  identityApi,
  activityApi,
  keysApi,
  workspacesApi,
  tokensApi,
  membersApi,
  signInApi,
  runsApi,
  usageApi,
  sourcesApi,
  connectionsApi,
  capsulesApi,
  statesApi,
  interfacesApi,
  sharesApi,
  dependenciesApi,
  configsApi,
  bindingsApi,
  deploysApi,
  groupsApi,
  coordinatorsApi,
  backupsApi,
  dashboardApi,
  installLinkApi,
  metricsApi,
  operatorApi,
];
