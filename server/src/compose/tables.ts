import { activityApi } from '#shared/activity/api';
import { appliesApi } from '#shared/applies/api';
import { backupsApi } from '#shared/backups/api';
import { capsulesApi } from '#shared/capsules/api';
import { configurationPlansApi } from '#shared/configuration-plans/api';
import { connectionsApi } from '#shared/connections/api';
import { dashboardApi } from '#shared/dashboard/api';
import { dependenciesApi } from '#shared/dependencies/api';
import { discoveryApi } from '#shared/discovery/api';
import { identityApi } from '#shared/identity/api';
import { installConfigsApi } from '#shared/install-configs/api';
import { installPlansApi } from '#shared/install-plans/api';
import { interfacesApi } from '#shared/interfaces/api';
import type { Api } from '#shared/kernel/endpoint';
import { keysApi } from '#shared/keys/api';
import { metricsApi, operatorApi } from '#shared/operator/api';
import { outputSharesApi } from '#shared/output-shares/api';
import { plansApi } from '#shared/plans/api';
import { providerBindingsApi } from '#shared/provider-bindings/api';
import { reAdoptionsApi } from '#shared/re-adoptions/api';
import { revisionPlansApi } from '#shared/revision-plans/api';
import { runGroupsApi } from '#shared/run-groups/api';
import { runsApi } from '#shared/runs/api';
import { signInApi } from '#shared/signin/api';
import { sourcesApi } from '#shared/sources/api';
import { installLinkApi } from '#shared/sources/link-api';
import { stateVersionsApi } from '#shared/state-versions/api';
import { tokensApi } from '#shared/tokens/api';
import { usageApi } from '#shared/usage/api';
import { workspacesApi } from '#shared/workspaces/api';
import { membersApi } from '#shared/workspaces/members-api';

/** All endpoint tables of the product, lowest domain first. */
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
  stateVersionsApi,
  interfacesApi,
  outputSharesApi,
  dependenciesApi,
  installConfigsApi,
  providerBindingsApi,
  plansApi,
  appliesApi,
  runGroupsApi,
  installPlansApi,
  revisionPlansApi,
  configurationPlansApi,
  reAdoptionsApi,
  backupsApi,
  dashboardApi,
  installLinkApi,
  metricsApi,
  operatorApi,
];
