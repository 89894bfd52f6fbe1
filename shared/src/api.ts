import { activityApi } from './activity/api.ts';
import { appliesApi } from './applies/api.ts';
import { backupSchedulesApi } from './backup-schedules/api.ts';
import { backupsApi, backupsOperatorApi } from './backups/api.ts';
import { capsulesApi } from './capsules/api.ts';
import { configurationPlansApi } from './configuration-plans/api.ts';
import { connectionsApi } from './connections/api.ts';
import { copiesApi } from './copies/api.ts';
import { dashboardApi } from './dashboard/api.ts';
import { dependenciesApi } from './dependencies/api.ts';
import { discoveryApi } from './discovery/api.ts';
import { formHostDiscoveryApi } from './discovery/form-host-api.ts';
import { driftApi } from './drift/api.ts';
import { exportsApi } from './exports/api.ts';
import { fenceApi } from './fence/api.ts';
import { formPackagesApi } from './form-packages/api.ts';
import { formCompatibilityApi, formHostApi, formResourceRecordsApi } from './form-resources/api.ts';
import { identityApi } from './identity/api.ts';
import { importsApi, importsOperatorApi } from './imports/api.ts';
import { installConfigsApi } from './install-configs/api.ts';
import { installPlansApi } from './install-plans/api.ts';
import { installationApi, installationOperatorApi } from './installation/api.ts';
import { installationBackupsApi } from './installation-backups/api.ts';
import { interfacesApi, interfacesOperatorApi } from './interfaces/api.ts';
import { outputMigrationApi } from './interfaces/output-migration.ts';
import { hostnameProofsApi } from './interfaces/proofs.ts';
import { issuerApi, issuerOperatorApi } from './issuer/api.ts';
import { type Api, mergeApis } from './kernel/endpoint.ts';
import { keysApi } from './keys/api.ts';
import { lateStatesApi } from './late-states/api.ts';
import { mailTestApi, notificationsApi } from './notifications/api.ts';
import { metricsApi, operatorRoutesApi } from './operator/api.ts';
import { outputSharesApi } from './output-shares/api.ts';
import { plansApi } from './plans/api.ts';
import { providerBindingsApi } from './provider-bindings/api.ts';
import { reAdoptionsApi } from './re-adoptions/api.ts';
import { restoresApi } from './restores/api.ts';
import { revisionPlansApi } from './revision-plans/api.ts';
import { runGroupsApi } from './run-groups/api.ts';
import { runnerPoolsApi, runnerPoolsOperatorApi } from './runner-pools/api.ts';
import { runsApi } from './runs/api.ts';
import { searchApi } from './search/api.ts';
import { signInApi } from './signin/api.ts';
import { sourcesApi } from './sources/api.ts';
import { codeApi } from './sources/code-api.ts';
import { installLinkApi } from './sources/link-api.ts';
import { stateResourcesApi } from './state-resources/api.ts';
import { stateVersionsApi } from './state-versions/api.ts';
import { tokensApi } from './tokens/api.ts';
import { usageApi } from './usage/api.ts';
import { webhooksApi } from './webhooks/api.ts';
import { workspaceDeletionsApi } from './workspace-deletions/api.ts';
import { workspacesApi } from './workspaces/api.ts';
import { membersApi } from './workspaces/members-api.ts';

/** Every endpoint of the domains, lowest domain first; with the operator's variants of a domain's own routes. */
export const publicApi = mergeApis(
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
  codeApi,
  connectionsApi,
  capsulesApi,
  runnerPoolsApi,
  stateVersionsApi,
  interfacesApi,
  formResourceRecordsApi,
  outputSharesApi,
  dependenciesApi,
  installConfigsApi,
  issuerApi,
  providerBindingsApi,
  plansApi,
  stateResourcesApi,
  appliesApi,
  runGroupsApi,
  driftApi,
  webhooksApi,
  notificationsApi,
  installPlansApi,
  revisionPlansApi,
  configurationPlansApi,
  reAdoptionsApi,
  restoresApi,
  backupsApi,
  backupSchedulesApi,
  copiesApi,
  workspaceDeletionsApi,
  importsApi,
  lateStatesApi,
  installationApi,
  searchApi,
  dashboardApi,
  installLinkApi,
);

/** Endpoints by which the operator acts across Workspaces and reads the metrics. */
export const operatorApi = mergeApis(
  metricsApi,
  fenceApi,
  operatorRoutesApi,
  formPackagesApi,
  interfacesOperatorApi,
  hostnameProofsApi,
  outputMigrationApi,
  mailTestApi,
  issuerOperatorApi,
  backupsOperatorApi,
  importsOperatorApi,
  installationBackupsApi,
  exportsApi,
  installationOperatorApi,
  runnerPoolsOperatorApi,
);

/** Endpoints of the form host, which exist only where an operator has enabled it. */
export const formHostApis = mergeApis(formHostDiscoveryApi, formHostApi, formCompatibilityApi);

/** The endpoints of every server. */
export const apiTables: readonly Api[] = [publicApi, operatorApi];
